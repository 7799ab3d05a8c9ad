#include "flyball/controllers/cron_job/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "flyball/api/time.h"

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::CronJobSpec;
using batch::v1::Job;
using testing::ElementsAre;
using testing::IsEmpty;

/// One that ended so, and started at that second.
JobRef Ended(const std::string& name, const std::string& how, std::optional<int> started) {
  Job job;
  job.metadata.name = name;
  if (started) job.status.startTime = api::Time::FromUnix(*started);
  if (!how.empty()) {
    auto& condition = job.status.conditions.emplace_back();
    condition.type = how;
    condition.status = "True";
  }
  return std::make_shared<const Job>(job);
}

CronJobSpec Keeping(std::optional<std::int32_t> successful, std::optional<std::int32_t> failed) {
  CronJobSpec spec;
  spec.successfulJobsHistoryLimit = successful;
  spec.failedJobsHistoryLimit = failed;
  return spec;
}

std::vector<std::string> Names(const std::vector<JobRef>& jobs) {
  std::vector<std::string> names;
  for (const JobRef& job : jobs) names.push_back(job->metadata.name);
  return names;
}

const std::vector<JobRef> kFinishedJobs = {
    Ended("good-late", "Complete", 30),
    Ended("bad-early", "Failed", 5),
    Ended("good-same-b", "Complete", 20),
    Ended("good-same-a", "Complete", 20),
    Ended("runs", "", 1),
    Ended("good-unstarted", "Complete", std::nullopt),
    Ended("bad-late", "Failed", 6),
    Ended("suspended", "Suspended", 1),
};

TEST(History, TheOldestOfEachEndingGo) {
  EXPECT_THAT(Names(BeyondHistory(Keeping(3, 1), kFinishedJobs)),
              ElementsAre("good-same-a", "bad-early"));
  EXPECT_THAT(Names(BeyondHistory(Keeping(1, 0), kFinishedJobs)),
              ElementsAre("good-same-a", "good-same-b", "good-late", "bad-early", "bad-late"));
  EXPECT_THAT(Names(BeyondHistory(Keeping(10, 10), kFinishedJobs)), IsEmpty());
}

TEST(History, WithoutALimitAllStay) {
  EXPECT_THAT(Names(BeyondHistory(Keeping(std::nullopt, 1), kFinishedJobs)),
              ElementsAre("bad-early"));
  EXPECT_THAT(Names(BeyondHistory(Keeping(std::nullopt, std::nullopt), kFinishedJobs)), IsEmpty());
}

TEST(History, LessThanNoneIsNone) {
  EXPECT_THAT(Names(BeyondHistory(Keeping(std::nullopt, -5), kFinishedJobs)),
              ElementsAre("bad-early", "bad-late"));
}

}  // namespace
}  // namespace flyball::controllers::cron_job
