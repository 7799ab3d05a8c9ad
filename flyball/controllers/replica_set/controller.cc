#include "flyball/controllers/replica_set/controller.h"

#include <chrono>
#include <string>

#include "flyball/controllers/common/concerned_owners.h"
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
constexpr std::chrono::milliseconds kRest{50};

Histogram AgeRatioMetric(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics
      ->Histograms({.name = "replicaset_controller_sorting_deletion_age_ratio",
                    .help = "[ALPHA] How many times as old as the youngest ready pod the ready "
                            "pods are that go when a set is scaled down. Below two, if those go "
                            "that are to go."},
                   {0.25, 0.5, 1, 2, 4, 8})
      .With();
}

CounterFamily HeldBackMetric(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->Counters(
      {.name = "replicaset_controller_stale_sync_skips_total",
       .help = "[ALPHA] Reconciles that waited for a cache to show what the last one wrote.",
       .labels = {"group", "resource"}});
}

/// What is upstream's of each of the two.
struct Names {
  std::string controller;
  std::string queue;
  std::string events = {};  ///< none: the controller's own
  bool counts_held_back = false;
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
       .rest = kRest,
       .held_back = HeldBackMetric(names.counts_held_back ? deps.metrics : nullptr)},
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
  const auto of_pods = std::make_shared<const common::ConcernedOwners<Set, Pod>>(
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
  return Make<ReplicaSet>(
      deps,
      {.controller = "replicaset-controller", .queue = "replicaset", .counts_held_back = true},
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
