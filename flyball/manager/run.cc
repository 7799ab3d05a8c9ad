#include "flyball/manager/run.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/uid.h"
#include "flyball/base/executor.h"
#include "flyball/base/heap_trim.h"
#include "flyball/base/mutex.h"
#include "flyball/base/randomness.h"
#include "flyball/base/termination_signals.h"
#include "flyball/endpoints/build_metrics.h"
#include "flyball/manager/controller_host.h"
#include "flyball/manager/controller_settings.h"
#include "flyball/manager/secure_server.h"
#include "flyball/manager/user_agent.h"
#include "flyball/runtime/api_server_connection.h"
#include "flyball/runtime/core_event_recorder.h"
#include "flyball/runtime/leader_elected_runner.h"
#include "flyball/runtime/service_account_tokens.h"

namespace flyball::manager {
namespace {

using namespace std::chrono_literals;
using Owner = LeaderMigration::Owner;
using runtime::ApiServerConnection;
using runtime::LeaderElectedRunner;

constexpr std::string_view kComponent = "kube-controller-manager";
/// Where the controllers' service accounts are.
constexpr std::string_view kAccountNamespace = "kube-system";

/// This host's name and what makes us another than all others on it.
Result<std::string> NewIdentity(const api::RandomBits& random) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) {
    return Fail(ErrorCode::kIo, "unable to get hostname");
  }
  return std::string(name.data()) + "_" + api::NewUid(random);
}

Result<client::Encoding> EncodingFrom(const std::string& content_type) {
  if (content_type == "application/vnd.kubernetes.protobuf") return client::Encoding::kProtobuf;
  if (content_type == "application/json") return client::Encoding::kJson;
  return Fail(ErrorCode::kInvalid,
              "--kube-api-content-type must be application/vnd.kubernetes.protobuf or "
              "application/json, but got \"" +
                  content_type + "\"");
}

ApiServerConnection::Options ConnectionOptions(
    const std::string& name, client::Encoding encoding = client::Encoding::kProtobuf,
    std::shared_ptr<client::RequestLimiter> limiter = {}) {
  return {.name = name,
          .user_agent = UserAgent(name),
          .encoding = encoding,
          .limiter = std::move(limiter)};
}

/// The process, from its first connection to its last. What is declared first ends last.
class Manager {
 public:
  Manager(const Options& options, const flags::FlagSet& flags, Logger log)
      : options_(options), flags_(flags), log_(std::move(log)) {}
  ~Manager() {
    if (secure_server_) secure_server_->Close(1s);
  }

  /// Everything up to the election. A failure leaves nothing behind.
  Result<> Open();
  /// Stands for election, works, and ends in order when asked to. After a failure, threads may be
  /// at anything, and this must not be destroyed.
  Result<> Work();

 private:
  Result<> OpenConnections();
  Result<> OpenSecureServer();
  std::shared_ptr<client::RequestLimiter> NewLimiter(int rate_factor, int burst_factor);
  Result<std::unique_ptr<runtime::ClientIdentity>> OpenIdentity(
      const controllers::Entry& entry, const std::shared_ptr<const transport::WriteFence>& fence);

  /// Runs the controllers of this owner, under the lock of this name where there are locks.
  std::unique_ptr<LeaderElectedRunner> NewRunner(Owner owner, const std::string& lock,
                                                 runtime::LeaderHealth& health);
  void Launch(LeaderElectedRunner& runner);
  std::unique_ptr<ControllerHost> NewHost(
      Owner owner, const std::shared_ptr<const transport::WriteFence>& fence);
  void HostStarted(Owner owner);
  const ControllerHost* HostOf(Owner owner);
  std::vector<const ControllerHost*> Hosts();
  std::vector<endpoints::ControllerReport> Report(std::size_t most_keys);
  std::vector<runtime::ControllerTrace> Trace(const runtime::TraceQuery& query);

