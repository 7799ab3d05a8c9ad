#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/quantity.h"
#include "flyball/client/resource_client.h"

/// What binders, schedulers, drivers and nodes tell each other by annotations and finalizers of
/// claims and volumes, and what more than one of the simulated ones asks.
namespace flyball::simulation {

inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaProvisioner =
    "volume.beta.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
inline constexpr std::string_view kPreResizeCapacity =
    "volume.alpha.kubernetes.io/pre-resize-capacity";
inline constexpr std::string_view kProvisionerFinalizer =
    "external-provisioner.volume.kubernetes.io/finalizer";

api::Quantity StorageIn(const core::v1::ResourceList& resources);

/// The storage class; empty is that of volumes which nobody provisions.
std::string ClassOf(const core::v1::PersistentVolumeClaim& claim);
std::string ClassOf(const core::v1::PersistentVolume& volume);

/// Whether the binder is done with a claim, on both sides.
bool IsFullyBound(const core::v1::PersistentVolumeClaim& claim);
/// Whether a volume is a claim's, and not that of another which was called the same.
bool IsBoundTo(const core::v1::PersistentVolume& volume,
               const core::v1::PersistentVolumeClaim& claim);
/// What says so on a volume.
core::v1::ObjectReference ReferenceToClaim(const core::v1::PersistentVolumeClaim& claim);

/// Whether a volume is one of a CSI driver's.
bool IsOf(const core::v1::PersistentVolume& volume, std::string_view driver);
/// What nodes and the attach-detach controller call a volume; empty if no CSI driver has it.
std::string UniqueNameOf(const core::v1::PersistentVolume& volume);

bool HasFinalizer(const meta::v1::ObjectMeta& metadata, std::string_view finalizer);
void RemoveFinalizer(meta::v1::ObjectMeta& metadata, std::string_view finalizer);
/// What adds one to this very object, or takes it away, whatever others do to it meanwhile.
client::Patch WithFinalizer(const meta::v1::ObjectMeta& metadata, std::string_view finalizer);
client::Patch WithoutFinalizer(const meta::v1::ObjectMeta& metadata, std::string_view finalizer);

}  // namespace flyball::simulation
