#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "flyball/base/mutex.h"
#include "flyball/runtime/trace/cause.h"

namespace flyball::runtime {

/// What a reconcile was triggered by.
struct Triggers {
  std::string first = {};  ///< empty if no event triggered it
  std::uint32_t count = 0;

  friend bool operator==(const Triggers&, const Triggers&) = default;
};

/// The triggers of the next reconcile of each key that is waiting for one. Any thread.
template <typename Key>
class PendingTriggers {
 public:
  /// Notes that a key was added, because of the event that is being handled on this thread, if one
  /// is. A trigger that is not the first costs no allocation.
  void Add(const Key& key) {
    const Cause* const cause = CauseScope::Current();
    const MutexLock lock(mutex_);
    Triggers& triggers = triggers_[key];
    ++triggers.count;
    if (cause != nullptr && triggers.first.empty()) triggers.first = cause->ToString();
  }
  /// Called when the reconcile begins: later triggers are those of the next reconcile.
  Triggers Take(const Key& key) {
    const MutexLock lock(mutex_);
    const auto node = triggers_.extract(key);
    return node.empty() ? Triggers() : std::move(node.mapped());
  }

 private:
  Mutex mutex_;
  std::unordered_map<Key, Triggers> triggers_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::runtime
