#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/api/storage/v1.h"

/// What an external provisioner decides: which claims it makes volumes for, what these are like,
/// and when they go.
namespace flyball::simulation {

/// The parameter of a class that ties each volume to where its first pod is: the label of nodes
/// that counts, "kubernetes.io/hostname".
inline constexpr std::string_view kTopologyParameter = "simulation.flyball.dev/topology";

/// The name of the volume that a claim gets.
std::string VolumeNameFor(const core::v1::PersistentVolumeClaim& claim);

/// Whether a claim that has no volume waits for one of this driver: the binder says whose it is,
/// and where a class waits for the first consumer the scheduler says for which node.
bool IsToBeProvisioned(const core::v1::PersistentVolumeClaim& claim,
                       const storage::v1::StorageClass& storage_class, std::string_view driver);

/// The node that the scheduler chose; empty: none.
std::string SelectedNodeOf(const core::v1::PersistentVolumeClaim& claim);

/// The volume of a claim, reserved for it. `node` is the one that was chosen, if there is one.
core::v1::PersistentVolume VolumeFor(const core::v1::PersistentVolumeClaim& claim,
                                     const storage::v1::StorageClass& storage_class,
                                     const views::KubeletNode* node, std::string_view driver);

/// Whether a failure is one of the chosen node, so that the scheduler is to choose anew.
bool IsOfTheNode(std::string_view error);

/// Whether nobody has a volume of this driver any more, and what is behind it is to go with it.
bool IsToBeDeleted(const core::v1::PersistentVolume& volume, std::string_view driver);

/// The volume with the finalizer as it is to be: there while what is behind it goes with it, and
/// not if that is to be kept. Nothing if it is so.
std::optional<core::v1::PersistentVolume> WithFinalizerAligned(
    const core::v1::PersistentVolume& volume, std::string_view driver);

}  // namespace flyball::simulation
