#pragma once

#include "flyball/base/clock.h"
#include "flyball/controllers/deployment/rollout.h"

namespace flyball::controllers::deployment {

/// The status that follows from a deployment's sets: how many pods, and whether enough of them are
/// available. Everything else is as in `before`. `count_terminating`: the feature
/// DeploymentReplicaSetTerminatingReplicas is on.
apps::v1::DeploymentStatus StatusOf(const Rollout& rollout,
                                    const apps::v1::DeploymentStatus& before,
                                    bool count_terminating, WallTime now);

}  // namespace flyball::controllers::deployment
