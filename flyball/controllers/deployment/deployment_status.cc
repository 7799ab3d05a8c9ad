#include "flyball/controllers/deployment/deployment_status.h"

#include <algorithm>
#include <optional>

#include "flyball/base/wrapping.h"
#include "flyball/controllers/deployment/conditions.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::DeploymentStatus;

/// None if a set does not count its own, as one does that an older manager has seen last.
std::optional<std::int32_t> Terminating(const std::vector<SetRef>& sets) {
  std::int32_t total = 0;
  for (const SetRef& set : sets) {
    const auto& status = set->status;
    if (!status.terminatingReplicas && status.observedGeneration > 0) return std::nullopt;
    // A set that nobody has seen yet has none.
    total = WrappingAdd(total, status.terminatingReplicas.value_or(0));
  }
  return total;
}

}  // namespace

DeploymentStatus StatusOf(const Rollout& rollout, const DeploymentStatus& before,
                          bool count_terminating, WallTime now) {
  const std::vector<SetRef> all = rollout.All();
  DeploymentStatus status = before;
  status.observedGeneration = rollout.deployment.metadata.generation;
  status.replicas = status.readyReplicas = 0;
  for (const SetRef& set : all) {
    status.replicas = WrappingAdd(status.replicas, set->status.replicas);
    status.readyReplicas = WrappingAdd(status.readyReplicas, set->status.readyReplicas);
  }
  status.updatedReplicas = rollout.current ? rollout.current->status.replicas : 0;
  status.availableReplicas = TotalAvailable(all);
  // More may be available than are asked for: while sets shrink.
  status.unavailableReplicas =
      std::max(0, WrappingSubtract(TotalSize(all), status.availableReplicas));
  status.terminatingReplicas = count_terminating ? Terminating(all) : std::nullopt;

  const std::int32_t least =
      WrappingSubtract(SizeOf(rollout.deployment), LimitsOf(rollout.deployment).unavailable);
  SetCondition(status, status.availableReplicas >= least
                           ? MakeCondition(kAvailable, "True", "MinimumReplicasAvailable",
                                           "Deployment has minimum availability.", now)
                           : MakeCondition(kAvailable, "False", "MinimumReplicasUnavailable",
                                           "Deployment does not have minimum availability.", now));
  return status;
}

}  // namespace flyball::controllers::deployment
