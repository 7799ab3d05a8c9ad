#include "flyball/controllers/cron_job/history.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <tuple>

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::Job;
using batch::v1::JobCondition;

/// Those that have not started come last.
bool StartedBefore(const JobRef& a, const JobRef& b) {
  const auto place = [](const Job& job) {
    return std::make_tuple(!job.status.startTime, job.status.startTime,
                           std::string_view(job.metadata.name));
  };
  return place(*a) < place(*b);
}

std::vector<JobRef> Oldest(std::string_view ending, const std::vector<JobRef>& jobs,
                           std::int32_t keep) {
  std::vector<JobRef> ended;
  std::ranges::copy_if(jobs, std::back_inserter(ended), [ending](const JobRef& job) {
    const JobCondition* const how = Ending(*job);
    return how != nullptr && how->type == ending;
  });
  std::ranges::sort(ended, StartedBefore);
  const auto kept = static_cast<std::size_t>(std::max(keep, 0));
  ended.resize(ended.size() - std::min(ended.size(), kept));
  return ended;
}

}  // namespace

const JobCondition* Ending(const Job& job) {
  const auto found = std::ranges::find_if(job.status.conditions, [](const JobCondition& condition) {
    return (condition.type == "Complete" || condition.type == "Failed") &&
           condition.status == "True";
  });
  return found == job.status.conditions.end() ? nullptr : &*found;
}

std::vector<JobRef> BeyondHistory(const batch::v1::CronJobSpec& spec,
                                  const std::vector<JobRef>& jobs) {
  std::vector<JobRef> beyond;
  if (spec.successfulJobsHistoryLimit) {
    beyond = Oldest("Complete", jobs, *spec.successfulJobsHistoryLimit);
  }
  if (spec.failedJobsHistoryLimit) {
    std::ranges::move(Oldest("Failed", jobs, *spec.failedJobsHistoryLimit),
                      std::back_inserter(beyond));
  }
  return beyond;
}

}  // namespace flyball::controllers::cron_job
