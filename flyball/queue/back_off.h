#pragma once

#include <chrono>
#include <optional>

namespace flyball::queue {

/// How long a key waits before it is tried again: twice as long each time, and all retries of a
/// tenant together no faster than a bucket allows. The numbers are upstream's.
// DIVERGES: upstream has one bucket for the whole queue, so that the failing keys of one namespace
// put off the retries of all others, by hours where they are many.
struct BackOff {
  struct Overall {
    double per_second = 10;
    double burst = 100;
  };
  std::chrono::nanoseconds first = std::chrono::milliseconds(5);
  std::chrono::nanoseconds longest = std::chrono::seconds(1000);
  std::optional<Overall> overall = Overall();  ///< none: keys do not slow each other down
};

/// The delay of a key that has been tried again `retries` times before: what is its own of it.
std::chrono::nanoseconds OwnDelay(const BackOff& back_off, int retries);

}  // namespace flyball::queue
