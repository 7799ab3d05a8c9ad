#include "flyball/controllers/stateful_set/reconciler.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref_manager.h"
#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/common/restored_revision.h"
#include "flyball/controllers/common/status_write.h"
#include "flyball/controllers/stateful_set/writer.h"

namespace flyball::controllers::stateful_set {
namespace {

using api::ObjectKey;
using apps::v1::ControllerRevision;
using apps::v1::StatefulSet;
using apps::v1::StatefulSetStatus;
using runtime::Context;
using runtime::Outcome;

/// Makes pods of either revision. A set is put together with the template of one only if a pod is
/// made of it.
class PodMaker {
 public:
  PodMaker(const StatefulSet& set, RevisionRef current, RevisionRef update)
      : set_(set),
        current_{.revision = std::move(current)},
        update_{.revision = std::move(update)} {}

  Result<core::v1::Pod> operator()(std::int64_t ordinal) {
    Version& version = StaysAtCurrent(set_, ordinal) ? current_ : update_;
    if (!version.set) {
      FLYBALL_TRY(version.set, common::WithRevision(set_, *version.revision));
    }
    return MakePod(*version.set, version.revision->metadata.name, ordinal);
  }

 private:
  struct Version {
    RevisionRef revision;
    std::optional<StatefulSet> set = std::nullopt;
  };
  const StatefulSet& set_;
  Version current_;
  Version update_;
};

}  // namespace

Result<Outcome> Reconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto set = deps_.sets.Get(key);
  if (!set) {
    context.log().Info("StatefulSet has been deleted", {{"key", key.ToString()}});
    namespace_backoff_->Gone(key);
    return Outcome::Done();
  }
  const auto selector = api::Selector::FromMessage(set->spec.selector);
  if (!selector) {
    context.log().Error(selector.error(), "Error converting StatefulSet selector",
                        {{"key", key.ToString()}});
    return Outcome::Done();  // until it has another
  }
  FLYBALL_TRY(std::vector<RevisionRef> history,
              common::AdoptRevisions(context, *set, *selector, deps_.revisions));
  common::SortRevisions(history);
  FLYBALL_TRY(const std::vector<PodRef> pods, ClaimPods(context, *set, *selector));
  // Kept also where a write is refused: pods become available all the same.
  if (const auto next = common::NextAvailable(pods, set->spec.minReadySeconds, context.now())) {
    context.RequeueAfter(*next);
  }
  context.log().V(4).Info("Syncing StatefulSet with pods",
                          {{"statefulSet", key}, {"pods", pods.size()}});
  auto outcome = Sync(context, *set, history, pods);
  if (outcome) context.log().V(4).Info("Successfully synced StatefulSet", {{"statefulSet", key}});
  if (!outcome && common::IsNamespaceTerminating(outcome.error())) {
    namespace_backoff_->Refused(key, set->metadata.uid);
    return Outcome::RequeueAfter(common::TerminatingNamespaceBackoff::kRetryAfter);
  }
  return outcome;
}

Result<std::vector<PodRef>> Reconciler::ClaimPods(Context& context, const StatefulSet& set,
                                                  const api::Selector& selector) const {
  std::vector<PodRef> members = common::ControlledBy(set, deps_.pods);
  const auto stranger = [&](const PodRef& pod) { return !IsMemberOf(set, *pod); };
  // A pod that is not called as its pods are is none of its, whatever its labels.
  std::vector<PodRef> strangers;
  std::ranges::copy_if(members, std::back_inserter(strangers), stranger);
  std::ranges::move(common::OrphansIn(set.metadata.namespace_, deps_.pods),
                    std::back_inserter(members));
  std::erase_if(members, stranger);
  auto own = common::ClaimObjects(context, set, selector, std::move(members));
  FLYBALL_TRY(common::ClaimObjects(context, set, api::Selector::Nothing(), std::move(strangers)));
  return own;
}

Result<Outcome> Reconciler::Sync(Context& context, const StatefulSet& set,
                                 const std::vector<RevisionRef>& history,
                                 std::span<const PodRef> pods) const {
  const auto chosen = ChooseRevisions(context, set, history);
  auto outcome = chosen ? Update(context, set, *chosen, pods)
                        : Result<Outcome>(std::unexpected(chosen.error()));
  // However that went.
  std::vector<RevisionRef> in_use;
  if (chosen) in_use = {chosen->current, chosen->update};
  const auto truncated =
      common::DeleteRevisions(context, PlanTruncation(set, history, pods, in_use));
  if (outcome && !truncated) return std::unexpected(truncated.error());
  return outcome;
}

Result<Reconciler::Chosen> Reconciler::ChooseRevisions(Context& context, const StatefulSet& set,
                                                       std::span<const RevisionRef> history) const {
  FLYBALL_TRY(RevisionPlan plan, PlanRevision(set, history, deps_.options.compares_by_meaning));
  Chosen chosen{.collisions = set.status.collisionCount.value_or(0)};
  switch (plan.how) {
    case RevisionPlan::How::kKeep:
      chosen.update = plan.revision;
      break;
    case RevisionPlan::How::kRenumber: {
      context.Decided("go back to revision " + plan.revision->metadata.name);
      FLYBALL_TRY(ControllerRevision renumbered,
                  common::RenumberRevision(context, *plan.revision, plan.number));
      chosen.update = std::make_shared<const ControllerRevision>(std::move(renumbered));
      break;
    }
    case RevisionPlan::How::kCreate: {
      context.Decided("create revision " + std::to_string(plan.number));
      FLYBALL_TRY(common::CreatedRevision created,
                  common::CreateRevision(context, set.metadata.name,
                                         common::NewRevision(set, std::move(plan.data), plan.number,
                                                             chosen.collisions),
                                         chosen.collisions));
      chosen.update = std::make_shared<const ControllerRevision>(std::move(created.revision));
      chosen.collisions = created.collisions;
      break;
    }
  }
  chosen.current = CurrentRevision(set, history, chosen.update);
  return chosen;
}

