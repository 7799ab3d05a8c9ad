#pragma once

#include <chrono>

#include "flyball/base/clock.h"

namespace flyball::scripted {

/// Whether a condition comes to hold, for what happens on threads that a test does not own. Looks
/// again and again; who waits in vain does so for two minutes, since a machine may be busy.
template <typename Condition>
bool Eventually(Clock& clock, Condition condition,
                std::chrono::nanoseconds patience = std::chrono::minutes(2)) {
  const SteadyTime deadline = clock.DeadlineAfter(patience);
  while (!condition()) {
    if (clock.SteadyNow() > deadline) return false;
    clock.SleepFor(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace flyball::scripted
