#pragma once

#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/cache/informer.h"

namespace flyball::controllers::cron_job {

using JobRef = cache::Ref<batch::v1::Job>;

/// How a job ended: its condition "Complete" or "Failed", or null if it has not.
const batch::v1::JobCondition* Ending(const batch::v1::Job& job);

/// The jobs that a cron job does not keep: of those that ended well, and of those that failed, the
/// oldest beyond what spec.successfulJobsHistoryLimit and spec.failedJobsHistoryLimit say.
std::vector<JobRef> BeyondHistory(const batch::v1::CronJobSpec& spec,
                                  const std::vector<JobRef>& jobs);

}  // namespace flyball::controllers::cron_job
