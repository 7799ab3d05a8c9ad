#pragma once

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/quantity.h"

/// Claims and their pods, for tests.
namespace flyball::controllers {

inline core::v1::PersistentVolumeClaim FakeClaim(const std::string& name,
                                                 const std::string& storage_class = "slow") {
  core::v1::PersistentVolumeClaim claim;
  claim.metadata.namespace_ = "team";
  claim.metadata.name = name;
  claim.spec.accessModes = {"ReadWriteOnce"};
  claim.spec.resources.requests["storage"] = *api::Quantity::Parse("1Gi");
  claim.spec.storageClassName = storage_class;
  return claim;
}

/// Without volumes.
inline core::v1::Pod FakeStoragePod(const std::string& name, const std::string& node = "node") {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "team";
  pod.metadata.name = name;
  pod.metadata.uid = "uid-of-" + name;
  pod.spec.nodeName = node;
  pod.spec.containers.emplace_back().name = "c";
  pod.spec.containers.back().image = "i";
  pod.status.phase = "Running";
  return pod;
}

inline core::v1::Pod WithClaim(core::v1::Pod pod, const std::string& claim) {
  auto& volume = pod.spec.volumes.emplace_back();
  volume.name = "data-" + std::to_string(pod.spec.volumes.size());
  volume.persistentVolumeClaim.emplace().claimName = claim;
  return pod;
}

/// With a volume whose claim is to be made of `made_of`.
inline core::v1::Pod WithEphemeral(core::v1::Pod pod, const std::string& volume_name,
                                   const core::v1::PersistentVolumeClaim& made_of = FakeClaim("")) {
  auto& volume = pod.spec.volumes.emplace_back();
  volume.name = volume_name;
  auto& claim = volume.ephemeral.emplace().volumeClaimTemplate.emplace();
  claim.metadata.labels = made_of.metadata.labels;
  claim.metadata.annotations = made_of.metadata.annotations;
  claim.spec = made_of.spec;
  return pod;
}

inline core::v1::PersistentVolumeClaim OwnedBy(core::v1::PersistentVolumeClaim claim,
                                               const core::v1::Pod& pod) {
  auto& owner = claim.metadata.ownerReferences.emplace_back();
  owner.apiVersion = "v1";
  owner.kind = "Pod";
  owner.name = pod.metadata.name;
  owner.uid = pod.metadata.uid;
  owner.controller = owner.blockOwnerDeletion = true;
  return claim;
}

}  // namespace flyball::controllers
