#include "flyball/controllers/node_lifecycle/controller.h"

#include <string>

#include "flyball/controllers/common/node_index.h"
#include "flyball/controllers/node_lifecycle/reconciler.h"

namespace flyball::controllers::node_lifecycle {
namespace {

using api::ObjectKey;
using views::Node;
using views::Pod;

constexpr std::size_t kNodeWorkers = 8;
constexpr std::size_t kPodWorkers = 8;

using NodeQueue = runtime::ReconcileQueue<std::string>;

void FollowNodes(runtime::Controller& controller, const cache::Informer<Node>& nodes,
                 NodeQueue& queue) {
  const auto add = [&queue](const Node& node, bool initial) {
    queue.Add(std::string(node.metadata.name),
              initial ? queue::Priority::kBackground : queue::Priority::kLive);
  };
  controller.On<Node>(nodes,
                      {.added = [add](const auto& node, bool initial) { add(*node, initial); },
                       .updated = [add](const auto&, const auto& node) { add(*node, false); }});
}

/// Pods that come to a node which is not ready. Those of one that ceases to
/// be are the monitor's matter, and so are those that were there at the start.
void FollowPods(runtime::Controller& controller, const cache::Informer<Pod>& pods,
                const std::shared_ptr<HealthTable>& health, runtime::ReconcileQueue<>& queue) {
  const auto bound = [health, &queue](const Pod& pod) {
    if (pod.spec.nodeName.empty()) return;
    if (health->IsUnwell(std::string(pod.spec.nodeName))) queue.Add(ObjectKey::Of(pod));
  };
  controller.On<Pod>(pods, {.added =
                                [bound](const auto& pod, bool initial) {
                                  if (!initial) bound(*pod);
                                },
                            .updated =
                                [bound](const auto& old, const auto& pod) {
                                  if (old->spec.nodeName != pod->spec.nodeName) bound(*pod);
                                }});
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller =
      std::make_unique<runtime::Controller>("node-lifecycle-controller", deps, "node-controller");
  const auto nodes = controller->Reads<Node>();
  const auto leases = controller->Reads<views::NodeLease>({.allow_batching = true});
  const auto pods = controller->Reads<Pod>();
  common::IndexByNode(pods);
  const auto health = std::make_shared<HealthTable>();
  const auto evictions = std::make_shared<Evictions>();
  const auto all_disrupted = std::make_shared<std::atomic<bool>>(false);
  const Metrics metrics = Metrics::In(deps.metrics);
  Clock& clock = deps.executor.clock();

  auto& node_queue = controller->AddQueue<std::string>(
      {.name = "node_lifecycle_controller", .workers = kNodeWorkers},
      NodeReconciler({.nodes = nodes.lister(),
                      .spares_pods = [all_disrupted, health](const std::string& node) {
                        return *all_disrupted || health->IsDoubted(node);
                      }}));
  auto& pod_queue = controller->AddQueue<>(
      {.name = "node_lifecycle_controller_pods", .keys_of = "pods", .workers = kPodWorkers},
      PodReconciler(pods.lister(), health));
  auto& zone_queue = controller->AddQueue<std::string>(
      {.name = "node_lifecycle_controller_zones", .keys_of = "zones", .hold_objects = true},
      ZoneReconciler({.nodes = nodes.lister(),
                      .evictions = evictions,
                      .tainted = metrics.evictions,
                      .clock = clock}));
  const auto monitor = std::make_shared<Monitor>(
      Monitor::Deps{
          .nodes = nodes,
          .leases = leases,
          .pods = pods.lister(),
          .clock = clock,
          .health = health,
          .evictions = evictions,
          .all_disrupted = all_disrupted,
          .metrics = metrics,
          .look_at_node = [&node_queue](const std::string& node) { node_queue.Add(node); },
          .look_at_pod = [&pod_queue](const ObjectKey& pod) { pod_queue.Add(pod); },
          .look_at_zone = [&zone_queue](const std::string& zone) { zone_queue.Add(zone); }},
      options.monitor);
  // A queue of one key, which adds itself. No node is judged before the caches show what was said
  // of it the last time; the others are.
  auto& looks = controller->AddQueue<std::string>(
      {.name = "node_lifecycle_controller_looks", .keys_of = "looks", .hold_objects = true},
      [monitor](runtime::Context& context, const std::string& key) {
        return (*monitor)(context, key);
      });
  looks.Add("all nodes");
  FollowNodes(*controller, nodes, node_queue);
  FollowPods(*controller, pods, health, pod_queue);
  return controller;
}

}  // namespace flyball::controllers::node_lifecycle
