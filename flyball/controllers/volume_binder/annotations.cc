#include "flyball/controllers/volume_binder/annotations.h"

#include "flyball/controllers/common/protection.h"

namespace flyball::controllers::volume_binder {
namespace {

constexpr const char* kFilesystem = "Filesystem";

template <typename T>
bool Align(T& object, const std::string& provisioner) {
  auto& annotations = object.metadata.annotations;
  const std::string* const said = AnnotationOf(object, kMigratedTo);
  const auto driver = MigratedTo(provisioner);
  if (driver) {
    if (said != nullptr && *said == *driver) return false;
    annotations[std::string(kMigratedTo)] = *driver;
    return true;
  }
  if (said == nullptr || said->empty()) return false;
  annotations.erase(std::string(kMigratedTo));
  return true;
}

}  // namespace

std::string ClassOf(const PersistentVolumeClaim& claim) {
  if (const auto* const beta = AnnotationOf(claim, kBetaClass)) return *beta;
  return claim.spec.storageClassName.value_or("");
}

std::string ClassOf(const PersistentVolume& volume) {
  if (const auto* const beta = AnnotationOf(volume, kBetaClass)) return *beta;
  return volume.spec.storageClassName;
}

bool HasClass(const PersistentVolumeClaim& claim) {
  return HasAnnotation(claim, kBetaClass) || claim.spec.storageClassName;
}

std::string ModeOf(const PersistentVolumeClaim& claim) {
  return claim.spec.volumeMode.value_or(kFilesystem);
}
std::string ModeOf(const PersistentVolume& volume) {
  return volume.spec.volumeMode.value_or(kFilesystem);
}

bool IsMeantFor(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto& reference = volume.spec.claimRef;
  if (!reference || reference->name != claim.metadata.name ||
      reference->namespace_ != claim.metadata.namespace_) {
    return false;
  }
  return reference->uid.empty() || reference->uid == claim.metadata.uid;
}

bool IsInTree(std::string_view provisioner) { return provisioner.starts_with("kubernetes.io/"); }

bool AlignMigration(PersistentVolumeClaim& claim) {
  const std::string* provisioner = AnnotationOf(claim, kProvisioner);
  if (provisioner == nullptr) provisioner = AnnotationOf(claim, kBetaProvisioner);
  return provisioner != nullptr && Align(claim, std::string(*provisioner));
}

bool AlignMigration(PersistentVolume& volume) {
  const std::string* const provisioner = AnnotationOf(volume, kProvisionedBy);
  return provisioner != nullptr && Align(volume, std::string(*provisioner));
}

bool AlignFinalizers(PersistentVolume& volume) {
  const std::string* const provisioner = AnnotationOf(volume, kProvisionedBy);
  if (provisioner == nullptr) return false;
  auto& finalizers = volume.metadata.finalizers;
  if (MigratedTo(*provisioner)) return std::erase(finalizers, kInTreeFinalizer) > 0;
  if (!IsInTree(*provisioner)) return false;
  bool changed = std::erase(finalizers, kExternalFinalizer) > 0;
  const std::string& policy = volume.spec.persistentVolumeReclaimPolicy;
  const bool has = common::HasFinalizer(volume, kInTreeFinalizer);
  if (policy == "Delete" && !has) {
    finalizers.emplace_back(kInTreeFinalizer);
    changed = true;
  } else if ((policy == "Retain" || policy == "Recycle") && has) {
    std::erase(finalizers, kInTreeFinalizer);
    changed = true;
  }
  return changed;
}

}  // namespace flyball::controllers::volume_binder
