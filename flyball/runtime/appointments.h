#pragma once

#include <optional>
#include <unordered_map>

#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"

namespace flyball::runtime {

/// When keys are to be reconciled again. A work queue forgets that where a retry comes first, and
/// retries of a key that fails for long are far apart: a deadline would be noticed that late. Any
/// thread.
template <typename Key>
class Appointments {
 public:
  void Keep(const Key& key, SteadyTime at) {
    const MutexLock lock(mutex_);
    times_.insert_or_assign(key, at);
  }
  void Drop(const Key& key) {
    const MutexLock lock(mutex_);
    times_.erase(key);
  }
  std::optional<SteadyTime> Of(const Key& key) const {
    const MutexLock lock(mutex_);
    const auto found = times_.find(key);
    return found == times_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable Mutex mutex_;
  std::unordered_map<Key, SteadyTime> times_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::runtime
