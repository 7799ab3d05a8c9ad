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

ObjectKey ClaimKeyOf(const PersistentVolume& volume) {
  return {volume.spec.claimRef->namespace_, volume.spec.claimRef->name};
}

/// What counts as the driver where nobody knows.
constexpr const char* kUnknown = "N/A";
constexpr const char* kHostPath = "kubernetes.io/host-path";

/// Whether upstream's manager would delete what is behind a volume itself, or try to.
bool IsPath(const PersistentVolume& volume) {
  const auto* const by = AnnotationOf(volume, kProvisionedBy);
  return volume.spec.hostPath && (by == nullptr || by->empty() || *by == kHostPath);
}

}  // namespace

Result<ClaimRef> VolumeReconciler::ClaimOf(Context& context, const PersistentVolume& volume) const {
  const std::string& uid = volume.spec.claimRef->uid;
  auto cached = caches_.claims.Get(ClaimKeyOf(volume));
  if (cached && cached->metadata.uid == uid) return cached;
  // Whoever made the volume may have seen a claim that the cache has yet to hear of. Of one that
  // was given up before nothing is to be feared any more.
  const bool over = volume.status.phase == "Released" || volume.status.phase == "Failed";
  if (!cached && over) return ClaimRef();
  auto live = context.client().Of<PersistentVolumeClaim>().Get(ClaimKeyOf(volume));
  if (!live && live.error().code() != ErrorCode::kNotFound) return std::unexpected(live.error());
  if (!live || live->metadata.uid != uid) return ClaimRef();
  return std::make_shared<const PersistentVolumeClaim>(*std::move(live));
}

Result<VolumeFacts> VolumeReconciler::FactsOf(Context& context,
                                              const PersistentVolume& volume) const {
  if (!IsBound(volume)) return VolumeFacts();
  const ObjectKey key = ClaimKeyOf(volume);
  VolumeFacts facts;
  FLYBALL_TRY(facts.claim, ClaimOf(context, volume));
  facts.name_in_use = caches_.claims.Get(key) != nullptr;
  facts.pods = [this, key] {
    std::vector<std::string> names;
    for (const auto& pod : common::PodsOfClaim(key, caches_.pods)) {
      if (common::IsTerminated(*pod)) continue;
      names.push_back(key.namespace_ + "/" + std::string(pod->metadata.name));
    }
    std::ranges::sort(names);
    return names;
  };
  return facts;
}

Result<Outcome> VolumeReconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto cached = caches_.volumes.Get(key);
  if (!cached) return Outcome::Done();
  // The cache is about to show what was written for a claim, and the volume is looked at then.
  if (memory_->own_writes.IsOutdated(*cached)) return Outcome::Done();
  PersistentVolume volume = *cached;
  const bool migrated = AlignMigration(volume);
  if (AlignFinalizers(volume) || migrated) {
    FLYBALL_TRY(Writer(context, memory_->own_writes).Put(volume));
  }
  FLYBALL_TRY(const VolumeFacts facts, FactsOf(context, volume));
  const VolumePlan plan = PlanFor(volume, facts);
  if (plan == VolumePlan()) return Outcome::Done();
  context.Decided(plan.ToString());
  if (const auto log = context.log().V(4)) {
    log.Info("Synchronizing PersistentVolume", {{"volumeName", key.name},
                                                {"volumeStatus", volume.status.phase},
                                                {"plan", plan.ToString()}});
  }
  FLYBALL_TRY(CarryOut(context, std::move(volume), facts, plan));
  return Outcome::Done();
}

void VolumeReconciler::CountDeletion(const PersistentVolume& volume,
                                     VolumePlan::Deletion deletion) const {
  if (deletion == VolumePlan::Deletion::kNone) return;
  const bool fails = deletion == VolumePlan::Deletion::kFails;
  std::string plugin = kUnknown;
  if (fails && IsPath(volume)) {
    plugin = kHostPath;
  } else if (const auto its = fails ? nullptr : caches_.classes.Get({"", ClassOf(volume)})) {
    // PARITY: and not by who made the volume, which some drivers call by names without end.
    plugin = MigratedTo(its->provisioner).value_or(its->provisioner);
  }
  memory_->times.Begin(volume.metadata.name, plugin, OperationTimes::Operation::kDelete);
  // PARITY: where there is nobody to try it, nothing has failed.
  if (fails && IsPath(volume)) memory_->times.Failed(volume.metadata.name);
}

Result<> VolumeReconciler::CarryOut(Context& context, PersistentVolume volume,
                                    const VolumeFacts& facts, const VolumePlan& plan) const {
  Writer writer(context, memory_->own_writes);
  if (plan.unbind) return writer.Unbind(volume);
  if (plan.deletion == VolumePlan::Deletion::kByDriver) {
    context.log().V(3).Info("External deleter for volume requested, ignoring",
                            {{"volumeName", volume.metadata.name}});
  }
  CountDeletion(volume, plan.deletion);
  if (plan.wake_claim) wake_(ClaimKeyOf(volume));
  Tell(context, volume, plan.events);
  if (facts.claim) Tell(context, *facts.claim, plan.claim_events);
  if (!plan.phase.empty()) {
    if (auto now = WithPhase(volume, plan.phase)) {
      volume = *std::move(now);
      FLYBALL_TRY(writer.PutStatus(volume));
      if (plan.phase == "Released") {
        context.log().V(2).Info("Volume is released and reclaim policy will be executed",
                                {{"volumeName", volume.metadata.name},
                                 {"reclaimPolicy", volume.spec.persistentVolumeReclaimPolicy}});
      }
    }
  }
  if (!plan.reclaimed_phase.empty()) {
    auto now = WithPhase(volume, plan.reclaimed_phase, plan.reclaim_events.front().message);
    if (now) FLYBALL_TRY(writer.PutStatus(*now));
  }
  Tell(context, volume, plan.reclaim_events);
  return {};
}

}  // namespace flyball::controllers::volume_binder
