#include "flyball/controllers/daemon_set/failed_pod_backoff.h"

#include <algorithm>

namespace flyball::controllers::daemon_set {

using std::chrono::nanoseconds;

std::optional<nanoseconds> FailedPodBackoff::Wait(const apps::v1::DaemonSet& set,
                                                  std::string_view node) const {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  const auto found = entries_.find(KeyOf(set, node));
  if (found == entries_.end()) return std::nullopt;
  const nanoseconds left = found->second.since + found->second.wait - now;
  return left > nanoseconds::zero() ? std::optional(left) : std::nullopt;
}

void FailedPodBackoff::Removed(const apps::v1::DaemonSet& set, std::string_view node) {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  const auto [entry, is_new] = entries_.try_emplace(KeyOf(set, node), Entry{kFirst, now});
  if (is_new) return;
  const bool forgotten = now - entry->second.since > kForgottenAfter;
  entry->second = {forgotten ? kFirst : std::min(2 * entry->second.wait, kLongest), now};
}

void FailedPodBackoff::Forget() {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  std::erase_if(entries_,
                [&](const auto& entry) { return now - entry.second.since > kForgottenAfter; });
}

std::string FailedPodBackoff::KeyOf(const apps::v1::DaemonSet& set, std::string_view node) {
  return set.metadata.uid + "/" + std::to_string(set.status.observedGeneration) + "/" +
         std::string(node);
}

}  // namespace flyball::controllers::daemon_set