  const Options& options_;
  const flags::FlagSet& flags_;
  const Logger log_;
  RealClock clock_;
  ElasticExecutor executor_{clock_};
  TerminationSignals signals_;  // before there are threads
  Timers timers_{executor_};
  HeapTrimmer heap_trimmer_{timers_};
  transport::Network network_{executor_};  // watches, and all that controllers ask and write
  // Threads of their own, so that nothing that blocks the one above, a handler or much to decode,
  // costs the lease or leaves probes without an answer.
  std::optional<transport::Network> election_network_;  // none: there is no election
  std::optional<transport::Network> serving_network_;   // none: nothing is served
  MetricRegistry metrics_;
  const api::RandomBits random_ = ProcessRandom();
  std::stop_source stop_;

  controllers::Settings settings_;
  client::AccessConfig access_;
  client::Encoding encoding_ = client::Encoding::kProtobuf;
  std::string identity_;
  std::unique_ptr<ApiServerConnection> own_;
  std::unique_ptr<ApiServerConnection> election_;
  std::unique_ptr<ApiServerConnection> service_accounts_;  // null: controllers act as the manager
  std::unique_ptr<runtime::EventRecorder> events_;
  runtime::LeaderHealth health_{20s};
  runtime::LeaderHealth migration_health_{20s};

  Mutex mutex_;
  CondVar ended_;
  std::size_t working_ FLYBALL_GUARDED_BY(mutex_) = 0;  // runners
  std::optional<Error> failure_ FLYBALL_GUARDED_BY(mutex_);
  std::map<Owner, const ControllerHost*> hosts_ FLYBALL_GUARDED_BY(mutex_);

  std::unique_ptr<LeaderElectedRunner> runner_;
  std::unique_ptr<LeaderElectedRunner> migration_;  // null: controllers do not move
  std::unique_ptr<SecureServer> secure_server_;     // null: nothing is served
};

Result<> Manager::Open() {
  log_.Info("Starting", {{"version", options_.versions.reported()}});
  signals_.Watch(executor_, [this](int signal) {
    log_.Info("Received signal, shutting down",
              {{"signal", signal}, {"secondSignal", "ends the process at once"}});
    stop_.request_stop();
  });
  if (const auto missing = MissingControllers(options_); !missing.empty()) {
    log_.Error("Controllers are enabled but not implemented", {{"controllers", missing}});
  }
  for (const std::string_view name : DisabledControllers(options_)) {
    log_.Info("Warning: controller is disabled", {{"controller", name}});
  }
  endpoints::RecordBuildInfo(metrics_, endpoints::BuildInfo::Own());
  endpoints::RecordFeatures(metrics_, options_.versions.gates.States());
  const EffectiveVersion& version = options_.versions.gates.version();
  endpoints::RecordCompatibility(metrics_,
                                 {.component = std::string(kKubeComponent),
                                  .binary = std::string(kGitVersion.substr(1)),
                                  .emulation = version.emulated.ToString(),
                                  .min_compatibility = version.min_compatibility.ToString()});
  const ClientOptions& client = options_.generic.client;
  FLYBALL_TRY(encoding_, EncodingFrom(client.content_type));
  FLYBALL_TRY(access_, client::ComponentAccess(client.kubeconfig, client.master, {}, log_));
  FLYBALL_TRY(settings_, SettingsFrom(options_, access_));
  FLYBALL_TRY(identity_, NewIdentity(random_));
  FLYBALL_TRY(OpenConnections());
  return options_.secure_serving.port == 0 ? Result<>() : OpenSecureServer();
}

Result<> Manager::OpenConnections() {
  const ApiServerConnection::Deps deps = {.executor = executor_,
                                          .network = network_,
                                          .metrics = metrics_,
                                          .random = random_,
                                          .log = log_};
  FLYBALL_TRY(
      own_, ApiServerConnection::Open(
                deps, access_, ConnectionOptions("shared-informers", encoding_, NewLimiter(1, 1))));
  events_ = runtime::CoreEventsTo(own_->identity().events())(std::string(kComponent));
  if (options_.generic.leader_election.elect) {
    const ApiServerConnection::Deps apart = {
        .executor = executor_,
        .network = election_network_.emplace(executor_, "network/lease"),
        .metrics = metrics_,
        .random = random_,
        .log = log_};
    FLYBALL_TRY(election_,
                ApiServerConnection::Open(apart, access_, ConnectionOptions("leader-election")));
  }
  if (options_.cloud.use_service_account_credentials) {
    FLYBALL_TRY(service_accounts_,
                ApiServerConnection::Open(deps, runtime::WithoutIdentity(access_),
                                          ConnectionOptions("controllers")));
  }
  return {};
}

