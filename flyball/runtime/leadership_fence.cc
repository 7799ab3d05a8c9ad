#include "flyball/runtime/leadership_fence.h"

#include <algorithm>

namespace flyball::runtime {

void LeadershipFence::Renewed(SteadyTime start, std::chrono::nanoseconds lease) {
  until_ = std::max(until_.load(), start + lease - lease / 10);
}

std::chrono::nanoseconds LeadershipFence::Left() const {
  const SteadyTime until = until_;
  if (closed_ || until == SteadyTime::min()) return std::chrono::nanoseconds::zero();
  return until - clock_.SteadyNow();
}

}  // namespace flyball::runtime
