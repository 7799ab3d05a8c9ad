#include "flyball/controllers/job/tracking_plan.h"

#include <utility>

#include "flyball/base/wrapping.h"
#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/failure_policy.h"
#include "flyball/controllers/job/job_spec.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using batch::v1::JobCondition;
using batch::v1::JobStatus;

/// Plans for one pod after the other.
class Tracker {
 public:
  Tracker(const Job& job, const JobSyncState& sync_state, TrackingPlan& plan)
      : job_(job), sync_state_(sync_state), plan_(plan) {
    const auto& uncounted = *sync_state.status.uncountedTerminatedPods;
    succeeded_.insert(uncounted.succeeded.begin(), uncounted.succeeded.end());
    failed_.insert(uncounted.failed.begin(), uncounted.failed.end());
  }

  void Track(const JobPod& its) {
    if (!its.tracked || !MayRelease(its)) return;
    const views::Pod& pod = its.pod();
    if (IsFull() && !IsWrittenDown(pod)) {
      all_ = false;
      return;
    }
    plan_.release.push_back(its);
    if (HasSucceeded(pod) && !failed_.contains(pod.metadata.uid)) {
      NoteSuccess(its);
    } else if (HasFailed(pod, job_) || EndsBadly()) {
      NoteFailure(its);
    }
  }

  /// No pod was left for another time.
  bool all() const { return all_; }

 private:
  bool IsFull() const {
    const auto& uncounted = *plan_.status.uncountedTerminatedPods;
    return new_indexes_ + uncounted.succeeded.size() + uncounted.failed.size() >= kMostUncounted;
  }
  bool IsWrittenDown(const views::Pod& pod) const {
    return succeeded_.contains(pod.metadata.uid) || failed_.contains(pod.metadata.uid);
  }

  bool MayRelease(const JobPod& its) const {
    if (job_.metadata.deletionTimestamp || sync_state_.end || HasSucceeded(its.pod())) return true;
    if (!HasFailed(its.pod(), job_)) return false;
    if (!its.index) return true;
    const auto kept = sync_state_.to_replace.find(*its.index);
    return kept == sync_state_.to_replace.end() ||
           kept->second->metadata.uid != its.pod().metadata.uid;
  }

  /// Then every pod that has not succeeded counts as failed, for it will not be waited for.
  bool EndsBadly() const { return sync_state_.end && sync_state_.end->type != kSuccessCriteriaMet; }

  void NoteSuccess(const JobPod& its) {
    if (IsIndexed(job_)) {
      if (!HasUsableIndex(its, job_) || sync_state_.recorded_indexes.Has(*its.index)) return;
      ++new_indexes_;
    } else {
      if (succeeded_.contains(its.pod().metadata.uid)) return;
      plan_.status.uncountedTerminatedPods->succeeded.emplace_back(its.pod().metadata.uid.view());
    }
    plan_.write_first = true;
  }

  void NoteFailure(const JobPod& its) {
    if (!HasUsableIndex(its, job_) || failed_.contains(its.pod().metadata.uid)) return;
    const FailureHandling handling = HandlingOf(its.pod(), job_);
    if (!handling.action.empty()) ++plan_.handled[handling.action];
    if (!handling.counts) return;
    plan_.status.uncountedTerminatedPods->failed.emplace_back(its.pod().metadata.uid.view());
    plan_.write_first = true;
  }

  const Job& job_;
  const JobSyncState& sync_state_;
  TrackingPlan& plan_;
  Uids succeeded_;
  Uids failed_;
  std::size_t new_indexes_ = 0;
  bool all_ = true;
};

void WriteIndexes(const JobSyncState& sync_state, TrackingPlan& plan) {
  JobStatus& status = plan.status;
  std::string completed = sync_state.succeeded_indexes.ToString();
  std::optional<std::string> failed;
  if (sync_state.failed_indexes) failed = sync_state.failed_indexes->ToString();
  if (status.completedIndexes != completed || status.failedIndexes != failed) {
    plan.write_first = true;
  }
  status.succeeded = static_cast<std::int32_t>(sync_state.succeeded_indexes.total());
  status.completedIndexes = std::move(completed);
  status.failedIndexes = std::move(failed);
}

/// The first step of an end is written before finalizers go, the second when all are gone.
void PlanEnd(const JobCondition& end, TrackingPlan& plan, WallTime now) {
  auto& conditions = plan.status.conditions;
  if (end.type == kFailureTarget ||
      (end.type == kSuccessCriteriaMet && FindTrue(conditions, kSuccessCriteriaMet) == nullptr)) {
    conditions.push_back(end);
    plan.write_first = true;
  }
  plan.end = TrueCondition(end.type == kSuccessCriteriaMet ? kComplete : kFailed, end.reason,
                           end.message, now);
}

}  // namespace

TrackingPlan PlanTracking(const Job& job, const JobSyncState& sync_state, WallTime now) {
  TrackingPlan plan{.status = sync_state.status, .write_first = sync_state.status_changed};
  for (const JobPod& its : sync_state.pods) {
    if (its.tracked) plan.tracked.insert(its.pod().metadata.uid);
  }
  if (CountReleased(plan.status, plan.tracked)) plan.write_first = true;
  Tracker tracker(job, sync_state, plan);
  for (const JobPod& its : sync_state.pods) tracker.Track(its);
  if (IsIndexed(job)) WriteIndexes(sync_state, plan);
  if (sync_state.end) PlanEnd(*sync_state.end, plan, now);
  if (!tracker.all()) plan.end.reset();  // what is written now brings the job back
  return plan;
}

bool CountReleased(JobStatus& status, const Uids& tracked) {
  auto& uncounted = *status.uncountedTerminatedPods;
  const auto is_released = [&](const std::string& uid) { return !tracked.contains(uid); };
  const auto succeeded = std::erase_if(uncounted.succeeded, is_released);
  const auto failed = std::erase_if(uncounted.failed, is_released);
  status.succeeded = WrappingAdd(status.succeeded, static_cast<std::int32_t>(succeeded));
  status.failed = WrappingAdd(status.failed, static_cast<std::int32_t>(failed));
  return succeeded + failed > 0;
}

bool Finish(JobStatus& status, const JobCondition& end, WallTime now) {
  const auto& uncounted = *status.uncountedTerminatedPods;
  if (!uncounted.succeeded.empty() || !uncounted.failed.empty()) return false;
  if (status.terminating.value_or(0) > 0) return false;
  SetCondition(status.conditions, TrueCondition(end.type, end.reason, end.message, now));
  if (end.type == kComplete) status.completionTime = end.lastTransitionTime;
  return true;
}

}  // namespace flyball::controllers::job
