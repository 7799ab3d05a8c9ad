#pragma once

#include <optional>

#include "flyball/base/result.h"
#include "flyball/controllers/volume_binder/annotations.h"

/// The four objects that a binding is written as, one after the other: the volume, its status, the
/// claim, its status. Whoever finds one written and the next not goes on from there.
namespace flyball::controllers::volume_binder {

/// None where there is nothing to change.
std::optional<PersistentVolume> BoundVolume(const PersistentVolume& volume,
                                            const PersistentVolumeClaim& claim);
std::optional<PersistentVolumeClaim> BoundClaim(const PersistentVolumeClaim& claim,
                                                const PersistentVolume& volume);
std::optional<PersistentVolume> WithPhase(const PersistentVolume& volume, const std::string& phase,
                                          const std::string& message = {});
/// With what the volume has to give. A volume without a capacity cannot be bound.
Result<std::optional<PersistentVolumeClaim>> WithBoundStatus(const PersistentVolumeClaim& claim,
                                                             const PersistentVolume& volume);
/// Without a volume, waiting for one or after it has lost its own.
std::optional<PersistentVolumeClaim> WithoutVolume(const PersistentVolumeClaim& claim,
                                                   const std::string& phase);

/// As before this controller bound it: one that was reserved for a claim stays reserved.
PersistentVolume Unbound(const PersistentVolume& volume);

/// For a provisioner to see; none if it is there.
std::optional<PersistentVolumeClaim> WithProvisioner(const PersistentVolumeClaim& claim,
                                                     const std::string& provisioner);

}  // namespace flyball::controllers::volume_binder
