#include "flyball/api/core/v1.h"
#include "flyball/api/events/v1.h"
#include "flyball/sandbox/kinds/conversions.h"

namespace flyball::sandbox {
namespace {

/// The members of both that say the same, a pair at a time.
template <typename Newer, typename Older, typename Each>
void ForEachPair(Newer& newer, Older& older, Each each) {
  each(newer.metadata, older.metadata);
  each(newer.eventTime, older.eventTime);
  each(newer.reportingController, older.reportingComponent);
  each(newer.reportingInstance, older.reportingInstance);
  each(newer.action, older.action);
  each(newer.reason, older.reason);
  each(newer.regarding, older.involvedObject);
  each(newer.related, older.related);
  each(newer.note, older.message);
  each(newer.type, older.type);
  each(newer.deprecatedSource, older.source);
  each(newer.deprecatedFirstTimestamp, older.firstTimestamp);
  each(newer.deprecatedLastTimestamp, older.lastTimestamp);
  each(newer.deprecatedCount, older.count);
}

template <typename To, typename From>
void CopySeries(To& to, const From& from) {
  if (!from.series) return;
  auto& series = to.series.emplace();
  series.count = from.series->count;
  series.lastObservedTime = from.series->lastObservedTime;
}

core::v1::Event ToStored(const events::v1::Event& served) {
  core::v1::Event stored;
  ForEachPair(served, stored, [](const auto& from, auto& to) { to = from; });
  CopySeries(stored, served);
  return stored;
}

events::v1::Event ToServed(const core::v1::Event& stored) {
  events::v1::Event served;
  ForEachPair(served, stored, [](auto& to, const auto& from) { to = from; });
  CopySeries(served, stored);
  return served;
}

}  // namespace

Conversion EventConversion() {
  return ConversionBetween<events::v1::Event, core::v1::Event, ToStored, ToServed>();
}

}  // namespace flyball::sandbox
