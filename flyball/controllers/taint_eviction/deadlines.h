#pragma once

#include <optional>
#include <unordered_map>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/controllers/taint_eviction/plan.h"

namespace flyball::controllers::taint_eviction {

/// Which pods are to go, and when. Any thread; of one pod one at a time.
class Deadlines {
 public:
  std::optional<Deadline> Find(const api::ObjectKey& pod) const {
    MutexLock lock(mutex_);
    const auto at = deadlines_.find(pod);
    return at == deadlines_.end() ? std::nullopt : std::optional(at->second);
  }
  bool Has(const api::ObjectKey& pod) const {
    MutexLock lock(mutex_);
    return deadlines_.contains(pod);
  }
  void Set(const api::ObjectKey& pod, Deadline deadline) {
    MutexLock lock(mutex_);
    deadlines_.insert_or_assign(pod, std::move(deadline));
  }
  void Remove(const api::ObjectKey& pod) {
    MutexLock lock(mutex_);
    deadlines_.erase(pod);
  }

 private:
  mutable Mutex mutex_;
  std::unordered_map<api::ObjectKey, Deadline> deadlines_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::taint_eviction
