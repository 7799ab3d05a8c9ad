#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "flyball/api/names.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/manager/controller_host.h"
#include "flyball/runtime/client_identity.h"
#include "flyball/runtime/leader_elected_runner.h"
#include "flyball/sandbox/faults.h"
#include "tests/faults/manager_setup.h"

namespace flyball::faults {

/// A manager from its start to its end: a process of its own, on a line to the server that is its
/// own. One that is killed hears nothing more and is heard no more; what is left of it then winds
/// itself up, of which nobody takes notice.
///
/// For tasks of a DeterministicExecutor.
class Incarnation {
 public:
  struct Deps {
    DeterministicExecutor& executor;
    transport::Transport& server;
    api::RandomBits random;
    ManagerSetup setup;
    /// With a name it stands for election, as upstream's manager does, with the same lease, times
    /// and fence.
    std::string candidate = {};
    Logger log = {};
  };
  explicit Incarnation(const Deps& deps);

  /// By which managers lead.
  static api::ObjectKey Lease() { return {"kube-system", "kube-controller-manager"}; }

  /// Returns when all controllers are at work: if it stands for election, not before it leads.
  Result<> Start();
  /// Ends in order, or, if nothing gets through any more, in pieces.
  void Stop();
  /// Returns when it has ended by itself, as one does that has lost its lease; false if it goes on
  /// until then.
  bool WaitUntilEnded(SteadyTime deadline);

  /// Can be paused, and given another date.
  DeterministicExecutor::Process& process() { return *process_; }
  sandbox::Faults& line() { return line_; }
  /// Whether it stands for election and its writes may leave.
  bool leads() const { return fence_ && fence_->IsOpen(); }
  /// The controllers that hold keys until caches show their writes: "deployment-controller: 2".
  std::vector<std::string> Holds() const;

 private:
  using Runner = runtime::LeaderElectedRunner;

  Runner::Options RunnerOptions();
  std::unique_ptr<manager::ControllerHost> MakeHost(
      std::shared_ptr<const transport::WriteFence> fence);
  Result<std::unique_ptr<runtime::ClientIdentity>> OpenIdentity(
      std::shared_ptr<const transport::WriteFence> fence);

  const Deps deps_;
  const std::unique_ptr<DeterministicExecutor::Process> process_;
  Timers timers_{*process_};
  sandbox::Faults line_;
  MetricRegistry metrics_;
  const std::unique_ptr<runtime::ClientIdentity> own_;
  runtime::LeaderHealth health_{std::chrono::seconds(20)};
  std::shared_ptr<const transport::WriteFence> fence_;
  manager::ControllerHost* host_ = nullptr;
  std::stop_source stop_;

  Mutex mutex_;
  CondVar changed_;
  bool started_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::optional<Result<>> ended_ FLYBALL_GUARDED_BY(mutex_);

  std::optional<Runner> runner_;  // goes first
};

}  // namespace flyball::faults
