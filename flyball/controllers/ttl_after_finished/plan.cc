#include "flyball/controllers/ttl_after_finished/plan.h"

#include <algorithm>

#include "flyball/api/object_key.h"
#include "flyball/api/time.h"

namespace flyball::controllers::ttl_after_finished {
namespace {

using batch::v1::Job;
using batch::v1::JobCondition;

/// The condition that says that the job has finished, well or not; null if it has not.
const JobCondition* FinishedCondition(const Job& job) {
  const auto found = std::ranges::find_if(job.status.conditions, [](const JobCondition& condition) {
    return (condition.type == "Complete" || condition.type == "Failed") &&
           condition.status == "True";
  });
  return found == job.status.conditions.end() ? nullptr : &*found;
}

}  // namespace

bool IsToExpire(const Job& job) {
  return !job.metadata.deletionTimestamp && job.spec.ttlSecondsAfterFinished &&
         FinishedCondition(job) != nullptr;
}

Result<Plan> PlanFor(const Job& job, WallTime now) {
  if (!IsToExpire(job)) return Plan();
  const api::Time finished = FinishedCondition(job)->lastTransitionTime;
  if (finished.IsZero()) {
    return Fail(ErrorCode::kInvalid, "job " + api::ObjectKey::Of(job).ToString() +
                                         " has finished, but does not say when");
  }
  const api::Time expires = finished + std::chrono::seconds(*job.spec.ttlSecondsAfterFinished);
  const std::chrono::nanoseconds wait = expires - api::Time(now);
  if (wait <= wait.zero()) return Plan{.action = Plan::Action::kDelete, .expires = expires};
  return Plan{.action = Plan::Action::kWait, .wait = wait, .expires = expires};
}

std::string Plan::ToString() const {
  if (action == Action::kLeave) return "leave it";
  const std::string when = expires.ToString();
  return action == Action::kWait ? "wait until it expires at " + when
                                 : "delete it, it expired at " + when;
}

}  // namespace flyball::controllers::ttl_after_finished
