#include "flyball/ctl/trace/chain.h"

#include <algorithm>

#include "flyball/api/time.h"
#include "flyball/base/stable_sort.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/resource_argument.h"

namespace flyball::ctl::trace {
namespace {

std::optional<WallTime> TimeAt(const api::Json& object, Path path) {
  const auto time = api::Time::Parse(TextAt(object, path));
  if (!time) return std::nullopt;
  return time->ToWallTime();
}

/// When something was last heard of it.
WallTime LastSeen(const core::v1::Event& event) {
  if (event.series) return event.series->lastObservedTime.ToWallTime();
  if (!event.lastTimestamp.IsZero()) return event.lastTimestamp.ToWallTime();
  return event.eventTime.ToWallTime();
}

}  // namespace

std::string Link::name() const { return NameOf(object); }
std::string Link::uid() const { return TextAt(object, {"metadata", "uid"}); }

std::string Link::key() const {
  const std::string namespace_ = TextAt(object, {"metadata", "namespace"});
  return namespace_.empty() ? name() : namespace_ + "/" + name();
}

std::string Link::Title() const { return InLowerCase(TextAt(object, {"kind"})) + " " + name(); }

bool Chain::IsAboutPod() const { return asked.resource == "pods"; }

std::vector<const Link*> Chain::Sets() const {
  std::vector<const Link*> sets;
  if (!IsAboutPod()) sets.push_back(&asked);
  for (const Link& link : owned) sets.push_back(&link);
  return sets;
}

std::vector<const Link*> Chain::SetsAndOwners() const {
  std::vector<const Link*> all;
  for (const Link& link : owners) all.push_back(&link);
  std::ranges::copy(Sets(), std::back_inserter(all));
  return all;
}

std::optional<Condition> ConditionOf(const api::Json& object, std::string_view type) {
  for (const api::Json& each : ListAt(object, {"status", "conditions"})) {
    if (TextAt(each, {"type"}) != type) continue;
    return Condition{.status = TextAt(each, {"status"}),
                     .reason = TextAt(each, {"reason"}),
                     .message = TextAt(each, {"message"}),
                     .since = TimeAt(each, {"lastTransitionTime"})};
  }
  return std::nullopt;
}

std::optional<WallTime> DeletedAt(const api::Json& object) {
  return TimeAt(object, {"metadata", "deletionTimestamp"});
}

bool IsReady(const core::v1::Pod& pod) {
  return !pod.metadata.deletionTimestamp &&
         std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
           return condition.type == "Ready" && condition.status == "True";
         });
}

std::vector<const core::v1::Event*> EventsOf(const Chain& chain, std::string_view uid) {
  std::vector<const core::v1::Event*> events;
  for (const core::v1::Event& event : chain.events) {
    if (event.involvedObject.uid == uid) events.push_back(&event);
  }
  StableSort(events, std::ranges::greater(),
             [](const core::v1::Event* event) { return LastSeen(*event); });
  return events;
}

std::string Counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace flyball::ctl::trace
