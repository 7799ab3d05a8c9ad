#include "flyball/controllers/disruption/controller.h"

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/controllers/disruption/pod_handler.h"
#include "flyball/controllers/disruption/reconciler.h"

namespace flyball::controllers::disruption {
namespace {

using api::ObjectKey;
using views::Pod;

queue::Priority PriorityOf(bool initial) {
  return initial ? queue::Priority::kBackground : queue::Priority::kLive;
}

/// What it knows of controllers. None of their changes brings a budget back: those of pods do,
/// which follow.
Scales MakeScales(runtime::Controller& controller, const client::Client& client) {
  return Scales(
      {.replication_controllers = controller.Reads<core::v1::ReplicationController>().lister(),
       .replica_sets = controller.Reads<apps::v1::ReplicaSet>().lister(),
       .deployments = controller.Reads<apps::v1::Deployment>().lister(),
       .stateful_sets = controller.Reads<apps::v1::StatefulSet>().lister(),
       .mapper = std::make_shared<client::RestMapper>(client.rest())});
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller =
      std::make_unique<runtime::Controller>("disruption-controller", deps, "controllermanager");
  const auto budgets = controller->Reads<PodDisruptionBudget>();
  const auto pods = controller->Reads<Pod>();
  const auto coverage = std::make_shared<Coverage>(
      [lister = pods.lister()](std::string_view namespace_, const api::Selector& selector) {
        return lister.Select(namespace_, selector);
      });
  // DIVERGES: upstream has a queue of its own, "disruption_recheck", for budgets that wait until an
  // evicted pod is overdue.
  auto& queue =
      controller->AddQueue<>({.name = "disruption", .workers = options.workers},
                             BudgetReconciler({.budgets = budgets.lister(),
                                               .coverage = coverage,
                                               .scales = MakeScales(*controller, deps.client)}));
  auto& stale_targets = controller->AddQueue<>({.name = "stale_pod_disruption", .keys_of = "pods"},
                                               StaleTargetReconciler(pods.lister()));

  const auto put = [coverage, &queue](const PodDisruptionBudget& budget, bool initial) {
    coverage->Put(budget);
    queue.Add(ObjectKey::Of(budget), PriorityOf(initial));
  };
  controller->On<PodDisruptionBudget>(
      budgets, {.added = [put](const auto& budget, bool initial) { put(*budget, initial); },
                .updated = [put](const auto&, const auto& budget) { put(*budget, false); },
                .deleted =
                    [coverage, &queue](const auto& budget, bool) {
                      coverage->Remove(ObjectKey::Of(*budget));
                      queue.Add(ObjectKey::Of(*budget));
                    }});
  const auto of_pods =
      std::make_shared<const PodHandler>(PodHandler::Deps{.coverage = coverage,
                                                          .budgets = queue,
                                                          .stale_targets = stale_targets,
                                                          .events = controller->events(),
                                                          .clock = deps.executor.clock()});
  controller->On<Pod>(
      pods,
      {.added = [of_pods](const auto& pod,
                          bool initial) { of_pods->Added(pod, PriorityOf(initial)); },
       .updated = [of_pods](const auto& old, const auto& pod) { of_pods->Updated(*old, pod); },
       .deleted = [of_pods](const auto& pod, bool) { of_pods->Deleted(*pod); }});
  return controller;
}

}  // namespace flyball::controllers::disruption
