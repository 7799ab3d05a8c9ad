#pragma once

#include <vector>

#include "flyball/controllers/deployment/rollout.h"

/// How a deployment that is paused, or whose size has changed, gets its size without getting on
/// with its rollout.
namespace flyball::controllers::deployment {

/// Whether the size has changed since those of the sets were decided on.
bool IsScaled(const Rollout& rollout);

/// Keeps the share that each set has. A set whose size stays is among them where what is noted on
/// it is to be brought up to date.
std::vector<Resize> PlanScale(const Rollout& rollout);

}  // namespace flyball::controllers::deployment
