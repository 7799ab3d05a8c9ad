#include "flyball/controllers/common/terminating_namespace_backoff.h"

namespace flyball::controllers::common {

std::optional<std::chrono::nanoseconds> TerminatingNamespaceBackoff::Wait(
    const api::ObjectKey& owner, const std::string& uid) const {
  const SteadyTime now = clock_.SteadyNow();
  MutexLock lock(mutex_);
  const auto found = refusals_.find(owner);
  if (found == refusals_.end() || found->second.uid != uid) return std::nullopt;
  if (found->second.until <= now) return std::nullopt;
  return found->second.until - now;
}

void TerminatingNamespaceBackoff::Refused(const api::ObjectKey& owner, const std::string& uid) {
  const SteadyTime until = clock_.SteadyNow() + kRetryAfter;
  MutexLock lock(mutex_);
  refusals_.insert_or_assign(owner, Refusal{uid, until});
}

void TerminatingNamespaceBackoff::Gone(const api::ObjectKey& owner) {
  MutexLock lock(mutex_);
  refusals_.erase(owner);
}

}  // namespace flyball::controllers::common
