#include "flyball/controllers/job/conditions.h"

#include <algorithm>
#include <utility>

namespace flyball::controllers::job {

using batch::v1::JobCondition;

JobCondition TrueCondition(std::string_view type, std::string_view reason, std::string_view message,
                           WallTime now) {
  JobCondition condition;
  condition.type = type;
  condition.status = "True";
  condition.lastProbeTime = condition.lastTransitionTime = api::Time(now);
  condition.reason = reason;
  condition.message = message;
  return condition;
}

const JobCondition* FindTrue(const std::vector<JobCondition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &JobCondition::type);
  return found == conditions.end() || found->status != "True" ? nullptr : &*found;
}

bool IsFinished(const batch::v1::Job& job) {
  return std::ranges::any_of(job.status.conditions, [](const JobCondition& condition) {
    return (condition.type == kComplete || condition.type == kFailed) && condition.status == "True";
  });
}

bool SetCondition(std::vector<JobCondition>& conditions, JobCondition condition) {
  const auto found = std::ranges::find(conditions, condition.type, &JobCondition::type);
  if (found == conditions.end()) {
    if (condition.status == "False") return false;
    conditions.push_back(std::move(condition));
    return true;
  }
  const bool same = found->status == condition.status && found->reason == condition.reason &&
                    found->message == condition.message;
  if (!same) *found = std::move(condition);
  return !same;
}

}  // namespace flyball::controllers::job
