#pragma once

#include <memory>

#include "flyball/simulation/storage/driver_deps.h"

namespace flyball::simulation {

/// Does on the API what external-resizer does for a CSI driver: has volumes grow whose claims ask
/// for more. Resize_plan.h decides.
/// Reads PersistentVolumeClaims, PersistentVolumes and StorageClasses; writes the status of claims
/// and the capacity of volumes.
std::unique_ptr<runtime::Controller> MakeResizer(const runtime::Controller::Deps& deps,
                                                 const DriverOptions& options);

}  // namespace flyball::simulation
