#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/job/job_pod.h"
#include "flyball/controllers/job/job_sync_state.h"

/// Which pods a job is to have more or fewer of. Pure.
namespace flyball::controllers::job {

/// How many pods a reconcile makes or removes at most; the next goes on from there.
inline constexpr std::size_t kBurst = 500;

/// Either removes pods or makes some, or waits with that.
struct PodsPlan {
  std::vector<JobPod> remove = {};
  std::size_t create = 0;
  std::vector<std::int64_t> indexes = {};  ///< of those to create, if the job is indexed
  /// Some are missing, but others have failed not long ago.
  std::optional<std::chrono::nanoseconds> wait = std::nullopt;
  std::int64_t wanted = 0;  ///< so many are to be active

  std::string ToString() const;
};

/// For a job that goes on.
PodsPlan PlanPods(const batch::v1::Job& job, const JobSyncState& sync_state, WallTime now);

/// Of pods that are active at least so many, those first that have no index, an index too high, or
/// one that another has too; then those that are missed least: on no node before others, pending
/// before running, not ready before ready, ready for a shorter time, more often restarted, younger.
std::vector<JobPod> ChoosePodsToRemove(const batch::v1::Job& job, std::vector<JobPod> active,
                                       std::size_t at_least);

}  // namespace flyball::controllers::job
