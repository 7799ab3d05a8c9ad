#include "flyball/operator/run.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include "flyball/api/uid.h"
#include "flyball/base/heap_care.h"
#include "flyball/base/mutex.h"
#include "flyball/base/randomness.h"
#include "flyball/base/termination_signals.h"
#include "flyball/operator/manager_term.h"
#include "flyball/runtime/line.h"

namespace flyball {
namespace {

using namespace std::chrono_literals;

/// This host's name and what makes us another than all others on it.
Result<std::string> NewIdentity(const api::RandomBits& random) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) {
    return Fail(ErrorCode::kIo, "this host does not tell its name");
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
  Result<std::unique_ptr<runtime::Line>> OpenLine(const std::string& purpose);
  Result<> OpenPort();
  std::unique_ptr<ManagerTerm> NewTerm(const std::shared_ptr<const transport::SendGate>& gate);
  runtime::Tenure::Options TenureOptions();
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
  transport::Network network_{executor_};
  const api::RandomBits random_ = ProcessRandom();
  std::stop_source stop_;

  std::string identity_;
  std::unique_ptr<runtime::Line> line_;
  std::unique_ptr<runtime::Line> election_;  // null: nobody to compete with
  runtime::LeaderHealth leader_health_{20s};

  Mutex mutex_;
  const ManagerTerm* term_ FLYBALL_GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<runtime::Tenure> tenure_;
  std::unique_ptr<HealthPort> port_;  // null: nothing is served
};

Result<> Process::Open() {
  signals_.Watch(executor_, [this](int signal) {
    log_.Info("Asked to stop; once more ends it at once", {{"signal", signal}});
    stop_.request_stop();
  });
  FLYBALL_TRY(identity_, NewIdentity(random_));
  FLYBALL_TRY(line_, OpenLine("caches"));
  if (options_.election) {
    FLYBALL_TRY(election_, OpenLine("leader-election"));
  }
  return options_.health ? OpenPort() : Result<>();
}

std::string Process::UserAgent(const std::string& purpose) const {
  return manager_.options().name + "/" + purpose + " flyball";
}

Result<std::unique_ptr<runtime::Line>> Process::OpenLine(const std::string& purpose) {
  return runtime::Line::Open({.executor = executor_,
                              .network = network_,
                              .metrics = manager_.metrics(),
                              .random = random_,
                              .log = log_},
                             options_.access, {.name = purpose, .user_agent = UserAgent(purpose)});
}

Result<> Process::OpenPort() {
  FLYBALL_TRY(
      port_,
      HealthPort::Open(
          {.executor = executor_, .network = network_, .metrics = manager_.metrics(), .log = log_},
          *options_.health));
  port_->health().Add(std::string(runtime::LeaderHealth::kName),
                      [this] { return leader_health_.Check(); });
  for (const auto& [name, check] : manager_.health_checks()) port_->health().Add(name, check);
  port_->ready().Add("caches", [this] { return Ready(); });
  for (const auto& [name, check] : manager_.ready_checks()) port_->ready().Add(name, check);
  log_.Info("Serving health and metrics", {{"url", port_->url()}});
  return {};
}

/// Who waits to lead is ready to.
Result<> Process::Ready() {
  const MutexLock lock(mutex_);
  if (term_ != nullptr) return term_->Ready();
  return election_ ? Result<>() : Fail(ErrorCode::kUnavailable, "not started yet");
}

std::unique_ptr<ManagerTerm> Process::NewTerm(
    const std::shared_ptr<const transport::SendGate>& gate) {
  auto term = std::make_unique<ManagerTerm>(
      manager_,
      ManagerTerm::Deps{.executor = executor_,
                        .timers = timers_,
                        .reader = line_->account().client(),
                        .open_account =
                            [this, gate](const std::string& controller) {
                              runtime::Account::Deps deps = line_->ForAccount(controller);
                              deps.gate = gate;
                              // How many turns there are at a time limits its requests.
                              return runtime::Account::Create(
                                  std::move(deps), options_.access,
                                  {.user_agent = UserAgent(controller), .event_line = controller});
                            },
                        .random = random_,
                        .log = log_});
  const MutexLock lock(mutex_);
  term_ = term.get();
  return term;
}

runtime::Tenure::Options Process::TenureOptions() {
  runtime::Tenure::Options tenure = {
      .make_term = [this](const auto& gate) { return NewTerm(gate); },
      .shutdown_timeout = options_.shutdown_timeout};
  if (!options_.election) return tenure;
  tenure.lock.emplace(
      runtime::Tenure::Lock{.deps = {.rest = election_->account().rest(),
                                     .clock = clock_,
                                     .random = random_,
                                     .log = log_,
                                     .metrics = runtime::LeaderElectionMetrics(manager_.metrics())},
                            .options = {.lease = options_.election->lease,
                                        .identity = identity_,
                                        .times = options_.election->times},
                            .health = leader_health_});
  return tenure;
}

Result<> Process::Work() {
  tenure_ = std::make_unique<runtime::Tenure>(executor_, log_, TenureOptions());
  FLYBALL_TRY(tenure_->Run(stop_.get_token()));
  log_.Info("Ended in order");
  return {};
}

}  // namespace

Result<> Run(Manager& manager, const RunOptions& options, const Logger& log) {
  auto process = std::make_unique<Process>(manager, options, log);
  FLYBALL_TRY(process->Open());
  auto ended = process->Work();
  // Who has lost the lease, or waits for turns that do not end, goes without them.
  if (!ended) [[maybe_unused]]
    Process* const given_up = process.release();
  return ended;
}

}  // namespace flyball
