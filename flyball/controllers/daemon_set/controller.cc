#include "flyball/controllers/daemon_set/controller.h"

#include <chrono>
#include <string>

#include "flyball/api/apps/v1.h"
#include "flyball/api/views.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/node_index.h"
#include "flyball/controllers/common/owner_enqueuer.h"
#include "flyball/controllers/daemon_set/node_handler.h"
#include "flyball/controllers/daemon_set/reconciler.h"

namespace flyball::controllers::daemon_set {
namespace {

using api::ObjectKey;
using apps::v1::ControllerRevision;
using apps::v1::DaemonSet;
using runtime::Context;
using runtime::Outcome;
using views::Node;
using views::Pod;

/// Pods come up, and go, on many nodes in quick succession. A status for each of these moments
/// would be out of date by the time that it is read.
// DIVERGES: upstream writes one for each.
constexpr std::chrono::milliseconds kMinIntervalAfterWrite{50};
constexpr std::chrono::minutes kForgetEvery{1};

CounterFamily StaleSyncSkipsMetric(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->Counters(
      {.name = "daemonset_controller_stale_sync_skips_total",
       .help =
           "[ALPHA] Number of DaemonSet syncs that were postponed because the cache did not yet "
           "show the controller's own last write, by group and resource of the written object.",
       .labels = {"group", "resource"}});
}

queue::Priority PriorityOf(bool initial) {
  return initial ? queue::Priority::kBackground : queue::Priority::kLive;
}

Result<api::Selector> SelectorOf(const DaemonSet& set) {
  return api::Selector::FromMessage(set.spec.selector);
}

/// Changes of pods and revisions bring back the sets that they concern.
template <typename T>
void OnDependents(runtime::Controller& controller, const cache::Informer<DaemonSet>& sets,
                  const cache::Informer<T>& things, runtime::ReconcileQueue<>& queue,
                  bool tell_of_new) {
  using Enqueuer = common::OwnerEnqueuer<DaemonSet, T>;
  const auto enqueuer = std::make_shared<const Enqueuer>(
      sets.lister(), SelectorOf,
      [&queue](const ObjectKey& set, bool initial) { queue.Add(set, PriorityOf(initial)); });
  controller.On<T>(things,
                   {.added =
                        [enqueuer, tell_of_new](const auto& thing, bool initial) {
                          const bool is_new = common::ControllerOf(*thing) != nullptr &&
                                              !thing->metadata.deletionTimestamp;
                          if (tell_of_new || !is_new) enqueuer->Added(*thing, initial);
                        },
                    .updated = [enqueuer](const auto& old,
                                          const auto& thing) { enqueuer->Updated(*old, *thing); },
                    .deleted = [enqueuer](const auto& thing, bool) { enqueuer->Deleted(*thing); }});
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("daemonset-controller", deps);
  const auto sets = controller->Reads<DaemonSet>();
  const auto revisions = controller->Reads<ControllerRevision>();
  const auto pods = controller->Reads<Pod>();
  const auto nodes = controller->Reads<Node>();
  common::IndexByController(revisions);
  common::IndexByController(pods);
  common::IndexByNode(pods);
  const api::TolerationRules tolerations{.compare_numbers = options.compare_tolerations};
  const auto backoff = std::make_shared<FailedPodBackoff>(deps.executor.clock());
  auto& queue = controller->AddQueue<>({.name = "daemonset",
                                        .workers = options.workers,
                                        .min_interval_after_write = kMinIntervalAfterWrite,
                                        .stale_sync_skips = StaleSyncSkipsMetric(deps.metrics)},
                                       Reconciler({.sets = sets.lister(),
                                                   .revisions = revisions.lister(),
                                                   .pods = pods.lister(),
                                                   .nodes = nodes.lister(),
                                                   .clock = deps.executor.clock(),
                                                   .backoff = backoff,
                                                   .tolerations = tolerations}));
  controller->Every("forget failed pods", kForgetEvery,
                    [backoff](const std::stop_token&) { backoff->Forget(); });

  controller->On<DaemonSet>(
      sets,
      {.added = [&queue](const auto& set,
                         bool initial) { queue.Add(ObjectKey::Of(*set), PriorityOf(initial)); },
       .updated = [&queue](const auto&, const auto& set) { queue.Add(ObjectKey::Of(*set)); },
       .deleted = [&queue](const auto& set, bool) { queue.Add(ObjectKey::Of(*set)); }});
  OnDependents(*controller, sets, pods, queue, /*tell_of_new=*/true);
  // A new revision of a set's own is one that it has just made.
  OnDependents(*controller, sets, revisions, queue, /*tell_of_new=*/false);

  const NodeHandler on_node({.sets = sets.lister(),
                             .pods = pods.lister(),
                             .nodes = nodes.lister(),
                             .tolerations = tolerations,
                             .add = [&queue](const ObjectKey& set) { queue.Add(set); }});
  auto& node_queue = controller->AddQueue<std::string>(
      {.name = "daemonset-node-updates", .keys_of = "nodes", .workers = options.workers},
      [on_node](Context&, const std::string& node) -> Result<Outcome> {
        on_node(node);
        return Outcome::Done();
      });
  controller->On<Node>(nodes, {.added =
                                   [&node_queue](const auto& node, bool initial) {
                                     node_queue.Add(std::string(node->metadata.name),
                                                    PriorityOf(initial));
                                   },
                               .updated =
                                   [&node_queue](const auto& old, const auto& node) {
                                     if (MattersToSets(*old, *node)) {
                                       node_queue.Add(std::string(node->metadata.name));
                                     }
                                   }});
  return controller;
}

}  // namespace flyball::controllers::daemon_set
