#pragma once

#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/common/csi_migration.h"
#include "flyball/controllers/common/storage_size.h"

/// What this controller, schedulers and provisioners tell each other by annotations, and what is
/// asked of claims and volumes by more than one of the decisions here.
namespace flyball::controllers::volume_binder {

using common::kPreResizeCapacity;
using common::MigratedTo;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;

inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
inline constexpr std::string_view kMigratedTo = "pv.kubernetes.io/migrated-to";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaProvisioner =
    "volume.beta.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
/// Finalizers that keep a volume until what is behind it is deleted: by an external provisioner, or
/// by a driver that is part of the manager.
inline constexpr std::string_view kExternalFinalizer =
    "external-provisioner.volume.kubernetes.io/finalizer";
inline constexpr std::string_view kInTreeFinalizer = "kubernetes.io/pv-controller";

template <typename T>
const std::string* AnnotationOf(const T& object, std::string_view name) {
  const auto& annotations = object.metadata.annotations;
  return annotations.find(name);
}
template <typename T>
bool HasAnnotation(const T& object, std::string_view name) {
  return AnnotationOf(object, name) != nullptr;
}

/// The storage class: empty is one too, that of volumes which nobody provisions.
std::string ClassOf(const PersistentVolumeClaim& claim);
std::string ClassOf(const PersistentVolume& volume);
/// Whether somebody chose a class, be it the empty one.
bool HasClass(const PersistentVolumeClaim& claim);

std::string ModeOf(const PersistentVolumeClaim& claim);
std::string ModeOf(const PersistentVolume& volume);

/// Whether a volume is reserved for or bound to this very claim. One that is reserved says the
/// claim's name only.
bool IsMeantFor(const PersistentVolume& volume, const PersistentVolumeClaim& claim);

/// A name that only drivers have which are, or were, part of Kubernetes.
bool IsInTree(std::string_view provisioner);

/// Brings the annotations that tell a migrated driver into line with the provisioner's. Whether
/// there was anything to change.
bool AlignMigration(PersistentVolumeClaim& claim);
bool AlignMigration(PersistentVolume& volume);
/// Likewise the finalizers that protect what a driver has provisioned.
bool AlignFinalizers(PersistentVolume& volume);

}  // namespace flyball::controllers::volume_binder
