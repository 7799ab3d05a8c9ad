#pragma once

#include <map>
#include <string>
#include <utility>

#include "flyball/api/views.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/attach_detach/memory.h"

namespace flyball::controllers::attach_detach {

/// What is remembered of all nodes, and how those were that are gone. A node's memory is read and
/// written by who plans for that node, and nobody plans twice for one at a time. Any thread.
class MemoryTable {
 public:
  NodeMemory Of(const std::string& node) const {
    const MutexLock lock(mutex_);
    const auto at = memories_.find(node);
    return at == memories_.end() ? NodeMemory() : at->second;
  }
  void Put(const std::string& node, NodeMemory memory) {
    const MutexLock lock(mutex_);
    if (memory.empty()) {
      memories_.erase(node);
    } else {
      memories_.insert_or_assign(node, std::move(memory));
    }
  }

  void Came(const std::string& node) {
    const MutexLock lock(mutex_);
    gone_.erase(node);
  }
  void Went(const std::string& node, cache::Ref<views::Node> last) {
    const MutexLock lock(mutex_);
    gone_.insert_or_assign(node, std::move(last));
  }
  /// A node as it was when it went; null if nobody saw it go.
  cache::Ref<views::Node> LastOf(const std::string& node) const {
    const MutexLock lock(mutex_);
    const auto at = gone_.find(node);
    return at == gone_.end() ? nullptr : at->second;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, NodeMemory> memories_ FLYBALL_GUARDED_BY(mutex_);
  std::map<std::string, cache::Ref<views::Node>> gone_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::attach_detach
