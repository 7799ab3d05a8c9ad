#include "benchmarks/managers/loads.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "flyball/api/batch/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/storage/v1.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
using cache::InformerFactory;

Nodes NodesForAll(const Size& size, const Stage::Touches& /*touches*/) {
  return NodesForPods(size.all());
}

Nodes NodesForDeployments(const Size& size, const Stage::Touches& touches) {
  int pods = size.all();
  for (const int others : touches.others) pods = std::max(pods, others + 1);
  return NodesForPods(pods);
}

/// Each has a pod of each, and those that go.
Nodes NodesForDaemons(const Size& size, const Stage::Touches& /*touches*/) {
  return {.count = size.each};
}

/// As often as kubelets do it.
Nodes NodesWithHeartbeats(const Size& size, const Stage::Touches& /*touches*/) {
  return {.count = size.count, .heartbeat = 10s};
}

/// With so many pods on each.
Nodes NodesToAttachTo(const Size& size, const Stage::Touches& /*touches*/) {
  return {.count = size.count};
}

template <typename... Kinds>
void Watch(InformerFactory& informers) {
  cluster::DeploymentFleet::Watch(informers);
  (static_cast<void>(informers.Of<Kinds>()), ...);
}

Goals DeploymentGoals(std::string_view phase, const Size& size) {
  Goals goals{.resident = 1.0 / 6};
  const bool is_large = size.all() >= 10'000;
  if (is_large) goals.resident = 0.1;
  if (phase == "start, nothing there") goals.resident = 0.2;
  if (phase == "start, all there" && is_large) goals.peak = 0.125;
  return goals;
}

Goals UsualGoals(std::string_view /*phase*/, const Size& /*size*/) { return {}; }

/// How long heartbeats are watched for is given.
Goals NodeGoals(std::string_view /*phase*/, const Size& /*size*/) { return {.wall = 0}; }

}  // namespace

std::optional<Size> Size::Parse(const std::string& text) {
  Size size;
  if (std::sscanf(text.c_str(), "%dx%d", &size.count, &size.each) != 2) return std::nullopt;
  if (size.count <= 0 || size.each <= 0) return std::nullopt;
  return size;
}

Nodes NodesForPods(int pods) {
  constexpr int kPodsOfANode = 100;
  return {.count = 2 * pods / kPodsOfANode + 2};
}

cluster::DeploymentFleet FleetIn(const Stage& stage, std::string space, int deployments, int pods) {
  return {{.client = stage.client(), .informers = stage.informers(), .clock = stage.clock()},
          std::move(space),
          {.deployments = deployments, .pods = pods}};
}

const std::vector<Load>& Loads() {
  static const std::vector<Load> kLoads = {
      {.name = "deployments",
       .size = {100, 20},
       .what = "%d deployments x %d pods in one namespace",
       .controllers = {"deployment-controller", "replicaset-controller"},
       .nodes = NodesForDeployments,
       .watch = Watch<>,
       .run = RunDeployments,
       .goals = DeploymentGoals},
      {.name = "daemonsets",
       .size = {50, 200},
       .what = "%d DaemonSets on %d nodes",
       .controllers = {"daemonset-controller"},
       .nodes = NodesForDaemons,
       .watch = Watch<apps::v1::DaemonSet>,
       .run = RunDaemonSets,
       .goals = UsualGoals},
      {.name = "statefulsets",
       .size = {100, 10},
       .what = "%d StatefulSets x %d pods",
       .controllers = {"statefulset-controller"},
       .nodes = NodesForAll,
       .watch = Watch<apps::v1::StatefulSet>,
       .run = RunStatefulSets,
       .goals = UsualGoals},
      {.name = "jobs",
       .size = {500, 10},
       .what = "%d jobs x %d completions",
       .controllers = {"job-controller"},
       .nodes = NodesForAll,
       .watch = Watch<batch::v1::Job>,
       .run = RunJobs,
       .goals = UsualGoals},
      {.name = "services",
       .size = {1000, 10},
       .what = "%d services x %d pods",
       .controllers = {"endpointslice-controller"},
       .nodes = NodesForAll,
       .watch = Watch<discovery::v1::EndpointSlice>,
       .run = RunServices,
       .goals = UsualGoals},
      {.name = "nodes",
       .size = {1000, 60},
       .what = "%d nodes, and their heartbeats for %d seconds",
       .controllers = {"node-lifecycle-controller"},
       .nodes = NodesWithHeartbeats,
       .watch = Watch<>,
       .run = RunNodes,
       .goals = NodeGoals},
      {.name = "claims",
       .size = {10, 100},
       .what = "%d namespaces x %d claims, for which volumes are made",
       .controllers = {"persistentvolume-binder-controller",
                       "persistentvolumeclaim-protection-controller",
                       "persistentvolume-protection-controller"},
       .nodes = NodesForAll,
       .watch = Watch<core::v1::PersistentVolumeClaim, core::v1::PersistentVolume>,
       .run = RunClaims,
       .goals = UsualGoals,
       .storage = true},
      {.name = "attach",
       .size = {50, 20},
       .what = "%d nodes x %d pods, each with a volume to be attached",
       .controllers = {"persistentvolume-binder-controller",
                       "persistentvolume-attach-detach-controller"},
       .nodes = NodesToAttachTo,
       .watch = Watch<core::v1::PersistentVolumeClaim, core::v1::PersistentVolume,
                      storage::v1::VolumeAttachment>,
       .run = RunAttachments,
       .goals = UsualGoals,
       .storage = true},
  };
  return kLoads;
}

const Load* FindLoad(std::string_view name) {
  const auto found = std::ranges::find(Loads(), name, &Load::name);
  return found == Loads().end() ? nullptr : &*found;
}

}  // namespace flyball::bench
