#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/runtime/lru_cache.h"
#include "flyball/runtime/trace/reconcile_history.h"

namespace flyball::runtime {

/// The last reconciles of the keys of a queue. Of very many keys, those whose last reconcile is
/// longest ago are dropped. Any thread.
class TraceLog {
 public:
  static constexpr std::size_t kMostKeys = 500;

  void Ended(std::string_view key, ReconcileRecord record);

  struct KeyHistory {
    std::string key;
    std::vector<ReconcileRecord> records;  ///< the oldest first
  };
  /// Of these keys, as far as they are known; of all, if none are named.
  std::vector<KeyHistory> Of(std::span<const std::string> keys) const;

 private:
  mutable Mutex mutex_;
  LruCache<ReconcileHistory> keys_ FLYBALL_GUARDED_BY(mutex_){kMostKeys};
};

}  // namespace flyball::runtime
