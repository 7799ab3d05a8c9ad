#include "flyball/up/local_cluster.h"

#include <algorithm>
#include <utility>

#include "flyball/base/randomness.h"
#include "flyball/endpoints/trace_handler.h"
#include "flyball/runtime/client_identity.h"
#include "flyball/runtime/core_event_recorder.h"
#include "flyball/simulation/scheduler.h"

namespace flyball::up {
namespace {

constexpr std::string_view kManager = "system:kube-controller-manager";

/// The class of claims that name none.
constexpr std::string_view kDefaultClass = "standard";
/// Who attaches volumes to nodes. Nodes wait for it where the driver asks for that.
constexpr std::string_view kAttachDetach = "persistentvolume-attach-detach-controller";

/// Longer than any reconcile takes that has no socket to wait for.
constexpr std::chrono::seconds kPatience{5};

}  // namespace

LocalCluster::LocalCluster(Deps deps, Options options)
    : deps_(std::move(deps)), options_(std::move(options)) {}

LocalCluster::~LocalCluster() {
  const SteadyTime deadline = deps_.executor.clock().DeadlineAfter(kPatience);
  // Before the controllers, about which others may ask over a socket.
  if (sandbox_) sandbox_->StopListening();
  if (scheduler_) static_cast<void>(scheduler_->Stop(deadline));
  if (nodes_) static_cast<void>(nodes_->Stop(deadline));
  if (storage_) static_cast<void>(storage_->Stop(deadline));
  if (informers_) informers_->Stop();
  scheduler_.reset();
  nodes_.reset();
  storage_.reset();
  host_.reset();
}

Result<std::unique_ptr<LocalCluster>> LocalCluster::Start(Deps deps, Options options,
                                                          const std::stop_token& stop) {
  std::unique_ptr<LocalCluster> cluster(new LocalCluster(std::move(deps), std::move(options)));
  FLYBALL_TRY(cluster->StartServer());
  if (!cluster->options_.controllers.empty()) FLYBALL_TRY(cluster->StartControllers(stop));
  FLYBALL_TRY(cluster->StartNodes(stop));
  return cluster;
}

Result<> LocalCluster::StartServer() {
  FLYBALL_TRY(sandbox_, sandbox::Sandbox::Create({deps_.executor, deps_.timers, deps_.log},
                                                 {.folder = options_.data_dir,
                                                  .more_paths = [this](const auto& request) {
                                                    return AnswerPath(request);
                                                  }}));
  FLYBALL_TRY(access_, sandbox_->Listen({.port = options_.port}, &deps_.network));
  return {};
}

Result<std::unique_ptr<runtime::ClientIdentity>> LocalCluster::OpenIdentity(
    const std::string& user) {
  // The embedded server knows no roles: who is not of this group may do nothing.
  sessions_.push_back(sandbox_->As({.name = user, .groups = {"system:masters"}}));
  transport::Transport& server = sessions_.back()->transport();
  return runtime::ClientIdentity::Create(
      {.executor = deps_.executor,
       .transport = options_.on_the_way ? options_.on_the_way(server) : server,
       .random = ProcessRandom(),
       .log = deps_.log},
      client::AccessConfig(), {.user_agent = "kube-controller-manager/flyball-up"});
}

Result<> LocalCluster::StartControllers(const std::stop_token& stop) {
  FLYBALL_TRY(own_, OpenIdentity(std::string(kManager)));
  host_ = std::make_unique<manager::ControllerHost>(
      manager::ControllerHost::Deps{.executor = deps_.executor,
                                    .timers = deps_.timers,
                                    .own = *own_,
                                    .open_identity =
                                        [this](const controllers::Entry& entry) {
                                          if (entry.service_account.empty())
                                            return OpenIdentity(std::string(kManager));
                                          return OpenIdentity("system:serviceaccount:kube-system:" +
                                                              std::string(entry.service_account));
                                        },
                                    .random = ProcessRandom(),
                                    .metrics = metrics_,
                                    .log = deps_.log},
      manager::ControllerHost::Options{.controllers = options_.controllers,
                                       .settings = Settings()});
  FLYBALL_TRY(host_->Start(stop));
  running_ = host_.get();
  return {};
}

controllers::Settings LocalCluster::Settings() const {
  controllers::Settings settings;
  settings.service_account_token.root_ca = access_.authority_pem;
  settings.root_ca_publisher.root_ca = access_.authority_pem;
  settings.node_lifecycle = options_.pulse.lifecycle;
  return settings;
}

std::unique_ptr<cache::InformerFactory> LocalCluster::NewInformers() const {
  return std::make_unique<cache::InformerFactory>(
      cache::InformerFactory::Deps{.client = sandbox_->client(),
                                   .executor = deps_.executor,
                                   .timers = deps_.timers,
                                   .random = Fraction(ProcessRandom()),
                                   .log = deps_.log});
}

Result<> LocalCluster::MakeNodes() {
  events_ =
      std::make_unique<runtime::EventSink>(runtime::EventSink::Deps{.executor = deps_.executor,
                                                                    .client = sandbox_->client(),
                                                                    .random = ProcessRandom(),
                                                                    .log = deps_.log});
  const runtime::Controller::Deps harness{.client = sandbox_->client(),
                                          .informers = *informers_,
                                          .executor = deps_.executor,
                                          .timers = deps_.timers,
                                          .events = runtime::CoreEventsTo(*events_),
                                          .log = deps_.log};
  const std::string driver(simulation::kSimulatedDriver);
  FLYBALL_TRY(simulation::InstallStorage(sandbox_->client(),
                                         simulation::DescribeDriver(driver, Has(kAttachDetach)),
                                         simulation::DescribeClass(kDefaultClass, driver, true)));
  storage_ = std::make_unique<simulation::SimulatedStorage>(
      harness,
      simulation::SimulatedStorage::Options{.driver = driver, .timings = options_.storage});
  nodes_ = std::make_unique<simulation::SimulatedNodes>(
      simulation::SimulatedNodes::Deps{.harness = harness},
      simulation::SimulatedNodes::Options{
          .timings = options_.timings,
          // Somebody has to, and it is that controller's work where there is one.
          .heartbeats = {.lease = options_.pulse.lease,
                         .clear_not_ready_taint = !Has("node-lifecycle-controller")},
          .volumes = simulation::NodeVolumes{.driver = driver}});
  for (int i = 1; i <= options_.nodes; ++i) nodes_->Add("node-" + std::to_string(i));
  scheduler_ = simulation::MakeScheduler(harness, {.volumes = true});
  return {};
}

Result<> LocalCluster::StartNodes(const std::stop_token& stop) {
  informers_ = NewInformers();
  if (options_.nodes > 0) FLYBALL_TRY(MakeNodes());
  informers_->Start();
  if (!informers_->WaitForSync(stop)) return Fail(ErrorCode::kCancelled, "asked to stop");
  if (storage_) storage_->Start();
  if (nodes_) nodes_->Start();
  if (scheduler_) scheduler_->Start();
  return {};
}

bool LocalCluster::Has(std::string_view controller) const {
  return std::ranges::any_of(options_.controllers, [&](const controllers::Entry* entry) {
    return entry->name == controller;
  });
}

std::vector<runtime::ControllerTrace> LocalCluster::Trace(const runtime::TraceQuery& query) const {
  const manager::ControllerHost* const host = running_;
  return host != nullptr ? host->Trace(query) : std::vector<runtime::ControllerTrace>();
}

std::optional<sandbox::Answer> LocalCluster::AnswerPath(const sandbox::Request& request) const {
  const sandbox::RequestInfo& target = request.target;
  if (options_.controllers.empty() || target.path != std::vector<std::string>{"debug", "trace"}) {
    return std::nullopt;
  }
  const runtime::TraceQuery query{.controllers = target.query.All("controller"),
                                  .keys = target.query.All("key")};
  return sandbox::Answer{.body =
                             endpoints::TraceText(Trace(query), deps_.executor.clock().WallNow())};
}

std::vector<endpoints::ControllerReport> LocalCluster::Controllers() const {
  return host_ ? host_->Report(0) : std::vector<endpoints::ControllerReport>();
}

}  // namespace flyball::up
