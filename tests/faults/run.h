#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/client/discovery.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/simulation/scheduler.h"
#include "flyball/simulation/simulated_nodes.h"
#include "tests/faults/chronicle.h"
#include "tests/faults/incarnation.h"
#include "tests/faults/invariants.h"
#include "tests/faults/mishap.h"
#include "tests/parity/record.h"
#include "tests/parity/scenario.h"

namespace flyball::faults {

/// What came of a run.
struct Outcome {
  Result<parity::Record> record = parity::Record();
  std::vector<std::string> violations = {};  ///< of the invariants
  // What a manager's line saw, in its order: points are counted in these.
  std::vector<std::string> writes = {};
  std::vector<std::string> events = {};
  std::size_t met = 0;  ///< how many of the points came
};

/// A server, nodes with a scheduler, people who play a scenario, and a manager to which one thing
/// happens, all in one DeterministicExecutor: the same seed gives the same run up to that point.
/// For one thread, once.
class Run final : private Mishap::Managers {
 public:
  struct Options {
    const parity::Scenario& scenario;
    const std::vector<client::ServedResource>& served;  ///< see Served()
    std::vector<Point> points = {};
    std::uint64_t seed = 1;
    std::shared_ptr<LogSink> log = {};  ///< of the managers
    LogConfig logging = {.verbosity = 4};
    /// What a manager runs that gets these flags besides. None: all controllers, and no flags.
    std::function<Result<ManagerSetup>(const std::vector<std::string>& flags)> setup = {};
    std::vector<std::pair<std::string, std::string>> texts = {};  ///< see Portraitist
    simulation::Heartbeats heartbeats = {};
    std::chrono::nanoseconds least_settle = std::chrono::seconds(5);
    /// Held to the invariants, and managers stand for election. Then nothing is known of events and
    /// leases, which come and go as managers do.
    bool invariants = true;
    WallTime start = DeterministicExecutor::Options().start;
  };
  explicit Run(const Options& options);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  static Outcome Play(const Options& options);
  /// What every embedded server serves: asked for once, for all runs.
  static std::vector<client::ServedResource> Served();

 private:
  /// Somebody with all rights, and with a name of their own in what they write.
  struct Identity {
    Identity(Run& run, const std::string& user);
    Identity(Run& run, const std::string& user,
             std::unique_ptr<transport::Transport> its_transport);
    std::unique_ptr<transport::Transport> transport;
    client::RestClient rest;
    client::Client client{rest};
  };

  /// False if it did not come to its end.
  bool RunToEnd();
  void PlayAndWindUp();
  Result<parity::Record> PlayScenario();
  void Tell(const Happening& happening);
  void StartNodes();
  Result<> StartManager(const std::vector<std::string>& flags);
  Result<> RestartManager(const std::vector<std::string>& flags);
  /// Unless that one was followed by another already.
  void StartSuccessorOf(const Incarnation& manager);
  Incarnation& ManagerOf(const sandbox::Faults& line);
  /// Winds up one that has ended, or was killed, meanwhile.
  void Bury(Incarnation& manager);
  void JudgeHolds();
  bool disturbed() const;

  // For mishaps.
  void Replace(sandbox::Faults& line) override;
  void Restart(sandbox::Faults& line) override;
  void Succeed(sandbox::Faults& line) override;
  void AwaitEnd(sandbox::Faults& line) override;
  DeterministicExecutor::Process& ProcessOf(sandbox::Faults& line) override;
  void DeleteLease() override;

  void StartTask(const std::string& name, std::function<void()> task);

  const Options options_;
  DeterministicExecutor executor_;
  Timers timers_;
  const Logger log_;
  std::mt19937_64 dice_;
  sandbox::Sandbox sandbox_;
  // Before those who tell of changes.
  std::vector<std::unique_ptr<Incarnation>> managers_;  // the last is the one at work
  Outcome outcome_;
  Invariants invariants_;
  Chronicle chronicle_;
  Identity manager_identity_;
  Identity people_;
  Identity simulation_;
  client::RestMapper mapper_;
  cache::InformerFactory informers_;
  std::unique_ptr<simulation::SimulatedNodes> nodes_;
  std::unique_ptr<runtime::Controller> scheduler_;
  std::vector<std::unique_ptr<Mishap>> mishaps_;  // the first counts also where there is none
  std::set<const Incarnation*> followed_;         // by another, or soon
  std::set<const Incarnation*> killed_;
  bool done_ = false;

  Mutex mutex_;
  CondVar task_ended_;
  int tasks_ FLYBALL_GUARDED_BY(mutex_) = 0;  // that are to end before the run does
};

}  // namespace flyball::faults
