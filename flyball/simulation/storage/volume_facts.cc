#include "flyball/simulation/storage/volume_facts.h"

#include <algorithm>

#include "flyball/api/json.h"

namespace flyball::simulation {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;

namespace {

/// To a strategic patch finalizers are a set.
client::Patch FinalizersPatch(const meta::v1::ObjectMeta& metadata, std::string_view member,
                              std::string_view finalizer) {
  return client::Patch::Strategic(api::Json::Object{
      {"metadata",
       api::Json::Object{{"uid", metadata.uid},
                         {std::string(member), api::Json::Array{api::Json(finalizer)}}}}});
}

}  // namespace

api::Quantity StorageIn(const core::v1::ResourceList& resources) {
  const api::Quantity* const found = resources.find("storage");
  return found == nullptr ? api::Quantity() : *found;
}

std::string ClassOf(const PersistentVolumeClaim& claim) {
  if (const std::string* const old = claim.metadata.annotations.find(kBetaClass)) return *old;
  return claim.spec.storageClassName.value_or("");
}

std::string ClassOf(const PersistentVolume& volume) {
  if (const std::string* const old = volume.metadata.annotations.find(kBetaClass)) return *old;
  return volume.spec.storageClassName;
}

bool IsFullyBound(const PersistentVolumeClaim& claim) {
  return !claim.spec.volumeName.empty() && claim.metadata.annotations.contains(kBindCompleted);
}

bool IsBoundTo(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto& reference = volume.spec.claimRef;
  return reference && reference->uid == claim.metadata.uid;
}

core::v1::ObjectReference ReferenceToClaim(const PersistentVolumeClaim& claim) {
  core::v1::ObjectReference reference;
  reference.kind = "PersistentVolumeClaim";
  reference.apiVersion = "v1";
  reference.namespace_ = claim.metadata.namespace_;
  reference.name = claim.metadata.name;
  reference.uid = claim.metadata.uid;
  reference.resourceVersion = claim.metadata.resourceVersion;
  return reference;
}

bool IsOf(const PersistentVolume& volume, std::string_view driver) {
  return volume.spec.csi && volume.spec.csi->driver == driver;
}

std::string UniqueNameOf(const PersistentVolume& volume) {
  if (!volume.spec.csi) return {};
  return "kubernetes.io/csi/" + volume.spec.csi->driver + "^" + volume.spec.csi->volumeHandle;
}

bool HasFinalizer(const meta::v1::ObjectMeta& metadata, std::string_view finalizer) {
  return std::ranges::find(metadata.finalizers, finalizer) != metadata.finalizers.end();
}

void RemoveFinalizer(meta::v1::ObjectMeta& metadata, std::string_view finalizer) {
  std::erase(metadata.finalizers, finalizer);
}

client::Patch WithFinalizer(const meta::v1::ObjectMeta& metadata, std::string_view finalizer) {
  return FinalizersPatch(metadata, "finalizers", finalizer);
}

client::Patch WithoutFinalizer(const meta::v1::ObjectMeta& metadata, std::string_view finalizer) {
  return FinalizersPatch(metadata, "$deleteFromPrimitiveList/finalizers", finalizer);
}

}  // namespace flyball::simulation
