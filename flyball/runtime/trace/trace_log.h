#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/runtime/lru_cache.h"
#include "flyball/runtime/trace/turn_ring.h"

namespace flyball::runtime {

/// The last turns of the keys of a queue, and what asks for the next. Of very many keys, those that
/// nothing has happened to for longest are forgotten. Any thread.
class TraceLog {
 public:
  static constexpr std::size_t kMostKeys = 2'000;

  /// What asked for a turn.
  struct Asks {
    std::string first = {};  ///< empty if nobody said why
    std::uint32_t count = 0;
  };
  /// The key is to have a turn, for what is being told of on this thread, if that is anything.
  void Asked(std::string_view key);
  /// Its turn begins: what asks from now on asks for the next.
  Asks TakeAsks(std::string_view key);
  void Ended(std::string_view key, Turn turn);

  struct KeyTurns {
    std::string key;
    std::vector<Turn> turns;  ///< the oldest first
  };
  /// Of these keys, as far as they are known; of all, if none are named.
  std::vector<KeyTurns> Of(std::span<const std::string> keys) const;

 private:
  struct KeyTrace {
    TurnRing turns;
    Asks asks;
  };

  mutable Mutex mutex_;
  LruCache<KeyTrace> keys_ FLYBALL_GUARDED_BY(mutex_){kMostKeys};
};

}  // namespace flyball::runtime
