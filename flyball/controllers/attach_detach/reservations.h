#pragma once

#include <map>
#include <string>
#include <vector>

#include "flyball/base/mutex.h"

namespace flyball::controllers::attach_detach {

/// Which node an exclusive volume is being attached to, until the caches show it. Nodes are looked
/// at each for itself, and two that want the same volume at the same moment would both find it
/// free. Who wants one reserves it, then looks where it is, and lets go of it again unless it has
/// begun to attach it.
///
/// Any thread.
class Reservations {
 public:
  /// False if it is another node's.
  bool Take(const std::string& volume, const std::string& node) {
    const MutexLock lock(mutex_);
    const auto [at, is_new] = nodes_.try_emplace(volume, node);
    return is_new || at->second == node;
  }
  void Release(const std::string& volume, const std::string& node) {
    const MutexLock lock(mutex_);
    const auto at = nodes_.find(volume);
    if (at != nodes_.end() && at->second == node) nodes_.erase(at);
  }
  /// The volumes that a node has.
  std::vector<std::string> Of(const std::string& node) const {
    const MutexLock lock(mutex_);
    std::vector<std::string> volumes;
    for (const auto& [volume, its] : nodes_) {
      if (its == node) volumes.push_back(volume);
    }
    return volumes;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string> nodes_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::attach_detach
