#include "flyball/runtime/leadership_fence.h"

#include <algorithm>

namespace flyball::runtime {

void LeadershipFence::Renewed(SteadyTime start, std::chrono::nanoseconds lease) {
  until_ = std::max(until_.load(), start + lease - lease / 10);
}

void LeadershipFence::Unsettled(SteadyTime until) const {
  SteadyTime known = unsettled_until_;
  while (known < until && !unsettled_until_.compare_exchange_weak(known, until)) {
  }
}

std::chrono::nanoseconds LeadershipFence::Left() const {
  const SteadyTime until = until_;
  if (closed_ || until == SteadyTime::min()) return std::chrono::nanoseconds::zero();
  return until - clock_.SteadyNow();
}

}  // namespace flyball::runtime
