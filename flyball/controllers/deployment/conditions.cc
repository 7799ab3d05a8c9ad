#include "flyball/controllers/deployment/conditions.h"

#include <algorithm>
#include <utility>

namespace flyball::controllers::deployment {

using apps::v1::DeploymentCondition;
using apps::v1::DeploymentStatus;

const DeploymentCondition* FindCondition(const DeploymentStatus& status, std::string_view type) {
  const auto found = std::ranges::find(status.conditions, type, &DeploymentCondition::type);
  return found == status.conditions.end() ? nullptr : &*found;
}

DeploymentCondition MakeCondition(std::string_view type, std::string_view status,
                                  std::string_view reason, std::string message, WallTime now) {
  DeploymentCondition condition;
  condition.type = type;
  condition.status = status;
  condition.reason = reason;
  condition.message = std::move(message);
  condition.lastUpdateTime = condition.lastTransitionTime = api::Time(now);
  return condition;
}

void SetCondition(DeploymentStatus& status, DeploymentCondition condition) {
  if (const auto* const before = FindCondition(status, condition.type);
      before != nullptr && before->status == condition.status) {
    if (before->reason == condition.reason) return;
    condition.lastTransitionTime = before->lastTransitionTime;
  }
  RemoveCondition(status, condition.type);
  status.conditions.push_back(std::move(condition));
}

void RemoveCondition(DeploymentStatus& status, std::string_view type) {
  std::erase_if(status.conditions,
                [type](const DeploymentCondition& condition) { return condition.type == type; });
}

}  // namespace flyball::controllers::deployment
