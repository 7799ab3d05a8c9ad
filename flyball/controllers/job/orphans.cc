#include "flyball/controllers/job/orphans.h"

#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/job_pod.h"
#include "flyball/controllers/job/job_spec.h"
#include "flyball/controllers/job/pod_release.h"

namespace flyball::controllers::job {

using batch::v1::Job;
using runtime::Outcome;

bool IsToBeFreed(const views::Pod& pod, const Job* job) {
  if (!HasTrackingFinalizer(pod)) return false;
  const auto* const owner = common::ControllerOf(pod);
  if (owner == nullptr) return true;
  if (owner->kind != Job::kType.name || owner->apiVersion != Job::kType.ApiVersion()) return false;
  if (job == nullptr || job->metadata.uid != owner->uid) return true;
  return !OtherManagerOf(*job) && IsFinished(*job);
}

Result<Outcome> OrphanReconciler::operator()(runtime::Context& context,
                                             const api::ObjectKey& key) const {
  const PodRef pod = pods_.Get(key);
  if (!pod) return Outcome::Done();
  const auto* const owner = common::ControllerOf(*pod);
  const auto job =
      owner == nullptr ? nullptr : jobs_.Get({key.namespace_, std::string(owner->name)});
  if (!IsToBeFreed(*pod, job.get())) return Outcome::Done();
  context.Decided("free it, no job will count it");
  FLYBALL_TRY(ReleasePods(context, {&pod, 1}).front());
  return Outcome::Done();
}

}  // namespace flyball::controllers::job
