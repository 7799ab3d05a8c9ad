#include <algorithm>
#include <utility>

#include "flyball/controllers/common/pod_claims.h"
#include "flyball/controllers/volume_binder/claim_binding.h"
#include "flyball/controllers/volume_binder/reconcilers.h"
#include "flyball/controllers/volume_binder/writer.h"

namespace flyball::controllers::volume_binder {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;
using Action = ClaimPlan::Action;

}  // namespace

ClaimFacts ClaimReconciler::FactsOf(const ObjectKey& claim) const {
  return {
      .volume = [this](const std::string& name) { return caches_.volumes.Get({"", name}); },
      .volumes = {.any =
                      [this](const std::string& key) {
                        return caches_.volumes.AnyByIndex(kMatchIndex, key);
                      },
                  .all =
                      [this](const std::string& key) {
                        auto volumes = caches_.volumes.ByIndex(kMatchIndex, key);
                        std::erase_if(volumes, [&](const auto& volume) {
                          return memory_->own_writes.IsOutdated(*volume);
                        });
                        return volumes;
                      }},
      .storage_class = [this](const std::string& name) { return caches_.classes.Get({"", name}); },
      .classes = [this] { return caches_.classes.List(); },
      .waiting_pods =
          [this, claim] {
            std::vector<std::string> names;
            for (const auto& pod : common::PodsOfClaim(claim, caches_.pods)) {
              if (!pod->spec.nodeName.empty() || common::IsTerminated(*pod)) continue;
              names.emplace_back(pod->metadata.name);
            }
            std::ranges::sort(names);
            return names;
          },
      .provisions = options_.provisions};
}

Result<Outcome> ClaimReconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto cached = caches_.claims.Get(key);
  if (!cached) return Outcome::Done();
  PersistentVolumeClaim claim = *cached;
  if (AlignMigration(claim)) FLYBALL_TRY(Writer(context, memory_->own_writes).Put(claim));
  const ClaimPlan plan = PlanFor(claim, FactsOf(key));
  context.Decided(plan.ToString());
  if (const auto log = context.log().V(4)) {
    log.Info("Synchronizing PersistentVolumeClaim",
             {{"PVC", key}, {"claimStatus", claim.status.phase}, {"plan", plan.ToString()}});
  }
  return CarryOut(context, std::move(claim), plan);
}

Result<Outcome> ClaimReconciler::CarryOut(Context& context, PersistentVolumeClaim claim,
                                          const ClaimPlan& plan) const {
  Writer writer(context, memory_->own_writes);
  switch (plan.action) {
    case Action::kBind:
      FLYBALL_TRY(Bind(context, std::move(claim), *plan.volume));
      return Outcome::Done();
    case Action::kAssignClass:
      FLYBALL_TRY(AssignClass(context, std::move(claim), plan.name));
      return Outcome::Done();
    case Action::kProvision:
      FLYBALL_TRY(Provision(context, claim, plan));
      return Outcome::Done();
    case Action::kLost:
      return Lose(context, claim, plan);
    case Action::kPending:
      Tell(context, claim, plan.events);
      if (auto pending = WithoutVolume(claim, "Pending")) FLYBALL_TRY(writer.PutStatus(*pending));
      return Outcome::Done();
    case Action::kNothing:
      Tell(context, claim, plan.events);
      break;
  }
  if (!plan.problem.empty()) return Fail(ErrorCode::kInvalid, plan.problem);
  return Outcome::Done();
}

Result<> ClaimReconciler::Bind(Context& context, PersistentVolumeClaim claim,
                               const PersistentVolume& volume) const {
  const std::string key = ObjectKey::Of(claim).ToString();
  auto bound = Writer(context, memory_->own_writes).Bind(volume, std::move(claim));
  if (bound) {
    memory_->times.Done(key);
  } else {
    memory_->times.Failed(key);
  }
  return bound;
}

Result<Outcome> ClaimReconciler::Lose(Context& context, const PersistentVolumeClaim& claim,
                                      const ClaimPlan& plan) const {
  if (claim.status.phase == "Lost") return Outcome::Done();
  // DIVERGES: people who read that their data are lost act upon it, so that it is not said of a
  // volume which only the cache does not have yet.
  const std::string& name = claim.spec.volumeName;
  if (!name.empty() && !caches_.volumes.Get({"", name})) {
    const auto live = context.client().Of<PersistentVolume>().Get({"", name});
    if (live) return Outcome::RequeueWithBackoff();
    if (live.error().code() != ErrorCode::kNotFound) return std::unexpected(live.error());
  }
  auto lost = WithoutVolume(claim, "Lost");
  if (lost) FLYBALL_TRY(Writer(context, memory_->own_writes).PutStatus(*lost));
  Tell(context, claim, plan.events);
  return Outcome::Done();
}

Result<> ClaimReconciler::AssignClass(Context& context, PersistentVolumeClaim claim,
                                      const std::string& name) const {
  context.log().V(4).Info("Assigning StorageClass to PersistentVolumeClaim",
                          {{"PVC", api::KObj(claim)}, {"storageClassName", name}});
  claim.spec.storageClassName = name;
  metrics_.assigned.Increment();
  auto put = Writer(context, memory_->own_writes).Put(claim);
  if (put) {
    context.log().V(4).Info("Successfully assigned StorageClass to PersistentVolumeClaim",
                            {{"PVC", api::KObj(claim)}, {"storageClassName", name}});
  } else {
    metrics_.failed.Increment();
  }
  return put;
}

Result<> ClaimReconciler::Provision(Context& context, const PersistentVolumeClaim& claim,
                                    const ClaimPlan& plan) const {
  const std::string key = ObjectKey::Of(claim).ToString();
  context.log().V(4).Info(
      "provisionClaimOperationExternal started",
      {{"PVC", api::KObj(claim)}, {"storageClassName", claim.spec.storageClassName.value_or("")}});
  memory_->times.Begin(key, plan.name, OperationTimes::Operation::kProvision);
  if (auto annotated = WithProvisioner(claim, plan.name)) {
    const auto put = Writer(context, memory_->own_writes).Put(*annotated);
    if (!put) {
      memory_->times.Failed(key);
      Tell(context, claim,
           {common::Warning("ProvisioningFailed", "Error saving claim: " + put.error().message())});
      return put;
    }
  }
  Tell(context, claim, plan.events);
  return {};
}

}  // namespace flyball::controllers::volume_binder