Result<Outcome> Reconciler::Update(Context& context, const StatefulSet& set, const Chosen& chosen,
                                   std::span<const PodRef> pods) const {
  const Gates gates{.max_unavailable = deps_.options.max_unavailable,
                    .recreate = deps_.options.recreate};
  if (HasUnknownStrategy(set, gates)) {
    const std::string message = "statefulset " + ObjectKey::Of(set).ToString() +
                                " uses Recreate strategy but feature gate "
                                "StatefulSetRecreateStrategy is disabled";
    context.events().Event(set, runtime::EventType::kWarning, "UnknownStrategy", message);
    return Fail(ErrorCode::kInvalid, message);
  }
  const ReplicaSlots replica_slots = ReplicaSlotsOf(set, pods);
  const FindClaim find_claim = [&](const std::string& name) {
    return deps_.claims.Get({set.metadata.namespace_, name});
  };
  const Revisions revisions{.current = chosen.current->metadata.name,
                            .update = chosen.update->metadata.name};
  const Plan plan = PlanFor(
      {.set = set, .replica_slots = replica_slots, .find_claim = find_claim, .now = context.now()},
      revisions, gates);
  if (plan.Acts()) context.Decided(plan.ToString());
  context.log().V(4).Info("StatefulSet revisions", {{"statefulSet", api::KObj(set)},
                                                    {"currentRevision", revisions.current},
                                                    {"updateRevision", revisions.update}});
  const auto [updated, done] = CarryOut(context, set, chosen, plan);
  Measure(set, plan);

  // Told whether or not all went well. Before a set that goes there are only pods; else those that
  // have a place.
  const std::vector<PodRef> counted = set.metadata.deletionTimestamp
                                          ? std::vector<PodRef>(pods.begin(), pods.end())
                                          : replica_slots.Pods();
  const StatefulSetStatus status =
      StatusFor(set, {.current = revisions.current,
                      .update = revisions.update,
                      .collisions = chosen.collisions,
                      .pods = counted,
                      .outdated_removed = static_cast<std::int32_t>(updated),
                      .progress = plan.progress,
                      .now = context.now()});
  const Result<> written =
      NeedsWriting(set, status) ? common::WriteStatus(context, set, status) : Result<>();
  FLYBALL_TRY(done);
  FLYBALL_TRY(written);
  context.log().V(4).Info("Updated status", {{"statefulSet", api::KObj(set)},
                                             {"replicas", status.replicas},
                                             {"readyReplicas", status.readyReplicas},
                                             {"currentReplicas", status.currentReplicas},
                                             {"updatedReplicas", status.updatedReplicas}});
  const auto wait = namespace_backoff_->Wait(ObjectKey::Of(set), set.metadata.uid);
  return wait ? Outcome::RequeueAfter(*wait) : Outcome::Done();
}

std::pair<std::size_t, Result<>> Reconciler::CarryOut(Context& context, const StatefulSet& set,
                                                      const Chosen& chosen,
                                                      const Plan& plan) const {
  Writer writer(context, set, PodMaker(set, chosen.current, chosen.update));
  if (const auto recreated = writer.DeletePods(plan.recreated); !recreated.all) {
    return {0, recreated.all};
  }
  const bool refused = namespace_backoff_->Wait(ObjectKey::Of(set), set.metadata.uid).has_value();
  if (!refused) {
    if (auto done = writer.DoTasks(plan.order.replicas); !done) return {0, std::move(done)};
  }
  if (auto done = writer.AdjustClaims(plan.order.condemned_claims); !done) {
    return {0, std::move(done)};
  }
  for (const PodRef& pod : plan.order.condemned) {
    context.log().V(2).Info("Pod of StatefulSet is terminating for scale down",
                            {{"statefulSet", api::KObj(set)}, {"pod", api::KObj(*pod)}});
  }
  if (auto deleted = writer.DeletePods(plan.order.condemned); !deleted.all) {
    return {0, std::move(deleted.all)};
  }
  for (const PodRef& pod : plan.outdated) {
    context.log().V(2).Info(deps_.options.max_unavailable
                                ? "StatefulSet terminating Pod for update"
                                : "Pod of StatefulSet is terminating for update",
                            {{"statefulSet", api::KObj(set)}, {"pod", api::KObj(*pod)}});
  }
  auto deleted = writer.DeletePods(plan.outdated);
  if (deleted.all && plan.failure) deleted.all = std::unexpected(*plan.failure);
  return {deleted.count, std::move(deleted.all)};
}

void Reconciler::Measure(const StatefulSet& set, const Plan& plan) const {
  if (!deps_.options.max_unavailable) return;
  const auto& [namespace_, name] = ObjectKey::Of(set);
  const std::string& policy = set.spec.podManagementPolicy;
  if (plan.unavailable) {
    deps_.unavailable.With({namespace_, name, policy}).Set(static_cast<double>(*plan.unavailable));
  }
  if (const auto most = MaxUnavailable(set)) {
    deps_.max_unavailable.With({namespace_, name, policy}).Set(static_cast<double>(*most));
  }
}

}  // namespace flyball::controllers::stateful_set
