#pragma once

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/quantity.h"
#include "flyball/api/storage/v1.h"
#include "flyball/simulation/storage/volume_facts.h"

/// Claims and volumes for tests.
namespace flyball::simulation {

inline api::Quantity Size(const std::string& text) { return api::Quantity::Parse(text).value(); }

/// A claim for 1Gi of a class, which has no volume.
inline core::v1::PersistentVolumeClaim ClaimNamed(const std::string& name,
                                                  const std::string& storage_class = "standard") {
  core::v1::PersistentVolumeClaim claim;
  claim.metadata.namespace_ = "ns";
  claim.metadata.name = name;
  claim.metadata.uid = "uid-of-" + name;
  claim.spec.accessModes = {"ReadWriteOnce"};
  claim.spec.storageClassName = storage_class;
  claim.spec.volumeMode = "Filesystem";
  claim.spec.resources.requests["storage"] = Size("1Gi");
  claim.status.phase = "Pending";
  return claim;
}

/// A volume of 1Gi that nobody has.
inline core::v1::PersistentVolume VolumeNamed(const std::string& name,
                                              const std::string& driver = "d.example.com") {
  core::v1::PersistentVolume volume;
  volume.metadata.name = name;
  volume.metadata.uid = "uid-of-" + name;
  volume.spec.accessModes = {"ReadWriteOnce"};
  volume.spec.capacity["storage"] = Size("1Gi");
  volume.spec.persistentVolumeReclaimPolicy = "Delete";
  volume.spec.storageClassName = "standard";
  volume.spec.volumeMode = "Filesystem";
  auto& csi = volume.spec.csi.emplace();
  csi.driver = driver;
  csi.volumeHandle = "handle-of-" + name;
  volume.status.phase = "Available";
  return volume;
}

/// The two, bound to each other.
inline void Bind(core::v1::PersistentVolumeClaim& claim, core::v1::PersistentVolume& volume) {
  claim.spec.volumeName = volume.metadata.name;
  claim.metadata.annotations[kBindCompleted] = "yes";
  claim.status.phase = "Bound";
  claim.status.accessModes = volume.spec.accessModes;
  claim.status.capacity = volume.spec.capacity;
  volume.spec.claimRef = ReferenceToClaim(claim);
  volume.status.phase = "Bound";
}

inline storage::v1::StorageClass ClassNamed(const std::string& name, const std::string& mode,
                                            const std::string& driver = "d.example.com") {
  storage::v1::StorageClass storage_class;
  storage_class.metadata.name = name;
  storage_class.provisioner = driver;
  storage_class.reclaimPolicy = "Delete";
  storage_class.volumeBindingMode = mode;
  storage_class.allowVolumeExpansion = true;
  return storage_class;
}

}  // namespace flyball::simulation
