#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flyball/queue/schedule.h"

namespace flyball::runtime {

/// A key of a queue, for people to look at.
struct KeyReport {
  std::string key;
  queue::KeyState state = queue::KeyState::kIdle;
  std::optional<std::chrono::nanoseconds> since = {};   ///< in this state
  std::optional<std::chrono::nanoseconds> due_in = {};  ///< if it is delayed
  int retries = 0;
  std::string last_error = {};  ///< of its last reconcile, if that failed

  friend bool operator==(const KeyReport&, const KeyReport&) = default;
};

/// A queue of a controller: how many keys are where, and some of the keys.
struct QueueReport {
  std::string name;
  queue::QueueSizes sizes = {};
  std::size_t failing = 0;             ///< keys whose last reconcile failed
  std::uint64_t reconciles = 0;        ///< so far
  std::chrono::nanoseconds busy = {};  ///< with all of these
  std::vector<KeyReport> keys = {};

  friend bool operator==(const QueueReport&, const QueueReport&) = default;
};

}  // namespace flyball::runtime
