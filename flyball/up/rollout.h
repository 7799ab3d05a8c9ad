#pragma once

#include "flyball/api/apps/v1.h"
#include "flyball/up/view/snapshot.h"

namespace flyball::up {

/// How far a workload is, by what its controller says of it.
Rollout RolloutOf(const apps::v1::Deployment& deployment);
Rollout RolloutOf(const apps::v1::StatefulSet& set);
Rollout RolloutOf(const apps::v1::DaemonSet& set);

}  // namespace flyball::up
