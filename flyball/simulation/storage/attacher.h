#pragma once

#include <memory>

#include "flyball/simulation/storage/driver_deps.h"

namespace flyball::simulation {

/// Does on the API what external-attacher does for a CSI driver: says of VolumeAttachments that
/// they are attached, and lets those go that are to go when they are detached. Attach_plan.h
/// decides. Reads VolumeAttachments, PersistentVolumes, StorageClasses and CSINodes; writes
/// VolumeAttachments with their status, and the finalizers of PersistentVolumes.
std::unique_ptr<runtime::Controller> MakeAttacher(const runtime::Controller::Deps& deps,
                                                  const DriverOptions& options);

}  // namespace flyball::simulation
