#include "flyball/controllers/replica_set/controller.h"

#include <chrono>
#include <string>

#include "flyball/controllers/common/owner_enqueuer.h"
#include "flyball/controllers/replica_set/reconciler.h"
#include "flyball/controllers/replica_set/set_kind.h"

namespace flyball::controllers::replica_set {
namespace {

using api::ObjectKey;
using apps::v1::ReplicaSet;
using core::v1::ReplicationController;
using views::Pod;

/// Pods of a set come up, and go, in quick succession; each writes several times. A status for each
/// of these moments would be out of date by the time that it is read.
// DIVERGES: upstream writes one for each.
constexpr std::chrono::milliseconds kMinIntervalAfterWrite{50};

Histogram AgeRatioMetric(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics
      ->Histograms(
          {.name = "replicaset_controller_sorting_deletion_age_ratio",
           .help = "[ALPHA] Age of a ready pod deleted at scale-down, divided by the age of the "
                   "youngest ready pod of its ReplicaSet. Expected to stay below 2."},
          {0.25, 0.5, 1, 2, 4, 8})
      .With();
}

CounterFamily StaleSyncSkipsMetric(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->Counters(
      {.name = "replicaset_controller_stale_sync_skips_total",
       .help =
           "[ALPHA] Number of ReplicaSet syncs that were postponed because the cache did not yet "
           "show the controller's own last write, by group and resource of the written object.",
       .labels = {"group", "resource"}});
}

/// What is upstream's of each of the two.
struct Names {
  std::string controller;
  std::string queue;
  std::string events = {};  ///< none: the controller's own
  bool counts_stale_sync_skips = false;
};

template <typename Set>
std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, const Names& names,
                                          Options options) {
  auto controller = std::make_unique<runtime::Controller>(names.controller, deps, names.events);
  const auto sets = controller->Reads<Set>();
  const auto pods = controller->Reads<Pod>();
  common::IndexByController(sets);
  common::IndexByController(pods);
  auto& queue = controller->AddQueue<>(
      {.name = names.queue,
       .workers = options.workers,
       .min_interval_after_write = kMinIntervalAfterWrite,
       .stale_sync_skips =
           StaleSyncSkipsMetric(names.counts_stale_sync_skips ? deps.metrics : nullptr)},
      Reconciler<Set>({.sets = sets.lister(),
                       .pods = pods.lister(),
                       .clock = deps.executor.clock(),
                       .options = options,
                       .age_ratio = AgeRatioMetric(deps.metrics)}));

  const auto add = [&queue](const ObjectKey& set, bool initial) {
    queue.Add(set, initial ? queue::Priority::kBackground : queue::Priority::kLive);
  };
  controller->On<Set>(
      sets, {.added = [add](const auto& set, bool initial) { add(ObjectKey::Of(*set), initial); },
             .updated = [add](const auto&, const auto& set) { add(ObjectKey::Of(*set), false); }});
  const auto of_pods = std::make_shared<const common::OwnerEnqueuer<Set, Pod>>(
      sets.lister(), [](const Set& set) { return SelectorOf(set); }, add);
  controller->On<Pod>(
      pods,
      {.added = [of_pods](const auto& pod, bool initial) { of_pods->Added(*pod, initial); },
       .updated = [of_pods](const auto& old, const auto& pod) { of_pods->Updated(*old, *pod); },
       .deleted = [of_pods](const auto& pod, bool) { of_pods->Deleted(*pod); }});
  return controller;
}

}  // namespace

std::unique_ptr<runtime::Controller> MakeReplicaSetController(const runtime::Controller::Deps& deps,
                                                              Options options) {
  return Make<ReplicaSet>(deps,
                          {.controller = "replicaset-controller",
                           .queue = "replicaset",
                           .counts_stale_sync_skips = true},
                          options);
}

std::unique_ptr<runtime::Controller> MakeReplicationControllerController(
    const runtime::Controller::Deps& deps, Options options) {
  // There is no place for it in its status.
  options.tell_terminating = false;
  return Make<ReplicationController>(deps,
                                     {.controller = "replicationcontroller-controller",
                                      .queue = "replicationmanager",
                                      .events = "replication-controller"},
                                     options);
}

}  // namespace flyball::controllers::replica_set
