#include "flyball/controllers/job/job_sync_state.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "flyball/base/saturating.h"
#include "flyball/base/stable_sort.h"
#include "flyball/base/wrapping.h"
#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/failure_policy.h"
#include "flyball/controllers/job/job_spec.h"
#include "flyball/controllers/job/success_policy.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using batch::v1::JobCondition;

/// Pods that have ended, by how.
struct Ended {
  std::vector<PodRef> succeeded = {};
  std::vector<PodRef> failed = {};
};

/// Those that the status has not heard of.
Ended NewlyEnded(const Job& job, const JobSyncState& sync_state) {
  const auto& uncounted = *sync_state.status.uncountedTerminatedPods;
  // DIVERGES: one that was told to end, and written down as failed for that, may succeed yet.
  // Upstream takes it for a success as well, for as long as its finalizer is there.
  std::unordered_set<std::string_view> known(uncounted.succeeded.begin(),
                                             uncounted.succeeded.end());
  known.insert(uncounted.failed.begin(), uncounted.failed.end());
  Ended ended;
  for (const JobPod& its : sync_state.pods) {
    if (!its.tracked || !HasUsableIndex(its, job) || known.contains(its.pod().metadata.uid)) {
      continue;
    }
    if (HasSucceeded(its.pod())) ended.succeeded.push_back(its.ref);
    if (HasFailed(its.pod(), job)) ended.failed.push_back(its.ref);
  }
  return ended;
}

Ended AllEnded(const Job& job, const JobSyncState& sync_state) {
  Ended ended;
  for (const JobPod& its : sync_state.pods) {
    if (!HasUsableIndex(its, job)) continue;
    if (HasSucceeded(its.pod())) ended.succeeded.push_back(its.ref);
    if (HasFailed(its.pod(), job)) ended.failed.push_back(its.ref);
  }
  return ended;
}

void CountPods(const Job& job, const std::optional<Failures>& remembered,
               JobSyncState& sync_state) {
  for (const JobPod& its : sync_state.pods) {
    if (common::IsTerminating(its.pod())) ++sync_state.counts.terminating;
    if (!common::IsActive(its.pod())) continue;
    sync_state.active.push_back(its);
    ++sync_state.counts.active;
    if (common::IsReady(its.pod())) ++sync_state.counts.ready;
  }
  const Ended ended = NewlyEnded(job, sync_state);
  const auto counted = std::ranges::count_if(
      ended.failed, [&](const PodRef& pod) { return HandlingOf(*pod, job).counts; });
  const auto& status = sync_state.status;
  const auto& uncounted = *status.uncountedTerminatedPods;
  // PARITY: the sums wrap where the status has a number near the largest.
  sync_state.succeeded =
      WrappingAdd(status.succeeded,
                  static_cast<std::int32_t>(ended.succeeded.size() + uncounted.succeeded.size()));
  sync_state.failed =
      WrappingAdd(status.failed, static_cast<std::int32_t>(counted + std::ssize(uncounted.failed)));
  if (remembered) {
    sync_state.failures = With(*remembered, ended.succeeded, ended.failed);
  } else {
    // DIVERGES: upstream, when it starts, has forgotten what failed before.
    const Ended all = AllEnded(job, sync_state);
    sync_state.failures = With({}, all.succeeded, all.failed);
  }
}

bool HasIndexFailed(const views::Pod& pod, const Job& job) {
  if (!HasFailed(pod, job)) return false;
  const FailureHandling handling = HandlingOf(pod, job);
  if (handling.action == "FailIndex") return true;
  return handling.counts && FailuresBefore(pod) >= *job.spec.backoffLimitPerIndex;
}

/// Of the pods of each index that are to be replaced the one that failed last.
std::map<std::int64_t, PodRef> PodsToReplace(const Job& job, const JobSyncState& sync_state) {
  std::set<std::int64_t> active;
  for (const JobPod& its : sync_state.active) {
    if (its.index) active.insert(*its.index);
  }
  const auto failures = [](const views::Pod& pod) {
    return WrappingAdd(FailuresBefore(pod), IgnoredFailuresBefore(pod));
  };
  std::map<std::int64_t, PodRef> last;
  for (const JobPod& its : sync_state.pods) {
    if (!its.tracked || !HasUsableIndex(its, job) || !HasFailed(its.pod(), job)) continue;
    const std::int64_t index = *its.index;
    if (sync_state.succeeded_indexes.Has(index) || sync_state.failed_indexes->Has(index)) continue;
    if (active.contains(index)) continue;  // that one tells
    const auto [known, is_first] = last.try_emplace(index, its.ref);
    if (is_first) continue;
    if (failures(*known->second) <= failures(its.pod()) &&
        FinishTime(its.pod()) >= FinishTime(*known->second)) {
      known->second = its.ref;
    }
  }
  return last;
}

