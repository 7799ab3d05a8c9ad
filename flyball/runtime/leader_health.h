#pragma once

#include <chrono>
#include <string_view>

#include "flyball/base/mutex.h"
#include "flyball/runtime/leader_elector.h"

namespace flyball::runtime {

/// The health check "leaderElection": fails if this process holds the lease and has not renewed it
/// within its length and `tolerance` beyond. A leader that cannot renew gives up by itself; one
/// that hangs does not, and is to be ended by whoever asks.
///
/// Can be made before there is an elector, since the endpoint is there first. Any thread.
class LeaderHealth {
 public:
  static constexpr std::string_view kName = "leaderElection";

  explicit LeaderHealth(std::chrono::nanoseconds tolerance) : tolerance_(tolerance) {}

  /// `elector` is asked from now on; null: nobody. Returns when nobody asks the one before any
  /// more.
  void Watch(const LeaderElector* elector) {
    MutexLock lock(mutex_);
    elector_ = elector;
  }

  Result<> Check() const {
    MutexLock lock(mutex_);
    return elector_ == nullptr ? Result<>() : elector_->Check(tolerance_);
  }

 private:
  const std::chrono::nanoseconds tolerance_;
  mutable Mutex mutex_;
  const LeaderElector* elector_ FLYBALL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace flyball::runtime
