#include "flyball/operator/run.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "flyball/api/uid.h"
#include "flyball/base/heap_trim.h"
#include "flyball/base/mutex.h"
#include "flyball/base/randomness.h"
#include "flyball/base/termination_signals.h"
#include "flyball/operator/manager_runnable.h"
#include "flyball/runtime/api_server_connection.h"

namespace flyball {
namespace {

using namespace std::chrono_literals;

/// This host's name and what makes us another than all others on it.
Result<std::string> NewIdentity(const api::RandomBits& random) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) {
    return Fail(ErrorCode::kIo, "unable to get hostname");
  }
  return std::string(name.data()) + "_" + api::NewUid(random);
}

/// The process, from its first connection to its last. What is declared first ends last.
class Process {
 public:
  Process(Manager& manager, const RunOptions& options, Logger log)
      : manager_(manager), options_(options), log_(std::move(log)) {}

  /// All that can be refused. A failure leaves nothing behind.
  Result<> Open();
  /// Works until it is told to end. After a failure this must not be destroyed.
  Result<> Work();

 private:
  Result<std::unique_ptr<runtime::ApiServerConnection>> OpenConnection(transport::Network& network,
                                                                       const std::string& purpose);
  Result<> OpenHealthServer();
  std::unique_ptr<ManagerRunnable> NewRunnable(
      const std::shared_ptr<const transport::WriteFence>& fence);
  runtime::LeaderElectedRunner::Options RunnerOptions();
  std::string UserAgent(const std::string& purpose) const;
  Result<> Ready();

  Manager& manager_;
  const RunOptions& options_;
  const Logger log_;
  RealClock clock_;
  ElasticExecutor executor_{clock_};
  TerminationSignals signals_;  // before there are threads
  Timers timers_{executor_};
  HeapTrimmer heap_trimmer_{timers_};
  transport::Network network_{executor_};  // watches, and all that controllers ask and write
  // Threads of their own, so that nothing that blocks the one above, an author's handler for one,
  // costs the lease or leaves probes without an answer.
  std::optional<transport::Network> election_network_;  // none: there is no election
  std::optional<transport::Network> health_network_;    // none: nothing is served
  const api::RandomBits random_ = ProcessRandom();
  std::stop_source stop_;

  std::string identity_;
  std::unique_ptr<runtime::ApiServerConnection> connection_;
  std::unique_ptr<runtime::ApiServerConnection> election_;  // null: nobody to compete with
  runtime::LeaderHealth leader_health_{20s};

  Mutex mutex_;
  const ManagerRunnable* runnable_ FLYBALL_GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<runtime::LeaderElectedRunner> runner_;
  std::unique_ptr<HealthServer> health_server_;  // null: nothing is served
};

Result<> Process::Open() {
  signals_.Watch(executor_, [this](int signal) {
    log_.Info("Received signal, shutting down",
              {{"signal", signal}, {"secondSignal", "ends the process at once"}});
    stop_.request_stop();
  });
  FLYBALL_TRY(identity_, NewIdentity(random_));
  FLYBALL_TRY(connection_, OpenConnection(network_, "caches"));
  if (options_.election) {
    FLYBALL_TRY(election_, OpenConnection(election_network_.emplace(executor_, "network/lease"),
                                          "leader-election"));
  }
  return options_.health ? OpenHealthServer() : Result<>();
}

std::string Process::UserAgent(const std::string& purpose) const {
  return manager_.options().name + "/" + purpose + " flyball";
}

Result<std::unique_ptr<runtime::ApiServerConnection>> Process::OpenConnection(
    transport::Network& network, const std::string& purpose) {
  return runtime::ApiServerConnection::Open({.executor = executor_,
                                             .network = network,
                                             .metrics = manager_.metrics(),
                                             .random = random_,
                                             .log = log_},
                                            options_.access,
                                            {.name = purpose, .user_agent = UserAgent(purpose)});
}

Result<> Process::OpenHealthServer() {
  FLYBALL_TRY(health_server_,
              HealthServer::Open({.executor = executor_,
                                  .network = health_network_.emplace(executor_, "network/port"),
                                  .metrics = manager_.metrics(),
                                  .log = log_},
                                 *options_.health));
  health_server_->health().Add(std::string(runtime::LeaderHealth::kName),
                               [this] { return leader_health_.Check(); });
  for (const auto& [name, check] : manager_.health_checks())
    health_server_->health().Add(name, check);
  health_server_->ready().Add("caches", [this] { return Ready(); });
  for (const auto& [name, check] : manager_.ready_checks())
    health_server_->ready().Add(name, check);
  log_.Info("Serving health and metrics", {{"url", health_server_->url()}});
  return {};
}

/// Who waits to lead is ready to.
Result<> Process::Ready() {
  const MutexLock lock(mutex_);
  if (runnable_ != nullptr) return runnable_->Ready();
  return election_ ? Result<>() : Fail(ErrorCode::kUnavailable, "controllers have not started yet");
}

std::unique_ptr<ManagerRunnable> Process::NewRunnable(
    const std::shared_ptr<const transport::WriteFence>& fence) {
  auto runnable = std::make_unique<ManagerRunnable>(
      manager_, ManagerRunnable::Deps{.executor = executor_,
                                      .timers = timers_,
                                      .reader = connection_->identity().client(),
                                      .open_identity =
                                          [this, fence](const std::string& controller) {
                                            runtime::ClientIdentity::Deps deps =
                                                connection_->IdentityDeps(controller);
                                            deps.fence = fence;
                                            // The number of concurrent reconciles limits its
                                            // requests.
                                            return runtime::ClientIdentity::Create(
                                                std::move(deps), options_.access,
                                                {.user_agent = UserAgent(controller),
                                                 .event_source = controller});
                                          },
                                      .random = random_,
                                      .log = log_});
  const MutexLock lock(mutex_);
  runnable_ = runnable.get();
  return runnable;
}

runtime::LeaderElectedRunner::Options Process::RunnerOptions() {
  runtime::LeaderElectedRunner::Options runner = {
      .make_runnable = [this](const auto& fence) { return NewRunnable(fence); },
      .shutdown_timeout = options_.shutdown_timeout};
  if (!options_.election) return runner;
  runner.lock.emplace(runtime::LeaderElectedRunner::Lock{
      .deps = {.rest = election_->identity().rest(),
               .clock = clock_,
               .random = random_,
               .log = log_,
               .metrics = runtime::LeaderElectionMetrics(manager_.metrics())},
      .options = {.lease = options_.election->lease,
                  .identity = identity_,
                  .times = options_.election->times},
      .health = leader_health_});
  return runner;
}

Result<> Process::Work() {
  runner_ = std::make_unique<runtime::LeaderElectedRunner>(executor_, log_, RunnerOptions());
  FLYBALL_TRY(runner_->Run(stop_.get_token()));
  log_.Info("Shutdown complete");
  return {};
}

}  // namespace

Result<> Run(Manager& manager, const RunOptions& options, const Logger& log) {
  auto process = std::make_unique<Process>(manager, options, log);
  FLYBALL_TRY(process->Open());
  auto ended = process->Work();
  // After a lost lease, and where reconciles do not end, the process ends without waiting.
  if (!ended) [[maybe_unused]]
    Process* const given_up = process.release();
  return ended;
}

}  // namespace flyball
