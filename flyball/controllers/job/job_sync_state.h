#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/job/failures.h"
#include "flyball/controllers/job/indexes.h"
#include "flyball/controllers/job/job_pod.h"

/// How a job stands, and whether that is the end of it. Pure.
namespace flyball::controllers::job {

/// Its pods that go on, with those that a reconcile has made or removed.
struct PodCounts {
  std::int32_t active = 0;
  std::int32_t ready = 0;
  std::int32_t terminating = 0;

  friend bool operator==(const PodCounts&, const PodCounts&) = default;
};

struct JobSyncState {
  batch::v1::JobStatus status = {};  ///< as it was, and step by step as it is to be
  std::vector<JobPod> pods = {};     ///< of an indexed job by index, those without one first
  std::vector<JobPod> active = {};
  PodCounts counts = {};

  /// Altogether: with those that the status does not count yet. Of an indexed job succeeded are
  /// indexes.
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  Indexes recorded_indexes = {};  ///< those that the status has as completed
  Indexes succeeded_indexes = {};
  std::optional<Indexes> failed_indexes = std::nullopt;  ///< if they have limits of their own

  /// By index, the pod that failed last and is still to be replaced. It keeps its finalizer until
  /// then, because it alone tells how often the index has failed.
  std::map<std::int64_t, PodRef> to_replace = {};
  Failures failures = {};

  /// What the job comes to: FailureTarget, SuccessCriteriaMet, or, if it has said that it fails
  /// before, Failed.
  std::optional<batch::v1::JobCondition> end = std::nullopt;
  std::optional<std::chrono::nanoseconds> deadline_in = std::nullopt;
  bool status_changed = false;  ///< beyond what counting pods changes
};

/// Of pods that ended before we were there to see it, or of all, if `remembered` is none: then it
/// is the pods that are still there that tell how often the job has failed.
JobSyncState Assess(const batch::v1::Job& job, std::vector<JobPod> pods,
                    const std::optional<Failures>& remembered, WallTime now);

/// Something to tell those who look at the job.
struct JobEvent {
  std::string reason;
  std::string message;
  friend bool operator==(const JobEvent&, const JobEvent&) = default;
};

struct ConcludeRules {
  bool managed = true;       ///< it was seen to that it has the right number of pods
  bool pods_remain = false;  ///< it was to end, but not all its pods could be told to
  /// A job that is suspended has not started: the feature gate
  /// MutableSchedulingDirectivesForSuspendedJobs.
  bool stops_the_clock = true;
};

/// After pods have been seen to: a job with enough successes and no pods left is at its end; one
/// that has been suspended or resumed says so. Takes the counts over into the status.
std::optional<JobEvent> Conclude(const batch::v1::Job& job, JobSyncState& sync_state,
                                 ConcludeRules rules, WallTime now);

}  // namespace flyball::controllers::job