void CountIndexes(const Job& job, JobSyncState& sync_state) {
  const std::int64_t count = IndexCountOf(job);
  std::set<std::int64_t> succeeded;
  std::set<std::int64_t> failed;
  for (const JobPod& its : sync_state.pods) {
    if (!its.tracked || !HasUsableIndex(its, job)) continue;
    if (HasSucceeded(its.pod())) succeeded.insert(*its.index);
    if (LimitsPerIndex(job) && HasIndexFailed(its.pod(), job)) failed.insert(*its.index);
  }
  sync_state.recorded_indexes = Indexes::Parse(sync_state.status.completedIndexes, count);
  sync_state.succeeded_indexes = sync_state.recorded_indexes.With(Indexes(succeeded));
  sync_state.succeeded = static_cast<std::int32_t>(sync_state.succeeded_indexes.total());
  if (!LimitsPerIndex(job)) return;
  sync_state.failed_indexes =
      Indexes::Parse(sync_state.status.failedIndexes.value_or(""), count).With(Indexes(failed));
  sync_state.to_replace = PodsToReplace(job, sync_state);
}

/// Restarts of containers count as failures of pods that are restarted where they are.
bool RestartsExceedLimit(const Job& job, const JobSyncState& sync_state) {
  if (job.spec.template_.spec.restartPolicy != "OnFailure") return false;
  std::int64_t restarts = 0;
  for (const JobPod& its : sync_state.pods) {
    const auto& status = its.pod().status;
    if (status.phase != "Running" && status.phase != "Pending") continue;
    for (const auto& container : status.initContainerStatuses) restarts += container.restartCount;
    for (const auto& container : status.containerStatuses) restarts += container.restartCount;
  }
  const std::int64_t limit = BackoffLimitOf(job);
  return limit == 0 ? restarts > 0 : restarts >= limit;
}

/// How long the job may still take; none if there is no end to that.
std::optional<std::chrono::nanoseconds> TimeLeft(const Job& job, const JobSyncState& sync_state,
                                                 WallTime now) {
  const auto& start = sync_state.status.startTime;
  if (!job.spec.activeDeadlineSeconds || !start || IsSuspended(job)) return std::nullopt;
  const std::chrono::seconds allowed(*job.spec.activeDeadlineSeconds);
  return SaturatingSubtract(SaturatingNanoseconds(allowed), api::Time(now) - *start);
}

std::optional<JobCondition> Failing(std::string_view reason, std::string_view message,
                                    WallTime now) {
  return TrueCondition(kFailureTarget, reason, message, now);
}

std::optional<JobCondition> EndByFailurePolicy(const Job& job, const JobSyncState& sync_state,
                                               WallTime now) {
  if (!job.spec.podFailurePolicy) return std::nullopt;
  for (const JobPod& its : sync_state.pods) {
    if (!HasFailed(its.pod(), job)) continue;
    if (const auto handling = HandlingOf(its.pod(), job); handling.fails_job) {
      return Failing("PodFailurePolicy", *handling.fails_job, now);
    }
  }
  return std::nullopt;
}

std::optional<JobCondition> EndByIndexes(const Job& job, const JobSyncState& sync_state,
                                         WallTime now) {
  if (!IsIndexed(job)) return std::nullopt;
  if (const auto& indexes = sync_state.failed_indexes) {
    const std::int64_t failed = indexes->total();
    if (job.spec.maxFailedIndexes && failed > *job.spec.maxFailedIndexes) {
      return Failing("MaxFailedIndexesExceeded",
                     "Job has exceeded the specified maximal number of failed indexes", now);
    }
    if (failed > 0 && failed + sync_state.succeeded_indexes.total() >= IndexCountOf(job)) {
      return Failing("FailedIndexes", "Job has failed indexes", now);
    }
  }
  const auto met = SuccessBy(job, sync_state.succeeded_indexes);
  if (!met) return std::nullopt;
  return TrueCondition(kSuccessCriteriaMet, "SuccessPolicy", *met, now);
}

