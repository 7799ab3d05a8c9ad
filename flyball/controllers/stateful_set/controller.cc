#include "flyball/controllers/stateful_set/controller.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/owner_enqueuer.h"
#include "flyball/controllers/stateful_set/reconciler.h"

namespace flyball::controllers::stateful_set {
namespace {

using api::ObjectKey;
using apps::v1::ControllerRevision;
using apps::v1::StatefulSet;
using core::v1::PersistentVolumeClaim;
using views::Pod;

CounterFamily StaleSyncSkipsMetric(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->Counters(
      {.name = "statefulset_controller_stale_sync_skips_total",
       .help =
           "[ALPHA] Number of StatefulSet syncs that were postponed because the cache did not yet "
           "show the controller's own last write, by group and resource of the written object.",
       .labels = {"group", "resource"}});
}

GaugeFamily SetGauge(MetricRegistry* metrics, const std::string& name, const std::string& help) {
  if (metrics == nullptr) return {};
  return metrics->Gauges(
      {.name = name,
       .help = help,
       .labels = {"statefulset_namespace", "statefulset_name", "pod_management_policy"}});
}

/// Whether a claim is called as those of the set's pods are.
bool IsClaimOf(const StatefulSet& set, std::string_view claim) {
  const auto name = ParseMemberName(claim);
  if (!name) return false;
  return std::ranges::any_of(set.spec.volumeClaimTemplates, [&](const auto& made_of) {
    return claim == ClaimName(set, made_of, name->ordinal);
  });
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("statefulset-controller", deps);
  const auto sets = controller->Reads<StatefulSet>();
  const auto pods = controller->Reads<Pod>();
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  const auto revisions = controller->Reads<ControllerRevision>();
  common::IndexByController(pods);
  common::IndexByController(revisions);
  auto& queue = controller->AddQueue<>(
      {.name = "statefulset",
       .workers = options.workers,
       .stale_sync_skips = StaleSyncSkipsMetric(deps.metrics)},
      Reconciler({.sets = sets.lister(),
                  .pods = pods.lister(),
                  .claims = claims.lister(),
                  .revisions = revisions.lister(),
                  .clock = deps.executor.clock(),
                  .options = options,
                  .max_unavailable =
                      SetGauge(deps.metrics, "statefulset_controller_statefulset_max_unavailable",
                               "[ALPHA] Number of pods of a StatefulSet that its update strategy "
                               "lets be unavailable during a rolling update (maxUnavailable)."),
                  .unavailable = SetGauge(
                      deps.metrics, "statefulset_controller_statefulset_unavailable_replicas",
                      "[ALPHA] Number of replicas of a StatefulSet that are not available now.")}));

  const auto add = [&queue](const ObjectKey& set, bool initial) {
    queue.Add(set, initial ? queue::Priority::kBackground : queue::Priority::kLive);
  };
  controller->On<StatefulSet>(
      sets, {.added = [add](const auto& set, bool initial) { add(ObjectKey::Of(*set), initial); },
             .updated = [add](const auto&, const auto& set) { add(ObjectKey::Of(*set), false); },
             .deleted = [add](const auto& set, bool) { add(ObjectKey::Of(*set), false); }});
  const auto of_pods = std::make_shared<const common::OwnerEnqueuer<StatefulSet, Pod>>(
      sets.lister(),
      [](const StatefulSet& set) { return api::Selector::FromMessage(set.spec.selector); }, add);
  controller->On<Pod>(
      pods,
      {.added = [of_pods](const auto& pod, bool initial) { of_pods->Added(*pod, initial); },
       .updated = [of_pods](const auto& old, const auto& pod) { of_pods->Updated(*old, *pod); },
       .deleted =
           [of_pods, add](const auto& pod, bool) {
             of_pods->Deleted(*pod);
             // DIVERGES: upstream does not look at pods that are nobody's when they go. One with
             // the name of a pod of the set, such as one that the set before it left behind, stands
             // in the way for as long as it takes to end, and then for what the set backs off.
             const auto name = ParseMemberName(pod->metadata.name);
             if (!name || common::ControllerOf(*pod) != nullptr) return;
             add({std::string(pod->metadata.namespace_), std::string(name->set)}, false);
           }});
  // DIVERGES: upstream does not look at claims that go. A pod that waits for one, since it went
  // with the pod's predecessor, is made when something else happens to the set.
  controller->On<PersistentVolumeClaim>(
      claims, {.deleted = [add, lister = sets.lister()](const auto& claim, bool) {
        for (const auto& set : lister.InNamespace(claim->metadata.namespace_)) {
          if (IsClaimOf(*set, claim->metadata.name)) add(ObjectKey::Of(*set), false);
        }
      }});
  return controller;
}

}  // namespace flyball::controllers::stateful_set
