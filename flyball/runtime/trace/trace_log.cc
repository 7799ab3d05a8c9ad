#include "flyball/runtime/trace/trace_log.h"

#include <algorithm>
#include <utility>

namespace flyball::runtime {

void TraceLog::Ended(std::string_view key, ReconcileRecord record) {
  const MutexLock lock(mutex_);
  keys_.Use(key).value.Add(std::move(record));
}

std::vector<TraceLog::KeyHistory> TraceLog::Of(std::span<const std::string> keys) const {
  std::vector<KeyHistory> found;
  const MutexLock lock(mutex_);
  keys_.ForEach([&](const std::string& key, const ReconcileHistory& records) {
    if (!keys.empty() && std::ranges::find(keys, key) == keys.end()) return;
    found.push_back({.key = key, .records = records.Records()});
  });
  return found;
}

}  // namespace flyball::runtime
