#include "flyball/simulation/storage/scheduler_volumes.h"

#include <algorithm>
#include <utility>

#include "flyball/base/stable_sort.h"
#include "flyball/simulation/storage/pod_volumes.h"
#include "flyball/simulation/storage/provision_plan.h"
#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using api::ObjectKey;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using runtime::Context;

/// PARITY: why a pod is not even looked at; empty: it is.
std::string ProblemWith(const PodClaim& meant, const views::KubeletPod& pod,
                        const PersistentVolumeClaim* claim) {
  const std::string name = "persistentvolumeclaim \"" + meant.name + "\"";
  if (claim == nullptr) {
    if (!meant.ephemeral) return name + " not found";
    return "waiting for ephemeral volume controller to create the " + name;
  }
  if (claim->status.phase == "Lost") {
    return name + " bound to non-existent persistentvolume \"" + claim->spec.volumeName + "\"";
  }
  if (claim->metadata.deletionTimestamp) return name + " is being deleted";
  if (meant.ephemeral && !IsMadeFor(*claim, pod)) {
    return "PVC " + claim->metadata.namespace_ + "/" + claim->metadata.name +
           " was not created for pod " + std::string(pod.metadata.namespace_.view()) + "/" +
           std::string(pod.metadata.name.view()) + " (pod is not owner)";
  }
  return {};
}

api::Quantity RequestOf(const DelayedClaim& delayed) {
  return StorageIn(delayed.claim->spec.resources.requests);
}

}  // namespace

std::shared_ptr<const VolumeNeeds> SchedulerVolumes::NeedsOf(const views::KubeletPod& pod) const {
  const auto meant = ClaimsOf(pod);
  if (meant.empty()) return nullptr;
  auto needs = std::make_shared<VolumeNeeds>();
  std::vector<ClaimRef> claims;
  for (const PodClaim& one : meant) {
    auto claim = deps_.claims.Get({std::string(pod.metadata.namespace_.view()), one.name});
    needs->problem = ProblemWith(one, pod, claim.get());
    if (!needs->problem.empty()) return needs;
    claims.push_back(std::move(claim));
  }
  for (const ClaimRef& claim : claims) Add(claim, *needs);
  StableSort(needs->delayed, [](const DelayedClaim& a, const DelayedClaim& b) {
    return RequestOf(a) < RequestOf(b);
  });
  return needs;
}

void SchedulerVolumes::Add(const ClaimRef& claim, VolumeNeeds& needs) const {
  if (IsFullyBound(*claim)) {
    const auto volume = deps_.volumes.Get({"", claim->spec.volumeName});
    if (volume) {
      needs.bound.emplace_back(*volume);
    } else {
      needs.missing = true;
    }
    return;
  }
  auto storage_class = deps_.classes.Get({"", ClassOf(*claim)});
  if (!IsDelayed(*claim, storage_class.get())) {
    needs.problem = "pod has unbound immediate PersistentVolumeClaims";
    return;
  }
  DelayedClaim delayed{.claim = claim, .storage_class = std::move(storage_class)};
  delayed.node = SelectedNodeOf(*claim);
  if (delayed.node.empty()) delayed.node = NodePromised(ObjectKey::Of(*claim));
  if (delayed.node.empty()) delayed.candidates = CandidatesFor(*claim);
  needs.delayed.push_back(std::move(delayed));
}

std::vector<VolumeRef> SchedulerVolumes::CandidatesFor(const PersistentVolumeClaim& claim) const {
  std::vector<VolumeRef> candidates = deps_.volumes.List();
  std::erase_if(candidates, [&](const VolumeRef& volume) {
    return !CouldHave(claim, *volume) || IsPromised(volume->metadata.name);
  });
  std::ranges::sort(candidates, [](const VolumeRef& a, const VolumeRef& b) {
    // One that is meant for the claim comes before all others.
    if (a->spec.claimRef.has_value() != b->spec.claimRef.has_value()) {
      return a->spec.claimRef.has_value();
    }
    const int order = StorageIn(a->spec.capacity).Compare(StorageIn(b->spec.capacity));
    return order != 0 ? order < 0 : a->metadata.name < b->metadata.name;
  });
  return candidates;
}

std::string SchedulerVolumes::NodePromised(const ObjectKey& claim) const {
  MutexLock lock(mutex_);
  for (const auto& [pod, promised] : promised_) {
    if (std::ranges::find(promised.claims, claim) != promised.claims.end()) return promised.node;
  }
  return {};
}

bool SchedulerVolumes::IsPromised(const std::string& volume) const {
  MutexLock lock(mutex_);
  return std::ranges::any_of(promised_, [&](const auto& entry) {
    return std::ranges::find(entry.second.volumes, volume) != entry.second.volumes.end();
  });
}

void SchedulerVolumes::Promise(const ObjectKey& pod, const VolumeChoice& choice,
                               const std::string& node) {
  Promised promised{.node = node, .volumes = {}, .claims = {}};
  for (const auto& binding : choice.bindings) {
    promised.volumes.push_back(binding.volume->metadata.name);
  }
  for (const ClaimRef& claim : choice.provisions) {
    promised.claims.push_back(ObjectKey::Of(*claim));
  }
  MutexLock lock(mutex_);
  promised_.insert_or_assign(pod, std::move(promised));
}

void SchedulerVolumes::Settle(const ObjectKey& pod) {
  MutexLock lock(mutex_);
  promised_.erase(pod);
}

Result<> SchedulerVolumes::Write(Context& context, const VolumeChoice& choice,
                                 const std::string& node) const {
  for (const auto& [claim, volume] : choice.bindings) {
    if (IsBoundTo(*volume, *claim)) continue;
    PersistentVolume changed = *volume;
    // PARITY: one that was reserved by a person is not said to be bound by a controller.
    if (!changed.spec.claimRef) changed.metadata.annotations[kBoundByController] = "yes";
    changed.spec.claimRef = ReferenceToClaim(*claim);
    FLYBALL_TRY(context.Update(changed));
  }
  for (const ClaimRef& claim : choice.provisions) {
    if (SelectedNodeOf(*claim) == node) continue;
    PersistentVolumeClaim changed = *claim;
    changed.metadata.annotations[kSelectedNode] = node;
    FLYBALL_TRY(context.Update(changed));
  }
  return {};
}

Result<bool> SchedulerVolumes::AreBound(const VolumeChoice& choice, const std::string& node) const {
  bool all = true;
  for (const auto& [chosen, volume] : choice.bindings) {
    const auto claim = deps_.claims.Get(ObjectKey::Of(*chosen));
    const auto now = deps_.volumes.Get({"", volume->metadata.name});
    if (!claim || !now) return Fail(ErrorCode::kNotFound, "failed to check binding");
    if (!now->spec.claimRef || now->spec.claimRef->uid.empty()) {
      return Fail(ErrorCode::kConflict,
                  "ClaimRef got reset for pv \"" + volume->metadata.name + "\"");
    }
    all = all && IsFullyBound(*claim);
  }
  for (const ClaimRef& chosen : choice.provisions) {
    const auto claim = deps_.claims.Get(ObjectKey::Of(*chosen));
    if (!claim) return Fail(ErrorCode::kNotFound, "failed to check provisioning pvc");
    if (SelectedNodeOf(*claim) != node) {
      return Fail(ErrorCode::kConflict,
                  "provisioning failed for PVC \"" + claim->metadata.name + "\"");
    }
    all = all && IsFullyBound(*claim);
  }
  return all;
}

}  // namespace flyball::simulation
