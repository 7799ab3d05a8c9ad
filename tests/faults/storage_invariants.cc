#include "tests/faults/storage_invariants.h"

#include <algorithm>

#include "tests/faults/claims_of_pod.h"

namespace flyball::faults {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;

/// A claim that was made for a pod goes when that has ended on its node, before it is gone.
bool IsShutDown(const Pod& pod) {
  return pod.metadata.deletionTimestamp && pod.metadata.deletionGracePeriodSeconds == 0;
}

bool IsMadeFor(const PersistentVolumeClaim& claim, const Pod& pod) {
  const auto& owners = claim.metadata.ownerReferences;
  return std::ranges::any_of(owners,
                             [&](const auto& owner) { return owner.uid == pod.metadata.uid; });
}

bool Uses(const Pod& pod, const PersistentVolumeClaim& claim) {
  if (pod.spec.nodeName.empty()) return false;
  if (IsShutDown(pod) && IsMadeFor(claim, pod)) return false;
  return UsesClaim(pod, claim.metadata.namespace_, claim.metadata.name);
}

bool IsOf(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.spec.claimRef && volume.spec.claimRef->uid == claim.metadata.uid;
}

}  // namespace

void StorageInvariants::TellOfPod(const std::string& uid, const std::optional<Pod>& pod) {
  if (pod) {
    pods_[uid] = *pod;
  } else {
    pods_.erase(uid);
  }
}

void StorageInvariants::TellOfClaim(const std::string& uid,
                                    const std::optional<PersistentVolumeClaim>& claim) {
  const auto known = claims_.find(uid);
  if (!claim) {
    if (known == claims_.end()) return;
    for (const auto& [pod_uid, pod] : pods_) {
      if (!Uses(pod, known->second)) continue;
      violations_.push_back("claim " + known->second.metadata.name + " goes, and pod " +
                            pod.metadata.name + " uses it");
    }
    claims_.erase(known);
    return;
  }
  const bool same = known != claims_.end() && known->second.status.phase == claim->status.phase;
  claims_[uid] = *claim;
  if (same) return;
  if (claim->status.phase == "Bound") CheckBound(*claim);
  if (claim->status.phase == "Lost") CheckLost(*claim);
}

void StorageInvariants::CheckBound(const PersistentVolumeClaim& claim) {
  for (const auto& [uid, other] : claims_) {
    if (uid == claim.metadata.uid || other.status.phase != "Bound") continue;
    if (claim.spec.volumeName.empty() || other.spec.volumeName != claim.spec.volumeName) continue;
    violations_.push_back("claim " + claim.metadata.name + " is bound to " + claim.spec.volumeName +
                          ", and so is claim " + other.metadata.name);
  }
}

void StorageInvariants::CheckLost(const PersistentVolumeClaim& claim) {
  for (const auto& [uid, volume] : volumes_) {
    if (volume.metadata.name != claim.spec.volumeName || !IsOf(volume, claim)) continue;
    violations_.push_back("claim " + claim.metadata.name + " is lost, and has volume " +
                          volume.metadata.name);
  }
}

void StorageInvariants::TellOfVolume(const std::string& uid,
                                     const std::optional<PersistentVolume>& volume) {
  if (!volume) {
    volumes_.erase(uid);
    return;
  }
  const auto known = volumes_.find(uid);
  const bool same = known != volumes_.end() && known->second.status.phase == volume->status.phase;
  volumes_[uid] = *volume;
  if (same) return;
  if (volume->status.phase == "Bound") CheckOnly(uid, *volume);
  if (volume->status.phase == "Released") CheckReleased(*volume);
}

void StorageInvariants::CheckOnly(const std::string& uid, const PersistentVolume& volume) {
  if (!volume.spec.claimRef) return;
  for (const auto& [other_uid, other] : volumes_) {
    if (other_uid == uid || other.status.phase != "Bound" || !other.spec.claimRef) continue;
    if (other.spec.claimRef->uid != volume.spec.claimRef->uid) continue;
    violations_.push_back("volume " + volume.metadata.name + " is bound to claim " +
                          volume.spec.claimRef->name + ", and so is volume " + other.metadata.name);
  }
}

void StorageInvariants::CheckReleased(const PersistentVolume& volume) {
  for (const auto& [uid, claim] : claims_) {
    if (!IsOf(volume, claim)) continue;
    const std::string& has = claim.spec.volumeName;
    if (!has.empty() && has != volume.metadata.name) continue;
    violations_.push_back("volume " + volume.metadata.name + " is released, and is that of claim " +
                          claim.metadata.name);
  }
}

}  // namespace flyball::faults
