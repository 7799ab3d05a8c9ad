#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "flyball/base/mutex.h"
#include "flyball/runtime/trace/cause.h"

namespace flyball::runtime {

/// What asked for a turn.
struct Asks {
  std::string first = {};  ///< empty if nobody said why
  std::uint32_t count = 0;

  friend bool operator==(const Asks&, const Asks&) = default;
};

/// What asks for the next turns of keys. It knows those that wait, and no others. Any thread.
template <typename Key>
class PendingAsks {
 public:
  /// The key is to have a turn, for what is being told of on this thread, if that is anything.
  /// Most that ask are not the first: to note those costs no allocation.
  void Asked(const Key& key) {
    const Cause* const cause = CauseScope::Current();
    const MutexLock lock(mutex_);
    Asks& asks = asks_[key];
    ++asks.count;
    if (cause != nullptr && asks.first.empty()) asks.first = cause->ToString();
  }
  /// Its turn begins: what asks from now on asks for the next.
  Asks Take(const Key& key) {
    const MutexLock lock(mutex_);
    const auto node = asks_.extract(key);
    return node.empty() ? Asks() : std::move(node.mapped());
  }

 private:
  Mutex mutex_;
  std::unordered_map<Key, Asks> asks_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::runtime
