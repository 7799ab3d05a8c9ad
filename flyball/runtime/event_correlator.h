#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/time.h"
#include "flyball/base/clock.h"
#include "flyball/base/token_bucket.h"
#include "flyball/runtime/lru_cache.h"

namespace flyball::runtime {

/// One moment on both lines of time: what goes into objects, and what intervals are measured on.
struct Moment {
  WallTime wall;
  SteadyTime steady;

  static Moment Now(const Clock& clock) { return {clock.WallNow(), clock.SteadyNow()}; }
};

/// How an event gets to the server.
struct EventWrite {
  core::v1::Event event;  ///< as it should be there
  std::string patch;      ///< what makes it so of what is there; empty: it is to be created

  friend bool operator==(const EventWrite&, const EventWrite&) = default;
};

/// Keeps controllers from flooding the API server with events, exactly as upstream's does:
///  - an event that differs from an earlier one by nothing but its time is not a new event but a
///    higher count of that one;
///  - events that differ only in their message are combined into one, from the tenth message
///    within ten minutes of each other on;
///  - of one source, about one object, of one type, there are 25 writes and then one in 5 minutes.
///
/// Decides only: writes nothing, asks for no time. Remembers a bounded number of events. Not for
/// several threads at once.
class EventCorrelator {
 public:
  struct Options {
    std::size_t memory = 4096;  ///< of each of the three rules, the last so many of its keys
    std::size_t combined_from = 10;
    std::chrono::nanoseconds combined_within = std::chrono::minutes(10);
    double burst = 25;
    // PARITY: rounded as upstream's is, which is why a token comes a little before 5 minutes.
    float refill_per_second = 1.0F / 300;
  };

  EventCorrelator() : EventCorrelator(Options()) {}
  explicit EventCorrelator(Options options);

  /// What to write for an event that was recorded, or nothing.
  std::optional<EventWrite> Correlate(core::v1::Event event, const Moment& now);

  /// Takes note of what the server has made of an event that was written.
  void Learn(const core::v1::Event& written);

 private:
  /// Events that differ in their messages only.
  struct Similar {
    std::set<std::string, std::less<>> messages;
    SteadyTime last = {};
  };
  /// What is known of an event that may be on the server.
  struct Recorded {
    std::int32_t count = 0;  // 0: nothing
    api::Time first;
    std::string name;
    std::string resource_version;
  };
  struct Combined {
    core::v1::Event event;
    std::string key;  // of what is counted
    bool first_of_its_reason;
  };

  Combined Combine(core::v1::Event event, const Moment& now);
  EventWrite Count(core::v1::Event event, const std::string& key);
  bool WithinBudget(const core::v1::Event& event, SteadyTime now);
  static Recorded NoteOf(const core::v1::Event& event);

  const Options options_;
  LruCache<Similar> similar_;
  LruCache<Recorded> recorded_;
  LruCache<std::optional<TokenBucket>> budgets_;
};

}  // namespace flyball::runtime
