#include "flyball/controllers/cron_job/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/time.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/cron_job/time_zones.h"

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::CronJob;
using batch::v1::Job;
using std::chrono::hours;
using std::chrono::sys_seconds;

const sys_seconds kSummerNoon{std::chrono::sys_days(std::chrono::year(2026) / 7 / 1) + hours(12)};

TimeZone ZoneNamed(const std::string& name) {
  const auto zone = TimeZones({.local_name = ""}).Find(name);
  EXPECT_TRUE(zone) << zone.error().Describe();
  return **zone;
}

TEST(CronJobRun, IsTheJobOfTheTemplateWithANameAfterItsTime) {
  CronJob cron_job;
  cron_job.metadata.namespace_ = "team";
  cron_job.metadata.name = "report";
  cron_job.metadata.uid = "uid-1";
  cron_job.metadata.labels["mine"] = "only";
  auto& job_template = cron_job.spec.jobTemplate;
  job_template.metadata.labels["app"] = "report";
  job_template.metadata.annotations["note"] = "x";
  job_template.spec.backoffLimit = 2;
  job_template.spec.template_.spec.restartPolicy = "Never";

  Job expected;
  expected.metadata.namespace_ = "team";
  expected.metadata.name = "report-29715120";
  expected.metadata.labels["app"] = "report";
  expected.metadata.annotations["note"] = "x";
  expected.metadata.annotations[kScheduledAt] = "2026-07-01T12:00:00Z";
  expected.metadata.ownerReferences.push_back(common::ControllerRefTo(cron_job));
  expected.spec = job_template.spec;
  EXPECT_EQ(JobFor(cron_job, kSummerNoon, TimeZone()), expected);
}

TEST(CronJobRun, SaysItsTimeByTheClocksOfTheZone) {
  const auto said = [](const std::string& zone, sys_seconds due) {
    return JobFor(CronJob(), due, ZoneNamed(zone)).metadata.annotations[kScheduledAt];
  };
  EXPECT_EQ(said("Europe/Berlin", kSummerNoon), "2026-07-01T14:00:00+02:00");
  EXPECT_EQ(said("America/St_Johns", kSummerNoon), "2026-07-01T09:30:00-02:30");
  EXPECT_EQ(said("Pacific/Kiritimati", kSummerNoon), "2026-07-02T02:00:00+14:00");
  EXPECT_EQ(said("Europe/London", kSummerNoon - hours(24 * 150)), "2026-02-01T12:00:00Z");
}

TEST(CronJobRun, IsNotedInTheStatus) {
  core::v1::ObjectReference job;
  job.name = "report-1";
  job.uid = "uid-1";
  batch::v1::CronJobStatus status;
  NoteRun(status, job, kSummerNoon);
  EXPECT_THAT(status.active, testing::ElementsAre(job));
  EXPECT_EQ(status.lastScheduleTime->ToString(), "2026-07-01T12:00:00Z");
  EXPECT_TRUE(IsActive(status, "uid-1"));
  EXPECT_FALSE(IsActive(status, "uid-2"));
  RemoveActive(status, "uid-2");
  EXPECT_TRUE(IsActive(status, "uid-1"));
  RemoveActive(status, "uid-1");
  EXPECT_FALSE(IsActive(status, "uid-1"));
}

}  // namespace
}  // namespace flyball::controllers::cron_job
