#include "flyball/controllers/taint_eviction/controller.h"

#include <string>

#include "flyball/controllers/common/node_index.h"
#include "flyball/controllers/taint_eviction/reconciler.h"

namespace flyball::controllers::taint_eviction {
namespace {

using api::ObjectKey;
using views::Node;
using views::Pod;

constexpr std::size_t kWorkers = 8;

/// A pod is looked at when it comes to a node that drives pods out, or its tolerations change
/// there; and when it was to go.
void FollowPods(runtime::Controller& controller, const cache::Informer<Pod>& pods,
                const cache::Lister<Node>& nodes, const std::shared_ptr<Deadlines>& deadlines,
                runtime::ReconcileQueue<>& queue) {
  const auto add = [nodes, deadlines, &queue](const Pod& pod) {
    if (pod.spec.nodeName.empty()) return;
    const ObjectKey key = ObjectKey::Of(pod);
    // A node of which nothing is known yet has its pods looked at when it comes.
    const auto node = nodes.Get({"", std::string(pod.spec.nodeName)});
    if ((node && DrivesPodsOut(*node)) || deadlines->Has(key)) queue.Add(key);
  };
  controller.On<Pod>(pods, {.added = [add](const auto& pod, bool) { add(*pod); },
                            .updated =
                                [add](const auto& old, const auto& pod) {
                                  const bool moved = old->spec.nodeName != pod->spec.nodeName ||
                                                     old->metadata.uid != pod->metadata.uid;
                                  if (moved || !SameTolerations(*old, *pod)) add(*pod);
                                },
                            .deleted =
                                [deadlines, &queue](const auto& pod, bool) {
                                  const ObjectKey key = ObjectKey::Of(*pod);
                                  if (deadlines->Has(key)) queue.Add(key);
                                }});
}

/// All pods of a node are looked at when its taints change.
void FollowNodes(runtime::Controller& controller, const cache::Informer<Node>& nodes,
                 const cache::Lister<Pod>& pods, runtime::ReconcileQueue<>& queue) {
  const auto add = [pods, &queue](const Node& node) {
    for (const auto& pod : common::PodsOn(node.metadata.name, pods)) {
      queue.Add(ObjectKey::Of(*pod));
    }
  };
  controller.On<Node>(nodes, {.added =
                                  [add](const auto& node, bool initial) {
                                    if (!initial || DrivesPodsOut(*node)) add(*node);
                                  },
                              .updated =
                                  [add](const auto& old, const auto& node) {
                                    if (!SameEvictingTaints(*old, *node)) add(*node);
                                  }});
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("taint-eviction-controller", deps);
  const auto pods = controller->Reads<Pod>();
  const auto nodes = controller->Reads<Node>();
  common::IndexByNode(pods);
  const auto deadlines = std::make_shared<Deadlines>();
  auto& queue = controller->AddQueue<>(
      {.name = "noexec_taint_pod", .workers = kWorkers},
      PodReconciler({.pods = pods.lister(),
                     .nodes = nodes.lister(),
                     .deadlines = deadlines,
                     .tolerations = {.compare_numbers = options.compare_tolerations},
                     .metrics = Metrics::In(deps.metrics),
                     .clock = deps.executor.clock()}));
  FollowPods(*controller, pods, nodes.lister(), deadlines, queue);
  FollowNodes(*controller, nodes, pods.lister(), queue);
  return controller;
}

}  // namespace flyball::controllers::taint_eviction
