#pragma once

#include <chrono>

#include "flyball/base/clock.h"

namespace flyball {

/// A bucket that holds `burst` tokens and is filled at `rate` a second. A caller who finds it
/// empty takes from what is to come, and waits until that has. Starts full. Not for several threads
/// at once.
class TokenBucket {
 public:
  TokenBucket(double rate, double burst, SteadyTime now)
      : rate_(rate), burst_(burst), tokens_(burst), filled_(now) {}

  /// Takes one, and says how long to wait for it.
  std::chrono::nanoseconds Take(SteadyTime now);
  /// Takes one if it is there (to the nanosecond); else nothing is owed.
  [[nodiscard]] bool TryTake(SteadyTime now);
  /// Whether it is as a new one would be.
  bool IsFull(SteadyTime now) const { return TokensAt(now) >= burst_; }
  void SetRate(double rate, double burst, SteadyTime now);
  double rate() const { return rate_; }

 private:
  double TokensAt(SteadyTime now) const;
  void Fill(SteadyTime now);

  double rate_;
  double burst_;
  double tokens_;  // below zero: owed to those who wait
  SteadyTime filled_;
};

}  // namespace flyball
