#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "flyball/base/error.h"
#include "flyball/base/mutex.h"

namespace flyball::runtime {

/// Why keys failed when they were last reconciled, until they succeed. For people, so of very many
/// only some are remembered. Any thread.
template <typename Key>
class LastErrors {
 public:
  static constexpr std::size_t kMost = 1'000;

  void Failed(const Key& key, const Error& error) {
    MutexLock lock(mutex_);
    if (errors_.size() >= kMost && !errors_.contains(key)) return;
    errors_.insert_or_assign(key, error.Describe());
  }
  void Succeeded(const Key& key) {
    MutexLock lock(mutex_);
    errors_.erase(key);
  }

  std::unordered_map<Key, std::string> All() const {
    MutexLock lock(mutex_);
    return errors_;
  }

 private:
  mutable Mutex mutex_;
  std::unordered_map<Key, std::string> errors_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::runtime
