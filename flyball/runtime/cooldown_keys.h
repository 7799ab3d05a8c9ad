#pragma once

#include <functional>
#include <map>
#include <utility>

#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"

namespace flyball::runtime {

/// Keys that are released at a given time. Any thread.
template <typename Key>
class CooldownKeys {
 public:
  /// `cooled_down` is called when the time of a key has come: on the task of the timers, or within
  /// Add() if it has passed already; with no lock held.
  CooldownKeys(Timers& timers, std::function<void(const Key&)> cooled_down)
      : clock_(timers.clock()),
        cooled_down_(std::move(cooled_down)),
        timer_(timers, [this] { Fire(); }) {}

  void Add(const Key& key, SteadyTime until) {
    if (until <= clock_.SteadyNow()) return cooled_down_(key);
    {
      MutexLock lock(mutex_);
      keys_.emplace(until, key);
    }
    timer_.FireBy(until);
  }

 private:
  void Fire() {
    const SteadyTime now = clock_.SteadyNow();
    std::multimap<SteadyTime, Key> cooled_down;
    {
      MutexLock lock(mutex_);
      while (!keys_.empty() && keys_.begin()->first <= now) {
        cooled_down.insert(keys_.extract(keys_.begin()));
      }
      if (!keys_.empty()) timer_.FireBy(keys_.begin()->first);
    }
    for (const auto& [until, key] : cooled_down) cooled_down_(key);
  }

  Clock& clock_;
  const std::function<void(const Key&)> cooled_down_;
  Mutex mutex_;
  std::multimap<SteadyTime, Key> keys_ FLYBALL_GUARDED_BY(mutex_);
  Timer timer_;  // the last, since it uses the others until it is gone
};

}  // namespace flyball::runtime