Result<> Manager::OpenSecureServer() {
  FLYBALL_TRY(
      secure_server_,
      SecureServer::Open(
          {.executor = executor_,
           .timers = timers_,
           .network = serving_network_.emplace(executor_, "network/port"),
           .metrics = metrics_,
           .random = random_,
           .flags = flags_,
           .report_controllers = [this](std::size_t most) { return Report(most); },
           .trace_controllers = [this](const runtime::TraceQuery& query) { return Trace(query); },
           .log = log_},
          options_, stop_.get_token()));
  if (!election_) return {};
  secure_server_->health().Add(std::string(runtime::LeaderHealth::kName), [this]() -> Result<> {
    FLYBALL_TRY(health_.Check());
    return migration_health_.Check();
  });
  return {};
}

std::shared_ptr<client::RequestLimiter> Manager::NewLimiter(int rate_factor, int burst_factor) {
  const ClientOptions& client = options_.generic.client;
  if (!client.limit_given) return std::make_shared<client::AdaptiveLimiter>(clock_);
  if (client.qps < 0) return nullptr;
  return std::make_shared<client::FixedLimiter>(
      clock_, client.qps * static_cast<float>(rate_factor), client.burst * burst_factor);
}

Result<std::unique_ptr<runtime::ClientIdentity>> Manager::OpenIdentity(
    const controllers::Entry& entry, const std::shared_ptr<const transport::WriteFence>& fence) {
  const bool as_manager = !service_accounts_ || entry.service_account.empty();
  const std::string name(entry.name);
  runtime::ClientIdentity::Deps deps = (as_manager ? own_ : service_accounts_)->IdentityDeps(name);
  deps.fence = fence;
  deps.limiter = NewLimiter(entry.rate_factor, entry.burst_factor);
  runtime::ClientIdentity::Options options = {
      .user_agent = UserAgent(name), .encoding = encoding_, .event_source = name};
  if (as_manager)
    return runtime::ClientIdentity::Create(std::move(deps), access_, std::move(options));

  const api::ObjectKey account = {std::string(kAccountNamespace),
                                  std::string(entry.service_account)};
  options.user_agent =
      UserAgent("system:serviceaccount:" + account.namespace_ + ":" + account.name);
  options.issue = runtime::ServiceAccountTokens({own_->identity().client(), clock_, log_}, account);
  return runtime::ClientIdentity::Create(std::move(deps), runtime::WithoutIdentity(access_),
                                         std::move(options));
}

Result<> Manager::Work() {
  const GenericOptions& generic = options_.generic;
  runner_ = NewRunner(Owner::kMainLock, generic.leader_election.resource_name, health_);
  if (election_ && generic.leader_migration.enabled) {
    migration_ = NewRunner(Owner::kMigrationLock, generic.leader_migration.migration.leader_name,
                           migration_health_);
  }
  Launch(*runner_);
  MutexLock lock(mutex_);
  clock_.Wait(lock, ended_,
              [this]() FLYBALL_REQUIRES(mutex_) { return working_ == 0 || failure_; });
  if (failure_) return std::unexpected(*failure_);
  log_.Info("Shutdown complete");
  return {};
}

