#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "flyball/api/names.h"
#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/runtime/leader_election_metrics.h"
#include "flyball/runtime/leadership_fence.h"
#include "flyball/runtime/lease_lock.h"
#include "flyball/runtime/lease_record.h"

namespace flyball::runtime {

/// Stands for election on a Lease of coordination.k8s.io/v1, with upstream's fields and
/// transitions, so that it can stand against upstream's own candidates. First come, first served.
///
///   const auto fence = std::make_shared<LeadershipFence>(clock);
///   client::RestClient election_rest({.transport = election_transport, .clock = clock}, {});
///   client::RestClient rest({.transport = transport, .clock = clock, .fence = fence}, {});
///
///   FLYBALL_TRY(const auto elector, LeaderElector::Create(
///       {.rest = election_rest, .clock = clock, .random = random, .fence = fence},
///       {.lease = {"kube-system", "shop"}, .identity = host + "_" + uuid},
///       {.started = [&] { executor.Start("shop/work", [&] { Work(rest); }); }}));
///   const auto ended = elector->Run(stop);
///   if (ended == LeaderElector::Ended::kStopped) elector->Release();
///
/// The elector's own requests go over a transport and a RestClient of their own, without a limiter
/// and without the fence, so that no load costs the leadership.
///
/// A clean stop goes: the work is told to end; meanwhile Run() goes on renewing; when the work has
/// ended, Run() is stopped, and Release() lets a standby take over at once. If the work does not
/// end in time, the process ends without Release(), and the lease runs out by itself.
///
/// Whether another's lease has run out is judged by when it was last seen to change, on our own
/// steady clock: never by the times in it, which are another machine's.
///
/// Run() and Release() by one thread, once; the rest by any.
class LeaderElector {
 public:
  struct Deps {
    client::RestClient& rest;
    Clock& clock;
    api::RandomBits random;
    std::shared_ptr<LeadershipFence> fence = {};  ///< none: nothing holds back late writes
    Logger log = {};
    LeaderElectionMetrics metrics = {};
  };
  struct Options {
    api::ObjectKey lease;
    std::string identity;  ///< no other candidate's, nor that of an earlier run of this one
    LeaseTimes times = {};
  };
  /// Called on the thread of Run(), which must not be held up: there is a lease to renew.
  struct Callbacks {
    std::function<void()> started = {};
    /// Before Run() returns, if `started` was called.
    // DIVERGES: upstream calls it also where it never led.
    std::function<void()> stopped = {};
    /// Somebody leads, who was not known to before: ourselves, too. Empty: nobody does.
    std::function<void(const std::string& identity)> new_leader = {};
    /// What upstream records as a LeaderElection event about the lease: "x became leader".
    std::function<void(const Lease& about, const std::string& message)> event = {};
  };
  enum class Ended {
    kStopped,  ///< it was asked to; if it leads, it still holds the lease
    kLost,     ///< it leads no more, and nothing that its fence guards leaves any more
  };

  /// kInvalid if the times do not go together, or if something is missing.
  static Result<std::unique_ptr<LeaderElector>> Create(Deps deps, Options options,
                                                       Callbacks callbacks);

  /// Waits for the lease, then renews it until it is lost. After a stop is asked for, it returns as
  /// soon as the request that is under way has ended.
  Ended Run(const std::stop_token& stop);

  /// Gives the lease back, after Run() was stopped; does nothing if it is not ours. From here on
  /// nothing that the fence guards leaves.
  Result<> Release();

  /// Whether the lease was ours when last seen. What may still be done is the fence's to say.
  bool IsLeader() const;
  /// Who held it when last seen; empty: nobody.
  std::string Leader() const;

  /// kTimeout if we ought to have given up for longer than `tolerance` ago, which only a process
  /// that hangs fails to do. A standby is always well.
  Result<> Check(std::chrono::nanoseconds tolerance) const;

  const LeaseTimes& times() const { return options_.times; }

 private:
  enum class Outcome {
    kHeld,
    kNotHeld,  ///< or not known: the server did not answer
    kTaken,    ///< by another, from us
    kGone,     ///< somebody deleted it, and we led: another may have made it and led since
  };

  LeaderElector(Deps deps, Options options, Callbacks callbacks);

  bool Acquire(const std::stop_token& stop);
  Ended Renew(const std::stop_token& stop);

  Outcome Try(SteadyTime deadline);
  bool RenewWhatWeSawLast(SteadyTime deadline);
  Outcome ReadAndWrite(SteadyTime deadline);
  Result<> Write(const Lease& lease, SteadyTime deadline);
  Outcome WriteRead(const Lease& lease, SteadyTime deadline);
  Outcome WriteMissing(SteadyTime now, SteadyTime deadline);
  Outcome WriteNew(SteadyTime deadline);
  Result<> Wrote(Result<Lease> written, SteadyTime start);
  Result<> TryRelease(SteadyTime deadline);
  Result<> FailedToReadForRelease(const Error& error) const;
  void LogFailedRenewal(const Error& why) const;

  bool StillHolds(SteadyTime now) const;
  void Observe(Lease lease);
  void ReportLeader();
  void Report(const char* message) const;
  std::chrono::nanoseconds TimeFor(SteadyTime deadline) const;
  std::chrono::nanoseconds Jittered() const;

  const Deps deps_;
  const Options options_;
  const Callbacks callbacks_;
  const LeaseLock lock_;

  // Of the thread of Run().
  std::optional<Lease> lease_;  // as the server had it when we last heard
  bool leads_ = false;
  std::string reported_;  // the leader that new_leader was told of

  mutable Mutex mutex_;
  std::string holder_ FLYBALL_GUARDED_BY(mutex_);
  SteadyTime changed_at_ FLYBALL_GUARDED_BY(mutex_);  // when we saw the lease's last change
};

}  // namespace flyball::runtime
