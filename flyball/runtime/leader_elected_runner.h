#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/runtime/leader_elector.h"
#include "flyball/runtime/leader_health.h"
#include "flyball/transport/transport.h"

namespace flyball::runtime {

/// What runs while this process leads, or where there is no leader election: controllers, and the
/// caches that they read. Started once, stopped once, by one thread.
class Runnable {
 public:
  virtual ~Runnable() = default;
  /// Returns when all is under way, not when all is there.
  virtual Result<> Start(const std::stop_token& stop) = 0;
  /// Asks all to end. False if something has not by the deadline.
  [[nodiscard]] virtual bool Stop(SteadyTime deadline) = 0;
};

/// Runs a Runnable while this process holds the leader election lock, or, without leader election,
/// until a stop is requested.
///
/// A stop in order goes: controllers end what they are at, while the lock is still renewed; then
/// the lock is given back, and another manager takes over at once. Controllers that do not end in
/// time keep the lock with them: it runs out by itself, when nothing of theirs can leave any more.
// DIVERGES: upstream ends at once on SIGTERM, and the next leader waits for the lock to expire. (To
// release it is behind a feature gate there, which is off.)
class LeaderElectedRunner {
 public:
  struct Lock {
    LeaderElector::Deps deps;  ///< of which the fence is this class's own
    LeaderElector::Options options;
    LeaderHealth& health;
    std::function<void(const Lease& about, const std::string& message)> event = {};
  };
  struct Options {
    std::optional<Lock> lock = {};
    /// Makes the Runnable. All of its writes have to pass the fence, which is null without leader
    /// election.
    std::function<std::unique_ptr<Runnable>(std::shared_ptr<const transport::WriteFence> fence)>
        make_runnable;
    /// For controllers to end in; zero: for as long as they need.
    std::chrono::nanoseconds shutdown_timeout = std::chrono::seconds(10);
    /// Called once the controllers are on their way.
    std::function<void()> started = {};
  };

  LeaderElectedRunner(Executor& executor, Logger log, Options options);
  /// Waits for the controllers to end, however long that takes.
  ~LeaderElectedRunner();

  /// Returns when it is over: without an error if a stop was asked for, and all went in order.
  /// With kUnavailable the lock is lost, with kTimeout controllers have not ended: then the process
  /// has to end, whatever its threads are at. Once.
  Result<> Run(const std::stop_token& stop);

 private:
  Result<> RunUnderLock();
  /// From the start of the controllers to their end.
  Result<> Work();
  void BeginWork();
  /// A stop is asked for: of the work if there is any, else of the election.
  void OnStop();

  Executor& executor_;
  const Logger log_;
  const Options options_;
  const std::shared_ptr<LeadershipFence> fence_;
  std::stop_source election_stop_;
  std::stop_source work_stop_;
  std::unique_ptr<Runnable> runnable_;

  Mutex mutex_;
  CondVar work_ended_;
  bool works_ FLYBALL_GUARDED_BY(mutex_) = false;
  Result<> work_ FLYBALL_GUARDED_BY(mutex_);  // what became of it
};

}  // namespace flyball::runtime
