#pragma once

#include <vector>

#include "flyball/controllers/deployment/rollout.h"

namespace flyball::controllers::deployment {

/// The size that the current set of a deployment may have now, of `size` and no less; `total` is
/// what all sets are to have together.
std::int32_t GrownSize(const apps::v1::Deployment& deployment, std::int32_t size,
                       std::int32_t total);

/// The next step of a rolling update. There is a current set.
///
/// Grows the current set as far as the surge allows. When there is no room for that it shrinks old
/// ones, as far as enough pods stay available: first by pods that are not, which costs nothing,
/// then by others, the oldest sets first. A set may come twice.
std::vector<Resize> PlanRolling(const Rollout& rollout);

}  // namespace flyball::controllers::deployment
