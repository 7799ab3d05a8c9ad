#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/client/resource.h"

namespace flyball::runtime {

/// Objects that are held until the caches show what was written to them, where a key stands for
/// many and is not held itself. Any thread.
class HeldObjects {
 public:
  /// By the text of a key that passed an object over: has it added.
  using Waiters = std::map<std::string, std::function<void()>>;

  void Add(const client::Resource& resource, const api::ObjectKey& object) {
    const MutexLock lock(mutex_);
    ++held_[{resource.QualifiedName(), object}].writes;
  }
  /// One of its writes is shown. Who waits for the object, if that was the last.
  Waiters Remove(const client::Resource& resource, const api::ObjectKey& object) {
    const MutexLock lock(mutex_);
    const auto found = held_.find({resource.QualifiedName(), object});
    if (found == held_.end() || --found->second.writes > 0) return {};
    Waiters waiters = std::move(found->second.waiters);
    held_.erase(found);
    return waiters;
  }
  bool Contains(const client::Resource& resource, const api::ObjectKey& object) const {
    const MutexLock lock(mutex_);
    return !held_.empty() && held_.contains({resource.QualifiedName(), object});
  }
  /// False if the object is not held any more.
  bool Wait(const client::Resource& resource, const api::ObjectKey& object, const std::string& key,
            std::function<void()> add) {
    const MutexLock lock(mutex_);
    const auto found = held_.find({resource.QualifiedName(), object});
    if (found == held_.end()) return false;
    found->second.waiters.insert_or_assign(key, std::move(add));
    return true;
  }

 private:
  struct Held {
    int writes = 0;
    Waiters waiters = {};
  };

  mutable Mutex mutex_;
  std::map<std::pair<std::string, api::ObjectKey>, Held> held_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::runtime
