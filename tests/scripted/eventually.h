#pragma once

#include <chrono>

#include "flyball/base/clock.h"

namespace flyball::scripted {

/// Whether a condition comes to hold, for what happens on threads that a test does not own. Looks
/// again and again; a few seconds are for machines that are busy.
template <typename Condition>
bool Eventually(Clock& clock, Condition condition,
                std::chrono::milliseconds patience = std::chrono::seconds(5)) {
  for (int i = 0; i < patience.count(); ++i) {
    if (condition()) return true;
    clock.SleepFor(std::chrono::milliseconds(1));
  }
  return condition();
}

}  // namespace flyball::scripted
