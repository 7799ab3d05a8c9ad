#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/job/job_pod.h"
#include "flyball/controllers/job/job_sync_state.h"

/// How pods that have ended are counted, each exactly once, by somebody who may be killed at any
/// moment and whose pods may go at any moment. Pure.
///
///   1. A pod has a finalizer from the start, so that it cannot go before it is counted.
///   2. When it has ended its uid is written into status.uncountedTerminatedPods.
///   3. Then its finalizer is taken away.
///   4. Then, in one write, its uid goes from the status and the count goes up by one.
///
/// So a pod with the finalizer that is not in the status is not counted yet; one in the status is
/// counted once the finalizer is gone; all others are counted. Of an indexed job the index itself
/// stands for a success, and is completed in step 2.
namespace flyball::controllers::job {

/// How many pods may wait to be counted, so that the status does not grow beyond some 20 KB.
inline constexpr std::size_t kMostUncounted = 500;

using Uids = std::unordered_set<std::string_view>;

struct TrackingPlan {
  batch::v1::JobStatus status = {};  ///< after step 2
  bool write_first = false;          ///< it differs from what there is
  std::vector<JobPod> release = {};  ///< step 3
  Uids tracked = {};                 ///< all that have the finalizer, before that
  /// What is to be said when all are counted, Complete or Failed.
  std::optional<batch::v1::JobCondition> end = std::nullopt;
  /// For a metric: pods by the action that their job's podFailurePolicy took.
  std::map<std::string_view, int> handled = {};
};

TrackingPlan PlanTracking(const batch::v1::Job& job, const JobSyncState& sync_state, WallTime now);

/// Step 4: counts those whose finalizer is gone. Whether that changed anything.
bool CountReleased(batch::v1::JobStatus& status, const Uids& tracked);

/// Says that the job has ended, unless pods are left to be counted or to end.
bool Finish(batch::v1::JobStatus& status, const batch::v1::JobCondition& end, WallTime now);

}  // namespace flyball::controllers::job
