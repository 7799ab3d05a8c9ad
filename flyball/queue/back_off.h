#pragma once

#include <chrono>
#include <optional>

#include "flyball/base/clock.h"
#include "flyball/base/token_bucket.h"

namespace flyball::queue {

/// How long a key waits before it is tried again: twice as long each time, and all retries of the
/// queue together no faster than a bucket allows. The defaults are upstream's.
struct BackOff {
  struct Overall {
    double per_second = 10;
    double burst = 100;
  };
  std::chrono::nanoseconds first = std::chrono::milliseconds(5);
  std::chrono::nanoseconds longest = std::chrono::seconds(1000);
  std::optional<Overall> overall = Overall();  ///< none: keys do not slow each other down
};

/// What a BackOff comes to. Not for several threads at once.
class RetryLimiter {
 public:
  RetryLimiter(const BackOff& back_off, SteadyTime now);

  /// The delay of a key that has been tried again `retries` times before. Each call takes its share
  /// of the bucket.
  std::chrono::nanoseconds Next(int retries, SteadyTime now);

 private:
  const std::chrono::nanoseconds first_;
  const std::chrono::nanoseconds longest_;
  std::optional<TokenBucket> overall_;
};

}  // namespace flyball::queue
