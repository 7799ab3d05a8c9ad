#include "tests/faults/volume_loss_invariants.h"

namespace flyball::faults {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;

void VolumeLossInvariants::TellOfClaim(const std::string& uid,
                                       const std::optional<PersistentVolumeClaim>& claim) {
  if (claim) {
    claims_[uid] = *claim;
  } else {
    claims_.erase(uid);
  }
}

void VolumeLossInvariants::TellOfVolume(const std::string& uid,
                                        const std::optional<PersistentVolume>& volume) {
  const auto known = volumes_.find(uid);
  const bool was_going = known != volumes_.end() && known->second.metadata.deletionTimestamp;
  const bool goes = !volume || volume->metadata.deletionTimestamp;
  if (goes && !was_going && known != volumes_.end() && !given_up_.contains(uid)) {
    CheckGoing(known->second);
  }
  if (volume) {
    volumes_[uid] = *volume;
  } else if (known != volumes_.end()) {
    volumes_.erase(known);
  }
}

void VolumeLossInvariants::CheckGoing(const PersistentVolume& volume) {
  const std::string& name = volume.metadata.name;
  const std::string& policy = volume.spec.persistentVolumeReclaimPolicy;
  if (policy != "Delete") {
    violations_.push_back("volume " + name + " goes, and its policy is " + policy);
  }
  if (!volume.spec.claimRef) return;
  const auto claim = claims_.find(volume.spec.claimRef->uid);
  if (claim == claims_.end()) return;
  const std::string& has = claim->second.spec.volumeName;
  if (!has.empty() && has != name) return;
  violations_.push_back("volume " + name + " goes, and is that of claim " +
                        claim->second.metadata.name);
}

}  // namespace flyball::faults
