#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/controllers/node_lifecycle/health_plan.h"

namespace flyball::controllers::node_lifecycle {

/// What is remembered of all nodes. One writes, who looks at all of them; any thread asks what that
/// one found a node to be, which the caches may not show yet.
class HealthTable {
 public:
  /// Null if it has not been seen. For who writes.
  const NodeMemory* Find(const std::string& node) const FLYBALL_NO_THREAD_SAFETY_ANALYSIS {
    const auto at = memories_.find(node);
    return at == memories_.end() ? nullptr : &at->second;
  }
  void Put(const std::string& node, NodeMemory memory) {
    MutexLock lock(mutex_);
    memories_.insert_or_assign(node, std::move(memory));
  }
  /// Those who are gone, each with what was remembered of it.
  template <typename IsThere>
  std::vector<std::pair<std::string, NodeMemory>> TakeMissing(IsThere is_there) {
    std::vector<std::pair<std::string, NodeMemory>> missing;
    MutexLock lock(mutex_);
    for (auto at = memories_.begin(); at != memories_.end();) {
      if (is_there(at->first)) {
        ++at;
        continue;
      }
      missing.emplace_back(at->first, std::move(at->second));
      at = memories_.erase(at);
    }
    return missing;
  }

  bool IsDoubted(const std::string& node) const {
    MutexLock lock(mutex_);
    const auto at = memories_.find(node);
    return at != memories_.end() && at->second.doubted;
  }
  /// Whether a node was found to be anything but ready.
  bool IsUnwell(const std::string& node) const {
    MutexLock lock(mutex_);
    const auto at = memories_.find(node);
    return at != memories_.end() && at->second.readiness != Readiness::kReady &&
           at->second.readiness != Readiness::kUnsaid;
  }

 private:
  mutable Mutex mutex_;
  std::unordered_map<std::string, NodeMemory> memories_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::node_lifecycle
