#pragma once

#include <string>

#include "flyball/api/quantity.h"
#include "flyball/api/time.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/volume_binder/annotations.h"

/// Claims and volumes for tests.
namespace flyball::controllers::volume_binder {

/// One that waits, of the class "slow".
inline PersistentVolumeClaim Claim(const std::string& name, const std::string& size) {
  PersistentVolumeClaim claim;
  claim.metadata.namespace_ = "team";
  claim.metadata.name = name;
  claim.metadata.uid = "uid-of-" + name;
  claim.metadata.resourceVersion = "7";
  claim.spec.accessModes = {"ReadWriteOnce"};
  claim.spec.storageClassName = "slow";
  claim.spec.resources.requests["storage"] = *api::Quantity::Parse(size);
  claim.status.phase = "Pending";
  return claim;
}

/// One that anybody may have, of the same class.
inline PersistentVolume Free(const std::string& name, const std::string& size) {
  PersistentVolume volume;
  volume.metadata.name = name;
  volume.spec.accessModes = {"ReadWriteOnce"};
  volume.spec.storageClassName = "slow";
  volume.spec.persistentVolumeReclaimPolicy = "Retain";
  volume.spec.capacity["storage"] = *api::Quantity::Parse(size);
  volume.status.phase = "Available";
  return volume;
}

/// Reserved by somebody, by name.
inline PersistentVolume MeantFor(PersistentVolume volume, const PersistentVolumeClaim& claim) {
  auto& reference = volume.spec.claimRef.emplace();
  reference.namespace_ = claim.metadata.namespace_;
  reference.name = claim.metadata.name;
  return volume;
}

/// Bound, but not what says so in the status.
inline PersistentVolume BoundTo(const PersistentVolumeClaim& claim, PersistentVolume volume) {
  volume = MeantFor(std::move(volume), claim);
  volume.spec.claimRef->uid = claim.metadata.uid;
  return volume;
}

}  // namespace flyball::controllers::volume_binder
