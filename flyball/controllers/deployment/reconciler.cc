#include "flyball/controllers/deployment/reconciler.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref_manager.h"
#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/common/require_readable.h"
#include "flyball/controllers/deployment/new_replica_set.h"

namespace flyball::controllers::deployment {
namespace {

using api::ObjectKey;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using runtime::Context;
using runtime::Outcome;

void Say(Context& context, const Deployment& deployment, const Event& event) {
  context.events().Event(deployment, event.type, event.reason, event.message);
}

// DIVERGES: where an old set of a rolling update cannot be written upstream says nothing, and
// waits for something else to happen.
Result<> WriteSets(Context& context, const Deployment& deployment, const Plan& plan) {
  for (const Plan::SetWrite& update : plan.updates) {
    FLYBALL_TRY(context.Update(update.set));
    for (const Event& event : update.events) Say(context, deployment, event);
  }
  const auto log = context.log().V(4);
  if (!plan.deletions.empty()) {
    log.Info("Looking to cleanup old replica sets for deployment",
             {{"deployment", api::KObj(deployment)}});
  }
  for (const ReplicaSet& set : plan.deletions) {
    log.Info("Trying to cleanup replica set for deployment",
             {{"replicaSet", api::KObj(set)}, {"deployment", api::KObj(deployment)}});
    const auto deleted = context.Delete(set);
    if (!deleted && deleted.error().code() != ErrorCode::kNotFound) return deleted;
  }
  return {};
}

}  // namespace

Result<Outcome> Reconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto deployment = deps_.deployments.Get(key);
  if (!deployment) {
    context.log().V(2).Info("Deployment has been deleted", {{"deployment", key}});
    return Outcome::Done();
  }
  FLYBALL_TRY(const Plan plan, Decide(context, *deployment));
  if (plan.Acts()) context.Decided(plan.ToString());
  if (const auto log = context.log().V(4)) {
    log.Info("Started syncing deployment",
             {{"deployment", key}, {"startTime", context.now()}, {"plan", plan.ToString()}});
  }
  // Kept also where a write is refused: the deadline does not wait for that.
  if (plan.check_after) context.RequeueAfter(*plan.check_after);
  auto outcome = CarryOut(context, *deployment, plan);
  if (outcome) return outcome;
  if (common::IsNamespaceTerminating(outcome.error())) return Outcome::Done();
  context.log().V(2).Info("Error syncing deployment",
                          {{"deployment", key}, {"err", outcome.error()}});
  return outcome;
}

Result<Plan> Reconciler::Decide(Context& context, const Deployment& deployment) const {
  Observed observed{
      .deployment = deployment, .count_terminating = deps_.count_terminating, .now = context.now()};
  if (!SelectsEverything(deployment)) {
    FLYBALL_TRY(observed.sets, ClaimSets(context, deployment));
    FLYBALL_TRY(common::RequireReadable(observed.sets));
  }
  if (deployment.spec.strategy.type == kRecreate) {
    for (const SetRef& set : observed.sets) {
      if (HasPods(*set)) observed.sets_with_pods.insert(set->metadata.uid);
    }
  }
  return PlanFor(observed);
}

Result<std::vector<SetRef>> Reconciler::ClaimSets(Context& context,
                                                  const Deployment& deployment) const {
  const auto selector = api::Selector::FromMessage(deployment.spec.selector);
  if (!selector) {
    return std::unexpected(selector.error().Wrap(
        "deployment " + ObjectKey::Of(deployment).ToString() + " has invalid label selector"));
  }
  std::vector<SetRef> sets = common::ControlledBy(deployment, deps_.sets);
  std::ranges::move(common::OrphansIn(deployment.metadata.namespace_, deps_.sets),
                    std::back_inserter(sets));
  return common::ClaimObjects(context, deployment, *selector, std::move(sets));
}

bool Reconciler::HasPods(const ReplicaSet& set) const {
  return std::ranges::any_of(common::ControlledBy(set, deps_.pods), [](const auto& pod) {
    return pod->status.phase != "Failed" && pod->status.phase != "Succeeded";
  });
}

Result<Outcome> Reconciler::CarryOut(Context& context, const Deployment& deployment,
                                     const Plan& plan) const {
  for (const Event& event : plan.events) Say(context, deployment, event);
  if (plan.create) {
    if (const auto created = context.Create(plan.create->set); !created) {
      ExplainRefusal(context, deployment, plan.create->set, created.error());
      return std::unexpected(created.error());
    }
    for (const Event& event : plan.create->events) Say(context, deployment, event);
  }
  const Result<> sets_written = WriteSets(context, deployment, plan);

  // Whether or not all sets could be written: what it says holds without them, and that a set was
  // created is said now or never.
  std::string version = deployment.metadata.resourceVersion;
  if (plan.status) {
    FLYBALL_TRY(auto written, context.UpdateStatus(*plan.status));
    version = std::move(written.metadata.resourceVersion);
  }
  FLYBALL_TRY(sets_written);
  if (plan.roll_back) {
    Deployment rolled_back = plan.roll_back->deployment;
    rolled_back.metadata.resourceVersion = version;
    FLYBALL_TRY(context.Update(rolled_back));
    Say(context, deployment, plan.roll_back->event);
  }
  if (!plan.check_after) return Outcome::Done();
  context.log().V(4).Info(
      "Queueing up deployment for a progress check",
      {{"deployment", api::KObj(deployment)},
       {"queueAfter",
        std::chrono::duration_cast<std::chrono::seconds>(*plan.check_after).count()}});
  return Outcome::RequeueAfter(*plan.check_after);
}

void Reconciler::ExplainRefusal(Context& context, const Deployment& deployment,
                                const ReplicaSet& set, const Error& error) const {
  if (common::IsNamespaceTerminating(error)) return;
  if (error.code() == ErrorCode::kAlreadyExists) {
    // If the cache does not have it yet, it will. If it is ours, it has come since we looked.
    const auto other = deps_.sets.Get(ObjectKey::Of(set));
    if (!other || !IsCollision(deployment, *other)) return;
    const Deployment renaming = OnCollision(deployment, context.now());
    if (context.UpdateStatus(renaming)) {
      context.log().V(2).Info(
          "Found a hash collision for deployment - bumping collisionCount to resolve it",
          {{"deployment", api::KObj(deployment)},
           {"oldCollisionCount", deployment.status.collisionCount.value_or(0)},
           {"newCollisionCount", *renaming.status.collisionCount}});
    }
    return;
  }
  const FailedCreation failed = OnCreationFailed(deployment, set, error, context.now());
  if (failed.status) {
    // There is a worse matter to report than that this fails too.
    [[maybe_unused]] const auto written = context.UpdateStatus(*failed.status);
  }
  Say(context, deployment, failed.event);
}

}  // namespace flyball::controllers::deployment