std::unique_ptr<LeaderElectedRunner> Manager::NewRunner(Owner owner, const std::string& lock,
                                                        runtime::LeaderHealth& health) {
  LeaderElectedRunner::Options runner = {
      .make_runnable = [this, owner](const auto& fence) { return NewHost(owner, fence); },
      .shutdown_timeout = options_.generic.controller_shutdown_timeout,
      .started = [this, owner] { HostStarted(owner); }};
  if (election_) {
    const LeaderElectionOptions& election = options_.generic.leader_election;
    runner.lock.emplace(LeaderElectedRunner::Lock{
        .deps = {.rest = election_->identity().rest(),
                 .clock = clock_,
                 .random = random_,
                 .log = log_,
                 .metrics = runtime::LeaderElectionMetrics(metrics_)},
        .options = {.lease = {election.resource_namespace, lock},
                    .identity = identity_,
                    .times = {.duration = election.lease_duration,
                              .renew_deadline = election.renew_deadline,
                              .retry_period = election.retry_period}},
        .health = health,
        .event = [this](const runtime::Lease& about, const std::string& message) {
          events_->Event(about, runtime::EventType::kNormal, "LeaderElection", message);
        }});
  }
  return std::make_unique<LeaderElectedRunner>(executor_, log_, std::move(runner));
}

void Manager::Launch(LeaderElectedRunner& runner) {
  {
    const MutexLock lock(mutex_);
    ++working_;
  }
  executor_.Start("manager/runner", [this, &runner] {
    const auto ended = runner.Run(stop_.get_token());
    const MutexLock lock(mutex_);
    --working_;
    if (!ended && !failure_) failure_ = ended.error();
    ended_.NotifyAll();
  });
}

std::unique_ptr<ControllerHost> Manager::NewHost(
    Owner owner, const std::shared_ptr<const transport::WriteFence>& fence) {
  const LeaderMigration& migration = options_.generic.leader_migration.migration;
  std::vector<const controllers::Entry*> controllers;
  for (const controllers::Entry* entry : EnabledControllers(options_)) {
    if (migration.OwnerOf(entry->name) == owner) controllers.push_back(entry);
  }
  auto host = std::make_unique<ControllerHost>(
      ControllerHost::Deps{
          .executor = executor_,
          .timers = timers_,
          .own = own_->identity(),
          .open_identity =
              [this, fence](const controllers::Entry& entry) { return OpenIdentity(entry, fence); },
          .random = random_,
          .metrics = metrics_,
          .log = log_},
      ControllerHost::Options{.controllers = std::move(controllers),
                              .settings = settings_,
                              .start_interval = options_.generic.controller_start_interval});
  const MutexLock lock(mutex_);
  hosts_[owner] = host.get();
  return host;
}

void Manager::HostStarted(Owner owner) {
  if (secure_server_) {
    // PARITY: a controller that is there is well. What holds it up, /debug/controllers shows.
    for (const endpoints::ControllerReport& controller : HostOf(owner)->Report(0)) {
      secure_server_->health().Add(controller.name, [] { return Result<>(); });
    }
  }
  // Not before we have the main lock, so that no two managers have one lock each.
  if (owner == Owner::kMainLock && migration_) Launch(*migration_);
}

std::vector<const ControllerHost*> Manager::Hosts() {
  const MutexLock lock(mutex_);
  const auto hosts = std::views::values(hosts_);
  return {hosts.begin(), hosts.end()};
}

const ControllerHost* Manager::HostOf(Owner owner) {
  const MutexLock lock(mutex_);
  return hosts_.at(owner);
}

std::vector<endpoints::ControllerReport> Manager::Report(std::size_t most_keys) {
  std::vector<endpoints::ControllerReport> all;
  for (const ControllerHost* const host : Hosts()) {
    std::ranges::move(host->Report(most_keys), std::back_inserter(all));
  }
  return all;
}

std::vector<runtime::ControllerTrace> Manager::Trace(const runtime::TraceQuery& query) {
  std::vector<runtime::ControllerTrace> all;
  for (const ControllerHost* const host : Hosts()) {
    std::ranges::move(host->Trace(query), std::back_inserter(all));
  }
  return all;
}

}  // namespace

Result<> Run(const Options& options, const flags::FlagSet& flags, const Logger& log) {
  auto manager = std::make_unique<Manager>(options, flags, log);
  FLYBALL_TRY(manager->Open());
  auto ended = manager->Work();
  // Who has lost the lock, or waits for controllers that do not end, goes without them.
  if (!ended) [[maybe_unused]]
    Manager* const given_up = manager.release();
  return ended;
}

}  // namespace flyball::manager
