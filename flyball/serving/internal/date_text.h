#pragma once

#include <chrono>
#include <string>

#include "flyball/base/clock.h"

namespace flyball::serving {

/// The time as answers say it: "Sun, 06 Nov 1994 08:49:37 GMT". Made once a second at most. On the
/// network thread.
class DateText {
 public:
  explicit DateText(const Clock& clock) : clock_(clock) {}

  const std::string& Now();

 private:
  const Clock& clock_;
  std::chrono::sys_seconds second_ = {};
  std::string text_ = {};  // of `second_`
};

}  // namespace flyball::serving
