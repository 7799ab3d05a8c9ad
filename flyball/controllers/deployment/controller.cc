#include "flyball/controllers/deployment/controller.h"

#include <string>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/api/views.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/deployment/reconciler.h"
#include "flyball/controllers/deployment/rollout.h"

namespace flyball::controllers::deployment {
namespace {

using api::ObjectKey;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;

/// With the back-off that there is, the last time after 82 seconds.
constexpr int kMaxRetries = 15;

/// Enqueues the Deployments to reconcile when a ReplicaSet or a Pod changes.
class DeploymentEnqueuer {
 public:
  DeploymentEnqueuer(runtime::ReconcileQueue<>& queue, cache::Lister<Deployment> deployments,
                     cache::Lister<ReplicaSet> sets)
      : queue_(queue), deployments_(std::move(deployments)), sets_(std::move(sets)) {}

  void Added(const ReplicaSet& set, queue::Priority priority) const {
    if (set.metadata.deletionTimestamp) return Deleted(set);
    common::ControllerOf(set) != nullptr ? EnqueueOwner(set, priority)
                                         : EnqueueMatchingOwners(set, priority);
  }

  void Updated(const ReplicaSet& old, const ReplicaSet& set) const {
    if (old.metadata.resourceVersion == set.metadata.resourceVersion) return;
    const auto* const owner = common::ControllerOf(set);
    const auto* const old_owner = common::ControllerOf(old);
    const bool owner_changed =
        (owner == nullptr) != (old_owner == nullptr) || (owner != nullptr && *owner != *old_owner);
    if (owner_changed) EnqueueOwner(old, queue::Priority::kLive);
    if (owner != nullptr) {
      EnqueueOwner(set, queue::Priority::kLive);
    } else if (owner_changed || old.metadata.labels != set.metadata.labels) {
      EnqueueMatchingOwners(set, queue::Priority::kLive);
    }
  }

  void Deleted(const ReplicaSet& set) const { EnqueueOwner(set, queue::Priority::kLive); }

  /// Enqueues Deployments of the Recreate strategy, which wait for the last pod to go.
  void PodDeleted(const views::Pod& pod) const {
    const auto* const owner = common::ControllerOf(pod);
    if (owner == nullptr || owner->kind != "ReplicaSet") return;
    const auto set = sets_.Get({std::string(pod.metadata.namespace_), std::string(owner->name)});
    if (!set || set->metadata.uid != owner->uid) return;
    const auto deployment = OwnerOf(*set);
    if (deployment && deployment->spec.strategy.type == kRecreate) {
      queue_.Add(ObjectKey::Of(*deployment));
    }
  }

 private:
  cache::Ref<Deployment> OwnerOf(const ReplicaSet& set) const {
    const auto* const owner = common::ControllerOf(set);
    if (owner == nullptr || owner->kind != "Deployment") return nullptr;
    auto deployment = deployments_.Get({set.metadata.namespace_, owner->name});
    if (!deployment || deployment->metadata.uid != owner->uid) return nullptr;
    return deployment;
  }

  void EnqueueOwner(const ReplicaSet& set, queue::Priority priority) const {
    if (const auto deployment = OwnerOf(set)) queue_.Add(ObjectKey::Of(*deployment), priority);
  }

  void EnqueueMatchingOwners(const ReplicaSet& set, queue::Priority priority) const {
    if (set.metadata.labels.empty()) return;
    for (const auto& deployment : deployments_.InNamespace(set.metadata.namespace_)) {
      const auto selector = api::Selector::FromMessage(deployment->spec.selector);
      if (!selector || selector->SelectsEverything()) continue;
      if (selector->Matches(set.metadata.labels)) queue_.Add(ObjectKey::Of(*deployment), priority);
    }
  }

  runtime::ReconcileQueue<>& queue_;
  const cache::Lister<Deployment> deployments_;
  const cache::Lister<ReplicaSet> sets_;
};

queue::Priority PriorityOf(bool initial) {
  return initial ? queue::Priority::kBackground : queue::Priority::kLive;
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("deployment-controller", deps);
  const auto deployments = controller->Reads<Deployment>();
  const auto sets = controller->Reads<ReplicaSet>();
  const auto pods = controller->Reads<views::Pod>();
  common::IndexByController(sets);
  common::IndexByController(pods);
  auto& queue = controller->AddQueue<>(
      {.name = "deployment", .workers = options.workers, .max_retries = kMaxRetries},
      Reconciler({.deployments = deployments.lister(),
                  .sets = sets.lister(),
                  .pods = pods.lister(),
                  .count_terminating = options.count_terminating}));

  controller->On<Deployment>(
      deployments,
      {.added = [&queue](
                    const auto& deployment,
                    bool initial) { queue.Add(ObjectKey::Of(*deployment), PriorityOf(initial)); },
       .updated = [&queue](const auto&,
                           const auto& deployment) { queue.Add(ObjectKey::Of(*deployment)); },
       .deleted = [&queue](const auto& deployment,
                           bool) { queue.Add(ObjectKey::Of(*deployment)); }});
  const DeploymentEnqueuer enqueuer(queue, deployments.lister(), sets.lister());
  controller->On<ReplicaSet>(
      sets,
      {.added = [enqueuer](const auto& set,
                           bool initial) { enqueuer.Added(*set, PriorityOf(initial)); },
       .updated = [enqueuer](const auto& old, const auto& set) { enqueuer.Updated(*old, *set); },
       .deleted = [enqueuer](const auto& set, bool) { enqueuer.Deleted(*set); }});
  controller->On<views::Pod>(
      pods, {.deleted = [enqueuer](const auto& pod, bool) { enqueuer.PodDeleted(*pod); }});
  return controller;
}

}  // namespace flyball::controllers::deployment
