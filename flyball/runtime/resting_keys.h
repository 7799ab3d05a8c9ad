#pragma once

#include <functional>
#include <map>
#include <utility>

#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"

namespace flyball::runtime {

/// Keys that wait for a moment to pass. Any thread.
template <typename Key>
class RestingKeys {
 public:
  /// `rested` is called on the task of the timers, or by who adds a key whose moment is over; with
  /// no lock held.
  RestingKeys(Timers& timers, std::function<void(const Key&)> rested)
      : clock_(timers.clock()), rested_(std::move(rested)), timer_(timers, [this] { Fire(); }) {}

  void Add(const Key& key, SteadyTime until) {
    if (until <= clock_.SteadyNow()) return rested_(key);
    {
      MutexLock lock(mutex_);
      keys_.emplace(until, key);
    }
    timer_.FireBy(until);
  }

 private:
  void Fire() {
    const SteadyTime now = clock_.SteadyNow();
    std::multimap<SteadyTime, Key> rested;
    {
      MutexLock lock(mutex_);
      while (!keys_.empty() && keys_.begin()->first <= now) {
        rested.insert(keys_.extract(keys_.begin()));
      }
      if (!keys_.empty()) timer_.FireBy(keys_.begin()->first);
    }
    for (const auto& [until, key] : rested) rested_(key);
  }

  Clock& clock_;
  const std::function<void(const Key&)> rested_;
  Mutex mutex_;
  std::multimap<SteadyTime, Key> keys_ FLYBALL_GUARDED_BY(mutex_);
  Timer timer_;  // the last, since it uses the others until it is gone
};

}  // namespace flyball::runtime
