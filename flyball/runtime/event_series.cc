#include "flyball/runtime/event_series.h"

#include <utility>

#include "flyball/api/json.h"
#include "flyball/base/wrapping.h"

namespace flyball::runtime {
namespace {

using events::v1::Event;

void AppendPart(std::string& key, std::string_view part) {
  key += part;
  key += '\0';
}

void AppendReference(std::string& key, const core::v1::ObjectReference& object) {
  for (const std::string_view part :
       {std::string_view(object.kind), std::string_view(object.namespace_),
        std::string_view(object.name), std::string_view(object.uid),
        std::string_view(object.apiVersion), std::string_view(object.resourceVersion),
        std::string_view(object.fieldPath)}) {
    AppendPart(key, part);
  }
}

// PARITY: the object's version is part of it, so that an event after a change of the object is
// another event.
std::string KeyOf(const Event& event) {
  std::string key;
  AppendPart(key, event.type);
  AppendPart(key, event.action);
  AppendPart(key, event.reason);
  AppendPart(key, event.reportingController);
  AppendPart(key, event.reportingInstance);
  AppendReference(key, event.regarding);
  AppendReference(key, event.related ? *event.related : core::v1::ObjectReference());
  return key;
}

}  // namespace

std::optional<Event> EventSeriesTable::Observe(Event event, const Moment& now) {
  std::string key = KeyOf(event);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    const Entry& entry =
        entries_.emplace(std::move(key), Entry{std::move(event), now.steady}).first->second;
    return entry.event;
  }
  Entry& entry = found->second;
  entry.last = now.steady;
  const bool starts = !entry.event.series;
  events::v1::EventSeries& series = entry.event.series.get_or_emplace();
  series.count = starts ? 2 : WrappingAdd(series.count, 1);
  series.lastObservedTime = api::MicroTime(now.wall);
  if (!starts) return std::nullopt;
  return entry.event;
}

std::vector<std::string> EventSeriesTable::TakeEnded(SteadyTime now) {
  std::vector<std::string> ended;
  for (auto at = entries_.begin(); at != entries_.end();) {
    const Entry& entry = at->second;
    const bool old = now - entry.last > kEndsAfter;
    if (old && entry.event.series) ended.push_back(at->first);
    if (old && !entry.event.series) {
      at = entries_.erase(at);
    } else {
      ++at;
    }
  }
  return ended;
}

std::vector<std::string> EventSeriesTable::Running() const {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_) {
    if (entry.event.series) keys.push_back(key);
  }
  return keys;
}

void EventSeriesTable::Learn(const std::string& key, Event written) {
  entries_.at(key).event = std::move(written);
}

std::string SeriesPatch(const Event& event) {
  if (!event.series) return {};
  api::Json::Object series;
  series["count"] = event.series->count;
  series["lastObservedTime"] = event.series->lastObservedTime.ToString();
  api::Json::Object patch;
  patch["series"] = std::move(series);
  return api::Json(std::move(patch)).ToString();
}

}  // namespace flyball::runtime
