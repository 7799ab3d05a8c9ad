#pragma once

#include <memory>

#include "flyball/simulation/storage/driver_deps.h"

namespace flyball::simulation {

/// Does on the API what external-provisioner does for a CSI driver: makes volumes for claims, and
/// deletes them when they are released and not to be kept. Provision_plan.h decides.
/// Reads PersistentVolumeClaims, PersistentVolumes, StorageClasses and Nodes; writes
/// PersistentVolumes, and takes back the choice of a node from PersistentVolumeClaims.
std::unique_ptr<runtime::Controller> MakeProvisioner(const runtime::Controller::Deps& deps,
                                                     const DriverOptions& options);

}  // namespace flyball::simulation
