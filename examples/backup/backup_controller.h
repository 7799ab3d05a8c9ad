#pragma once

#include "flyball/operator/manager.h"

namespace backup {

/// Keeps for every Backup a Secret with the manifests of what is labelled with its name: objects
/// that are not its own, of kinds that it has no types of.
void AddBackupController(flyball::Manager& manager);

}  // namespace backup