/// What was decided before stays; failures come before successes.
std::optional<JobCondition> EndOf(const Job& job, JobSyncState& sync_state, WallTime now) {
  const auto& conditions = sync_state.status.conditions;
  if (const auto* const met = FindTrue(conditions, kSuccessCriteriaMet)) return *met;
  if (const auto* const target = FindTrue(conditions, kFailureTarget)) {
    return TrueCondition(kFailed, target->reason, target->message, now);
  }
  if (auto end = EndByFailurePolicy(job, sync_state, now)) return end;
  if (sync_state.failed > BackoffLimitOf(job) || RestartsExceedLimit(job, sync_state)) {
    return Failing("BackoffLimitExceeded", "Job has reached the specified backoff limit", now);
  }
  if (const auto left = TimeLeft(job, sync_state, now)) {
    if (*left <= left->zero()) {
      return Failing("DeadlineExceeded", "Job was active longer than specified deadline", now);
    }
    sync_state.deadline_in = left;
  }
  return EndByIndexes(job, sync_state, now);
}

bool HasEnoughSuccesses(const Job& job, const JobSyncState& sync_state) {
  if (!job.spec.completions) return sync_state.succeeded > 0;
  return sync_state.succeeded >= *job.spec.completions;
}

std::optional<JobEvent> NoteSuspension(const Job& job, JobSyncState& sync_state,
                                       ConcludeRules rules, WallTime now) {
  auto& status = sync_state.status;
  if (IsSuspended(job)) {
    if (!SetCondition(status.conditions,
                      TrueCondition(kSuspended, "JobSuspended", "Job suspended", now))) {
      return std::nullopt;
    }
    if (rules.stops_the_clock) status.startTime.reset();
    return JobEvent{"Suspended", "Job suspended"};
  }
  JobCondition resumed = TrueCondition(kSuspended, "JobResumed", "Job resumed", now);
  resumed.status = "False";
  if (!SetCondition(status.conditions, std::move(resumed))) return std::nullopt;
  // The deadline is for the time that it is at work without a break.
  status.startTime = api::Time(now);
  return JobEvent{"Resumed", "Job resumed"};
}

}  // namespace

JobSyncState Assess(const Job& job, std::vector<JobPod> pods,
                    const std::optional<Failures>& remembered, WallTime now) {
  JobSyncState sync_state{.status = job.status, .pods = std::move(pods)};
  sync_state.status.uncountedTerminatedPods.get_or_emplace();
  if (IsIndexed(job)) {
    StableSort(sync_state.pods, {}, [](const JobPod& its) { return its.index.value_or(-1); });
  }
  CountPods(job, remembered, sync_state);
  if (!sync_state.status.startTime && !IsSuspended(job))
    sync_state.status.startTime = api::Time(now);
  if (IsIndexed(job)) CountIndexes(job, sync_state);
  sync_state.end = EndOf(job, sync_state, now);
  return sync_state;
}

std::optional<JobEvent> Conclude(const Job& job, JobSyncState& sync_state, ConcludeRules rules,
                                 WallTime now) {
  std::optional<JobEvent> event;
  if (rules.pods_remain) {
    sync_state.end.reset();
  } else if (!sync_state.end) {
    if (HasEnoughSuccesses(job, sync_state) && sync_state.counts.active == 0) {
      sync_state.end = TrueCondition(kSuccessCriteriaMet, "CompletionsReached",
                                     "Reached expected number of succeeded pods", now);
    } else if (rules.managed) {
      event = NoteSuspension(job, sync_state, rules, now);
    }
  }
  auto& status = sync_state.status;
  const PodCounts& counts = sync_state.counts;
  sync_state.status_changed = event || status.active != counts.active ||
                              status.ready != counts.ready ||
                              status.terminating != counts.terminating;
  status.active = counts.active;
  status.ready = counts.ready;
  status.terminating = counts.terminating;
  return event;
}

}  // namespace flyball::controllers::job
