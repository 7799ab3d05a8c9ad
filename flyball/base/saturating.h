#pragma once

#include <chrono>

namespace flyball {

// Times and durations that come from API objects, annotations and flags. What does not fit into
// nanoseconds becomes the nearest that does, 292 years: a delay that is much too long is then a
// long one. With chrono's own operators it is undefined behaviour, and in practice a delay of
// nothing, which is over at once. Numbers that go to the API wrap instead: see wrapping.h.

/// chrono converts implicitly, and overflows: by this the duration of an int64 field of seconds
/// becomes one that can be reckoned with.
constexpr std::chrono::nanoseconds SaturatingNanoseconds(std::chrono::seconds duration) {
  using std::chrono::nanoseconds;
  // The casts round towards zero, so that both bounds fit.
  constexpr auto kLongest = std::chrono::duration_cast<std::chrono::seconds>(nanoseconds::max());
  constexpr auto kShortest = std::chrono::duration_cast<std::chrono::seconds>(nanoseconds::min());
  if (duration > kLongest) return nanoseconds::max();
  if (duration < kShortest) return nanoseconds::min();
  return duration;
}

/// The same of a number with a fraction. What is not a number is no time.
constexpr std::chrono::nanoseconds SaturatingNanoseconds(std::chrono::duration<double> duration) {
  using std::chrono::nanoseconds;
  constexpr double kLimit = 9223372036854775808.0;  // the first that does not fit
  const double count = duration.count() * 1e9;
  if (count != count) return nanoseconds::zero();
  if (count >= kLimit) return nanoseconds::max();
  if (count < -kLimit) return nanoseconds::min();
  return nanoseconds(static_cast<nanoseconds::rep>(count));
}

constexpr std::chrono::nanoseconds SaturatingAdd(std::chrono::nanoseconds a,
                                                 std::chrono::nanoseconds b) {
  std::chrono::nanoseconds::rep sum = 0;
  if (!__builtin_add_overflow(a.count(), b.count(), &sum)) return std::chrono::nanoseconds(sum);
  return b.count() > 0 ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds::min();
}

constexpr std::chrono::nanoseconds SaturatingSubtract(std::chrono::nanoseconds a,
                                                      std::chrono::nanoseconds b) {
  std::chrono::nanoseconds::rep difference = 0;
  if (!__builtin_sub_overflow(a.count(), b.count(), &difference)) {
    return std::chrono::nanoseconds(difference);
  }
  return b.count() < 0 ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds::min();
}

/// A moment that is so much later, or the last that there is.
template <typename Timeline>
constexpr auto SaturatingAdd(std::chrono::time_point<Timeline, std::chrono::nanoseconds> moment,
                             std::chrono::nanoseconds distance) {
  return decltype(moment)(SaturatingAdd(moment.time_since_epoch(), distance));
}

/// From the second moment to the first.
template <typename Timeline>
constexpr std::chrono::nanoseconds SaturatingSubtract(
    std::chrono::time_point<Timeline, std::chrono::nanoseconds> later,
    std::chrono::time_point<Timeline, std::chrono::nanoseconds> earlier) {
  return SaturatingSubtract(later.time_since_epoch(), earlier.time_since_epoch());
}

}  // namespace flyball
