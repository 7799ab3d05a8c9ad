#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/events/v1.h"
#include "flyball/base/clock.h"
#include "flyball/runtime/event_correlator.h"

namespace flyball::runtime {

/// Turns events that are the same in all but time and note into one with a series, as upstream's
/// recorder of events.k8s.io/v1 does: the first is written, the second starts a series and is
/// written, the others are only counted. A series is written again from time to time, and when
/// nothing has been added to it for six minutes, which is its end.
///
/// Decides only. Not for several threads at once.
class EventSeriesTable {
 public:
  static constexpr std::chrono::minutes kEndsAfter{6};
  static constexpr std::chrono::minutes kRefreshedEvery{30};

  /// What to write for an event that was recorded, or nothing.
  std::optional<events::v1::Event> Observe(events::v1::Event event, const Moment& now);

  /// Forgets single events that are too old for a series to start with them. Returns the keys of
  /// series that have ended: to be written, and then forgotten.
  std::vector<std::string> TakeEnded(SteadyTime now);
  /// The keys of all series.
  std::vector<std::string> Running() const;

  const events::v1::Event& At(const std::string& key) const { return entries_.at(key).event; }
  void Forget(const std::string& key) { entries_.erase(key); }
  /// Takes over what the server has made of a series.
  void Learn(const std::string& key, events::v1::Event written);

  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    events::v1::Event event;
    SteadyTime last;
  };

  std::map<std::string, Entry> entries_;
};

/// What brings an event's series to the server; empty if it has none.
std::string SeriesPatch(const events::v1::Event& event);

}  // namespace flyball::runtime
