#include "tests/cluster/simulated_cluster.h"

#include <algorithm>
#include <string>
#include <utility>

#include "flyball/api/kubelet_views.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 120s;

simulation::SimulatedNodes::Options NodeOptions(const SimulatedCluster::Options& options) {
  simulation::SimulatedNodes::Options made;
  made.timings = options.timings;
  made.heartbeats.lease = options.lease;
  made.heartbeats.clear_not_ready_taint = true;  // not every manager has who does that
  if (options.storage) {
    made.volumes = simulation::NodeVolumes{.driver = std::string(simulation::kSimulatedDriver)};
  }
  return made;
}

std::unique_ptr<simulation::SimulatedStorage> StorageFor(const runtime::Controller::Deps& harness,
                                                         const SimulatedCluster::Options& options) {
  if (!options.storage) return nullptr;
  return std::make_unique<simulation::SimulatedStorage>(
      harness, simulation::SimulatedStorage::Options{.timings = *options.storage});
}

}  // namespace

SimulatedCluster::SimulatedCluster(const ControlPlane& plane, Executor& executor,
                                   transport::Network& network, Options options)
    : executor_(executor),
      options_(std::move(options)),
      transport_(network, plane.TransportOptions(plane.IssueClientCertificate(
                              "simulation", {"system:masters"}, std::chrono::hours(12)))),
      rest_({.transport = transport_, .clock = executor.clock()}, {.user_agent = "simulation"}),
      timers_(executor),
      informers_({.client = client_,
                  .executor = executor,
                  .timers = timers_,
                  .random = [] { return 0.5; }}),
      harness_{.client = client_, .informers = informers_, .executor = executor, .timers = timers_},
      storage_(StorageFor(harness_, options_)),
      nodes_({.harness = harness_}, NodeOptions(options_)),
      scheduler_(simulation::MakeScheduler(harness_, {.volumes = options_.storage.has_value()})) {
  for (int i = 0; i < options_.nodes; ++i) nodes_.Add("node-" + std::to_string(i), options_.shape);
}

SimulatedCluster::~SimulatedCluster() {
  const SteadyTime soon = executor_.clock().DeadlineAfter(10s);
  (void)scheduler_->Stop(soon);
  (void)nodes_.Stop(soon);
  if (storage_) (void)storage_->Stop(soon);
  informers_.Stop();
}

Result<> SimulatedCluster::Start() {
  if (storage_) {
    FLYBALL_TRY(simulation::InstallStorage(
        client_, simulation::DescribeDriver(simulation::kSimulatedDriver, options_.attach_volumes),
        simulation::DescribeClass("standard", simulation::kSimulatedDriver, true)));
  }
  informers_.Start();
  if (!informers_.WaitForSync({})) return Fail(ErrorCode::kTimeout, "the caches are not filled");
  if (storage_) storage_->Start();
  nodes_.Start();
  scheduler_->Start();
  const SteadyTime deadline = executor_.clock().DeadlineAfter(kPatience);
  while (!NodesAreReady()) {
    if (executor_.clock().SteadyNow() > deadline) {
      return Fail(ErrorCode::kTimeout, "not all simulated nodes are ready");
    }
    executor_.clock().SleepFor(20ms);
  }
  return {};
}

bool SimulatedCluster::NodesAreReady() {
  const auto nodes = informers_.Of<views::KubeletNode>().lister().List();
  return std::ranges::count_if(nodes, [](const auto& node) { return node->spec.taints.empty(); }) >=
         options_.nodes;
}

}  // namespace flyball::cluster
