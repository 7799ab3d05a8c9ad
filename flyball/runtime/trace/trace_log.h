#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/runtime/lru_cache.h"
#include "flyball/runtime/trace/turn_ring.h"

namespace flyball::runtime {

/// The last turns of the keys of a queue. Of very many keys, those that nothing has happened to for
/// longest are forgotten. Any thread.
class TraceLog {
 public:
  static constexpr std::size_t kMostKeys = 500;

  void Ended(std::string_view key, Turn turn);

  struct KeyTurns {
    std::string key;
    std::vector<Turn> turns;  ///< the oldest first
  };
  /// Of these keys, as far as they are known; of all, if none are named.
  std::vector<KeyTurns> Of(std::span<const std::string> keys) const;

 private:
  mutable Mutex mutex_;
  LruCache<TurnRing> keys_ FLYBALL_GUARDED_BY(mutex_){kMostKeys};
};

}  // namespace flyball::runtime
