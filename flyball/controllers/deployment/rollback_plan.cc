#include "flyball/controllers/deployment/rollback_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "flyball/controllers/deployment/annotations.h"
#include "flyball/controllers/deployment/revisions.h"

namespace flyball::controllers::deployment {
namespace {

Event Warning(std::string reason, std::string message) {
  return {.type = runtime::EventType::kWarning,
          .reason = std::move(reason),
          .message = std::move(message)};
}

}  // namespace

RollBack PlanRollBack(const Rollout& rollout, std::int64_t target) {
  const std::vector<SetRef> sets = rollout.All();
  RollBack plan{.deployment = rollout.deployment, .event = {}};
  auto& [deployment, event] = plan;
  const std::string name = "\"" + deployment.metadata.name + "\"";
  const bool to_last = target == 0;
  if (to_last) target = SecondHighestRevision(sets);

  const auto found = std::ranges::find_if(
      sets, [target](const SetRef& set) { return RevisionOf(*set) == target; });
  if (to_last && target == 0) {
    event = Warning("DeploymentRollbackRevisionNotFound", "Unable to find last revision.");
  } else if (found == sets.end()) {
    event = Warning("DeploymentRollbackRevisionNotFound",
                    "Unable to find the revision to rollback to.");
  } else if (const auto& set = **found;
             SameTemplate(deployment.spec.template_, set.spec.template_)) {
    event =
        Warning("DeploymentRollbackTemplateUnchanged",
                "The rollback revision contains the same template as current deployment " + name);
  } else {
    deployment.spec.template_ = set.spec.template_;
    deployment.spec.template_.metadata.labels.erase(kHashLabel);
    deployment.metadata.annotations = AnnotationsAfterRollBack(deployment, set);
    event = {
        .reason = "DeploymentRollback",
        .message = "Rolled back deployment " + name + " to revision " + std::to_string(target)};
  }
  deployment.metadata.annotations.erase(kRollBackTo);
  return plan;
}

}  // namespace flyball::controllers::deployment
