#pragma once

#include <chrono>
#include <optional>

#include "flyball/base/clock.h"
#include "flyball/controllers/deployment/rollout.h"

/// Whether a rollout gets on: the conditions Progressing and ReplicaFailure.
namespace flyball::controllers::deployment {

/// Whether a rollout is to show progress within a time.
bool HasProgressDeadline(const apps::v1::Deployment& deployment);

/// Says in Progressing that a deployment has been paused, or goes on: the time that it stood still
/// does not count.
void NotePause(const apps::v1::Deployment& deployment, apps::v1::DeploymentStatus& status,
               WallTime now);

/// Says in a new status whether there is progress compared with the one before, or none for too
/// long, and what keeps sets from having their pods.
void NoteProgress(const Rollout& rollout, const apps::v1::DeploymentStatus& before,
                  apps::v1::DeploymentStatus& status, WallTime now);

/// In what time a rollout that does not get on has to be looked at again, since its deadline is
/// over then. None if nothing comes of time alone.
std::optional<std::chrono::nanoseconds> NextProgressCheck(const apps::v1::Deployment& deployment,
                                                          const apps::v1::DeploymentStatus& status,
                                                          WallTime now);

}  // namespace flyball::controllers::deployment
