#include "flyball/runtime/trace/trace_log.h"

#include <algorithm>
#include <utility>

#include "flyball/runtime/trace/cause.h"

namespace flyball::runtime {

void TraceLog::Asked(std::string_view key) {
  const Cause* const cause = CauseScope::Current();
  const MutexLock lock(mutex_);
  Asks& asks = keys_.Use(key).value.asks;
  ++asks.count;
  if (cause != nullptr && asks.first.empty()) asks.first = cause->ToString();
}

TraceLog::Asks TraceLog::TakeAsks(std::string_view key) {
  const MutexLock lock(mutex_);
  KeyTrace* const trace = keys_.Find(key);
  return trace == nullptr ? Asks() : std::exchange(trace->asks, {});
}

void TraceLog::Ended(std::string_view key, Turn turn) {
  const MutexLock lock(mutex_);
  keys_.Use(key).value.turns.Add(std::move(turn));
}

std::vector<TraceLog::KeyTurns> TraceLog::Of(std::span<const std::string> keys) const {
  std::vector<KeyTurns> found;
  const MutexLock lock(mutex_);
  keys_.ForEach([&](const std::string& key, const KeyTrace& trace) {
    if (!keys.empty() && std::ranges::find(keys, key) == keys.end()) return;
    found.push_back({.key = key, .turns = trace.turns.Turns()});
  });
  return found;
}

}  // namespace flyball::runtime
