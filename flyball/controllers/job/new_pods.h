#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/controllers/job/job_sync_state.h"

namespace flyball::controllers::job {

/// A pod of a job that is not indexed.
core::v1::Pod NewPod(const batch::v1::Job& job);

/// A pod for each of these indexes. It knows its own by an annotation, a label, its host name and
/// its name, its containers by JOB_COMPLETION_INDEX; where indexes have limits of their own it is
/// told how often its index has failed.
std::vector<core::v1::Pod> NewPodsOfIndexes(const batch::v1::Job& job,
                                            const JobSyncState& sync_state,
                                            std::span<const std::int64_t> indexes);

}  // namespace flyball::controllers::job
