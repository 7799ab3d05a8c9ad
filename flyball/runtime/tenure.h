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

/// What runs while this process may: controllers, and the caches that they read. For one tenure:
/// started once, stopped once, by one thread.
class Term {
 public:
  virtual ~Term() = default;
  /// Returns when all is under way, not when all is there.
  virtual Result<> Start(const std::stop_token& stop) = 0;
  /// Asks all to end. False if something has not by the deadline.
  [[nodiscard]] virtual bool Stop(SteadyTime deadline) = 0;
};

/// Runs controllers for as long as this process may: while it holds a lock, or, where there is
/// none, until it is asked to stop.
///
/// A stop in order goes: controllers end what they are at, while the lock is still renewed; then
/// the lock is given back, and another manager takes over at once. Controllers that do not end in
/// time keep the lock with them: it runs out by itself, when nothing of theirs can leave any more.
// DIVERGES: upstream dies of SIGTERM where it stands, and the next leader waits for the lock to run
// out. (To do as we do is a gate there, which is off.)
class Tenure {
 public:
  struct Lock {
    LeaderElector::Deps deps;  ///< of which the fence is this class's own
    LeaderElector::Options options;
    LeaderHealth& health;
    std::function<void(const Lease& about, const std::string& message)> event = {};
  };
  struct Options {
    std::optional<Lock> lock = {};
    /// Makes what runs; what it changes is to be held back by the gate, which may be null.
    std::function<std::unique_ptr<Term>(std::shared_ptr<const transport::SendGate> gate)> make_term;
    /// For controllers to end in; zero: for as long as they need.
    std::chrono::nanoseconds shutdown_timeout = std::chrono::seconds(10);
    /// Called once the controllers are on their way.
    std::function<void()> started = {};
  };

  Tenure(Executor& executor, Logger log, Options options);
  /// Waits for the controllers to end, however long that takes.
  ~Tenure();

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
  std::unique_ptr<Term> term_;

  Mutex mutex_;
  CondVar work_ended_;
  bool works_ FLYBALL_GUARDED_BY(mutex_) = false;
  Result<> work_ FLYBALL_GUARDED_BY(mutex_);  // what became of it
};

}  // namespace flyball::runtime
