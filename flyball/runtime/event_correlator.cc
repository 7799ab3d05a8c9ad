#include "flyball/runtime/event_correlator.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/base/wrapping.h"
#include "flyball/runtime/event_name.h"

namespace flyball::runtime {
namespace {

using core::v1::Event;

// PARITY: keys are what they are upstream, with nothing between the parts, so that the same events
// are taken for the same.
std::string Join(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::string joined;
  joined.reserve(size);
  for (const std::string_view part : parts) joined += part;
  return joined;
}

std::string KeyOfSame(const Event& event) {
  const auto& object = event.involvedObject;
  return Join({event.source.component, event.source.host, object.kind, object.namespace_,
               object.name, object.fieldPath, object.uid, object.apiVersion, event.type,
               event.reason, event.message});
}

std::string KeyOfSimilar(const Event& event) {
  const auto& object = event.involvedObject;
  return Join({event.source.component, event.source.host, object.kind, object.namespace_,
               object.name, object.uid, object.apiVersion, event.type, event.reason,
               event.reportingComponent, event.reportingInstance});
}

std::string KeyOfBudget(const Event& event) {
  const auto& object = event.involvedObject;
  return Join({event.source.component, event.source.host, object.kind, object.namespace_,
               object.name, object.uid, object.apiVersion, event.type});
}

/// The event that stands for many.
// PARITY: it has no annotations, nor a reporting controller, though that is the same in all of
// them.
Event MakeCombined(const Event& last, WallTime now) {
  Event event;
  event.metadata.name = TimedName(last.involvedObject.name, now);
  event.metadata.namespace_ = last.metadata.namespace_;
  event.involvedObject = last.involvedObject;
  event.source = last.source;
  event.type = last.type;
  event.reason = last.reason;
  event.message = "(combined from similar events): " + last.message;
  event.firstTimestamp = event.lastTimestamp = api::Time(now);
  event.count = 1;
  return event;
}

/// What has changed in an event that is counted up.
// PARITY: upstream compares with an event of no count, no message and the time 1970, and leaves out
// what is the same.
std::string PatchOf(const Event& event) {
  api::Json::Object changes;
  if (event.count != 0) changes["count"] = event.count;
  if (event.lastTimestamp.IsZero()) {
    changes["lastTimestamp"] = api::Json();
  } else if (event.lastTimestamp.unix_seconds() != 0) {
    changes["lastTimestamp"] = event.lastTimestamp.ToString();
  }
  if (!event.message.empty()) changes["message"] = event.message;
  return api::Json(std::move(changes)).ToString();
}

}  // namespace

EventCorrelator::EventCorrelator(Options options)
    : options_(options),
      similar_(options.memory),
      recorded_(options.memory),
      budgets_(options.memory) {}

std::optional<EventWrite> EventCorrelator::Correlate(Event event, const Moment& now) {
  Combined combined = Combine(std::move(event), now);
  // Counted also when it is not written, so that the next write has the true count.
  EventWrite write = Count(std::move(combined.event), combined.key);
  const bool within_budget = WithinBudget(write.event, now.steady);
  // DIVERGES: upstream drops the first event of a reason too, when others about the object have
  // used up the budget: a pod that was restarted 25 times is then deleted without a word. There are
  // few reasons, so letting the first of each through floods nobody.
  if (!within_budget && !combined.first_of_its_reason) return std::nullopt;
  return write;
}

EventCorrelator::Combined EventCorrelator::Combine(Event event, const Moment& now) {
  std::string key = KeyOfSimilar(event);
  const auto [similar, is_new] = similar_.Use(key);
  if (!is_new && now.steady - similar.last > options_.combined_within) similar.messages.clear();
  similar.last = now.steady;

  // Upstream forgets any one message of a full set. This is as if it were always the new one: what
  // had an event of its own goes on having it.
  const bool known = similar.messages.contains(event.message);
  if (!known && similar.messages.size() + 1 >= options_.combined_from) {
    return {MakeCombined(event, now.wall), std::move(key), is_new};
  }
  if (!known) similar.messages.insert(event.message);
  std::string same = KeyOfSame(event);
  return {std::move(event), std::move(same), is_new};
}

EventWrite EventCorrelator::Count(Event event, const std::string& key) {
  Recorded& recorded = recorded_.Use(key).value;
  EventWrite write;
  write.event = std::move(event);
  if (recorded.count != 0) {
    write.event.metadata.name = recorded.name;
    write.event.metadata.resourceVersion = recorded.resource_version;
    write.event.firstTimestamp = recorded.first;
    write.event.count = WrappingAdd(recorded.count, 1);
    write.patch = PatchOf(write.event);
  }
  recorded = NoteOf(write.event);
  return write;
}

bool EventCorrelator::WithinBudget(const Event& event, SteadyTime now) {
  std::optional<TokenBucket>& budget = budgets_.Use(KeyOfBudget(event)).value;
  if (!budget) budget.emplace(options_.refill_per_second, options_.burst, now);
  return budget->TryTake(now);
}

void EventCorrelator::Learn(const Event& written) {
  // PARITY: of a combined event this is not the key that it is counted by.
  recorded_.Use(KeyOfSame(written)).value = NoteOf(written);
}

EventCorrelator::Recorded EventCorrelator::NoteOf(const Event& event) {
  return {.count = event.count,
          .first = event.firstTimestamp,
          .name = event.metadata.name,
          .resource_version = event.metadata.resourceVersion};
}

}  // namespace flyball::runtime
