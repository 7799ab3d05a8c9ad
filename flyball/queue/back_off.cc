#include "flyball/queue/back_off.h"

#include <algorithm>

namespace flyball::queue {
namespace {

/// first * 2^retries, but no more than `longest`.
std::chrono::nanoseconds Doubled(std::chrono::nanoseconds first, int retries,
                                 std::chrono::nanoseconds longest) {
  constexpr int kBits = 62;
  if (retries > kBits || first.count() > longest.count() >> retries) return longest;
  return std::chrono::nanoseconds(first.count() << retries);
}

}  // namespace

RetryLimiter::RetryLimiter(const BackOff& back_off, SteadyTime now)
    : first_(back_off.first), longest_(back_off.longest) {
  if (back_off.overall) {
    overall_.emplace(back_off.overall->per_second, back_off.overall->burst, now);
  }
}

std::chrono::nanoseconds RetryLimiter::Next(int retries, SteadyTime now) {
  const std::chrono::nanoseconds own = Doubled(first_, retries, longest_);
  return overall_ ? std::max(own, overall_->Take(now)) : own;
}

}  // namespace flyball::queue
