#include "flyball/runtime/trace/trace_log.h"

#include <algorithm>
#include <utility>

namespace flyball::runtime {

void TraceLog::Ended(std::string_view key, Turn turn) {
  const MutexLock lock(mutex_);
  keys_.Use(key).value.Add(std::move(turn));
}

std::vector<TraceLog::KeyTurns> TraceLog::Of(std::span<const std::string> keys) const {
  std::vector<KeyTurns> found;
  const MutexLock lock(mutex_);
  keys_.ForEach([&](const std::string& key, const TurnRing& turns) {
    if (!keys.empty() && std::ranges::find(keys, key) == keys.end()) return;
    found.push_back({.key = key, .turns = turns.Turns()});
  });
  return found;
}

}  // namespace flyball::runtime
