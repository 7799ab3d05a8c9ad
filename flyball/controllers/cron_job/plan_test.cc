#include "flyball/controllers/cron_job/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/controllers/cron_job/run.h"

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::CronJob;
using batch::v1::Job;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using testing::ElementsAre;
using testing::IsEmpty;

/// A Sunday.
const sys_seconds kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + hours(12) +
                       minutes(10)};
const sys_seconds kDue = kNow - minutes(10);

api::Time TimeOf(sys_seconds moment) {
  return api::Time::FromUnix(moment.time_since_epoch().count());
}

core::v1::ObjectReference Reference(const std::string& name) {
  core::v1::ObjectReference reference;
  reference.kind = "Job";
  reference.namespace_ = "team";
  reference.name = name;
  reference.uid = "uid of " + name;
  return reference;
}

/// "team/report" that runs each hour, and has done so an hour before the last.
CronJob Hourly(const std::function<void(CronJob&)>& change = [](CronJob&) {}) {
  CronJob cron_job;
  cron_job.metadata.namespace_ = "team";
  cron_job.metadata.name = "report";
  cron_job.metadata.uid = "uid";
  cron_job.metadata.creationTimestamp = TimeOf(kNow - hours(100));
  cron_job.spec.schedule = "0 * * * *";
  cron_job.spec.concurrencyPolicy = "Allow";
  cron_job.status.lastScheduleTime = TimeOf(kDue - hours(1));
  change(cron_job);
  return cron_job;
}

/// A job that runs, or ended so.
JobRef MakeJob(const std::string& name, const std::string& how = {},
               std::optional<sys_seconds> completed = std::nullopt) {
  Job job;
  job.metadata.namespace_ = "team";
  job.metadata.name = name;
  job.metadata.uid = "uid of " + name;
  if (!how.empty()) {
    auto& condition = job.status.conditions.emplace_back();
    condition.type = how;
    condition.status = "True";
  }
  if (completed) job.status.completionTime = TimeOf(*completed);
  return std::make_shared<const Job>(job);
}

class CronJobPlanTest : public testing::Test {
 protected:
  Plan Decide(const CronJob& cron_job, std::vector<JobRef> jobs = {},
              std::set<std::string, std::less<>> gone = {}, WallTime now = kNow) const {
    return PlanFor({.cron_job = cron_job,
                    .jobs = std::move(jobs),
                    .gone = std::move(gone),
                    .zones = zones_,
                    .now = now});
  }
  /// What a cron job is to be as long as nothing is to be done.
  static Plan Nothing(const CronJob& cron_job, Idle why,
                      std::optional<std::chrono::nanoseconds> check_after = std::nullopt) {
    Plan plan;
    plan.status = cron_job.status;
    plan.idle = why;
    plan.check_after = check_after;
    return plan;
  }
  static Plan Saying(Plan plan, std::vector<common::PlannedEvent> events) {
    plan.events = std::move(events);
    return plan;
  }

  const std::chrono::nanoseconds until_next_ = minutes(50) + milliseconds(100);
  const TimeZones zones_{{.local_name = ""}};
};

TEST_F(CronJobPlanTest, RunsWhatIsDue) {
  const CronJob cron_job = Hourly();
  Plan expected;
  expected.run = Plan::Run{.due = kDue, .job = JobFor(cron_job, kDue, TimeZone())};
  expected.status = cron_job.status;
  expected.check_after = until_next_;
  EXPECT_EQ(Decide(cron_job), expected);
  EXPECT_EQ(expected.run->job.metadata.name, "report-29912400");
}

TEST_F(CronJobPlanTest, WaitsForWhatIsNot) {
  const CronJob cron_job = Hourly([](CronJob& its) { its.spec.schedule = "30 * * * *"; });
  const CronJob fresh = Hourly([](CronJob& its) {
    its.status.lastScheduleTime.reset();
    its.metadata.creationTimestamp = TimeOf(kNow);
  });
  EXPECT_EQ(Decide(fresh), Nothing(fresh, Idle::kNothingDue, until_next_));
  EXPECT_TRUE(Decide(cron_job).run) << "since half past eleven";
}

TEST_F(CronJobPlanTest, RunsEachTimeOnce) {
  const CronJob noted = Hourly([](CronJob& its) { its.status.lastScheduleTime = TimeOf(kDue); });
  EXPECT_EQ(Decide(noted), Nothing(noted, Idle::kNothingDue, until_next_));
  const CronJob active =
      Hourly([](CronJob& its) { its.status.active.push_back(Reference("report-29912400")); });
  EXPECT_EQ(Decide(active, {MakeJob("report-29912400")}),
            Nothing(active, Idle::kAlreadyRun, until_next_));
}

TEST_F(CronJobPlanTest, RunsByTheClocksOfItsZone) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.schedule = "0 13 * * *";
    its.spec.timeZone = "Europe/Berlin";
  });
  const Plan plan = Decide(cron_job);
  ASSERT_TRUE(plan.run);
  EXPECT_EQ(plan.run->due, kDue);
  EXPECT_EQ(*plan.run->job.metadata.annotations.find(kScheduledAt), "2026-11-15T13:00:00+01:00");
}

TEST_F(CronJobPlanTest, AZoneInTheScheduleIsTakenWithAWarning) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.schedule = "TZ=Europe/Berlin 0 13 * * *";
    its.spec.timeZone = "Asia/Tokyo";
  });
  const Plan plan = Decide(cron_job);
  ASSERT_TRUE(plan.run);
  EXPECT_EQ(plan.run->due, kDue);
  EXPECT_EQ(*plan.run->job.metadata.annotations.find(kScheduledAt), "2026-11-15T21:00:00+09:00");
  EXPECT_THAT(
      plan.events,
      ElementsAre(common::Warning(
          "UnsupportedSchedule",
          "CRON_TZ or TZ used in schedule \"TZ=Europe/Berlin 0 13 * * *\" is not officially "
          "supported, see https://kubernetes.io/docs/concepts/workloads/controllers/"
          "cron-jobs/ for more details")));
}

TEST_F(CronJobPlanTest, DoesNothingWhileItIsSuspendedOrDeleted) {
  const CronJob suspended = Hourly([](CronJob& its) { its.spec.suspend = true; });
  EXPECT_EQ(Decide(suspended), Nothing(suspended, Idle::kSuspended));
  const CronJob deleted =
      Hourly([](CronJob& its) { its.metadata.deletionTimestamp = TimeOf(kNow); });
  EXPECT_EQ(Decide(deleted), Nothing(deleted, Idle::kBeingDeleted));
  EXPECT_TRUE(Decide(Hourly([](CronJob& its) { its.spec.suspend = false; })).run);
}

TEST_F(CronJobPlanTest, SaysWhatIsWrongWithItAndWaitsForAChange) {
  const CronJob zone = Hourly([](CronJob& its) { its.spec.timeZone = "Nowhere/\"None\""; });
  EXPECT_EQ(Decide(zone),
            Saying(Nothing(zone, Idle::kUnknownTimeZone),
                   {common::Warning("UnknownTimeZone",
                                    "invalid timeZone: \"Nowhere/\\\"None\\\"\": unknown "
                                    "time zone Nowhere/\"None\"")}));
  const CronJob bad = Hourly([](CronJob& its) { its.spec.schedule = "61 * * * *"; });
  EXPECT_EQ(Decide(bad),
            Saying(Nothing(bad, Idle::kUnparseableSchedule),
                   {common::Warning("UnparseableSchedule",
                                    "unparseable schedule: \"61 * * * *\" : end of range (61) "
                                    "above maximum (59): 61")}));
  const CronJob never = Hourly([](CronJob& its) { its.spec.schedule = "0 0 31 2 *"; });
  EXPECT_EQ(Decide(never),
            Saying(Nothing(never, Idle::kInvalidSchedule),
                   {common::Warning("InvalidSchedule",
                                    "invalid schedule: 0 0 31 2 * : time difference "
                                    "between two schedules is less than 1 second")}));
}

TEST_F(CronJobPlanTest, SaysWhenItMissedMoreThanItCanCount) {
  const CronJob cron_job =
      Hourly([](CronJob& its) { its.status.lastScheduleTime = TimeOf(kDue - hours(500)); });
  const Plan plan = Decide(cron_job);
  ASSERT_TRUE(plan.run);
  EXPECT_EQ(plan.run->due, kDue);
  EXPECT_THAT(plan.events,
              ElementsAre(common::Warning("TooManyMissedTimes",
                                          "too many missed start times. Set or decrease "
                                          ".spec.startingDeadlineSeconds or check clock skew")));
}

TEST_F(CronJobPlanTest, DoesNotStartLaterThanTheDeadline) {
  const CronJob cron_job = Hourly([](CronJob& its) { its.spec.startingDeadlineSeconds = 601; });
  EXPECT_TRUE(Decide(cron_job, {}, {}, kNow + milliseconds(999)).run);
  EXPECT_EQ(Decide(cron_job, {}, {}, kNow + seconds(1)),
            Nothing(cron_job, Idle::kNothingDue, until_next_ - seconds(1)));
}

TEST_F(CronJobPlanTest, RunsBesideOthersIfItMay) {
  const CronJob cron_job =
      Hourly([](CronJob& its) { its.status.active.push_back(Reference("report-1")); });
  const Plan plan = Decide(cron_job, {MakeJob("report-1")});
  ASSERT_TRUE(plan.run);
  EXPECT_THAT(plan.run->replaced, IsEmpty());
  EXPECT_FALSE(plan.status_changes);
}

TEST_F(CronJobPlanTest, WaitsForOthersIfItMustNot) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.concurrencyPolicy = "Forbid";
    its.status.active.push_back(Reference("report-1"));
  });
  EXPECT_EQ(
      Decide(cron_job, {MakeJob("report-1")}),
      Saying(Nothing(cron_job, Idle::kStillRunning, until_next_),
             {common::Normal("JobAlreadyActive",
                             "Not starting job because prior execution is running and concurrency "
                             "policy is Forbid")}));
  EXPECT_TRUE(Decide(cron_job, {MakeJob("report-1", "Complete")}).run);
  EXPECT_TRUE(Decide(cron_job, {}, {"uid of report-1"}).run);
}

TEST_F(CronJobPlanTest, ReplacesOthersIfItIsTo) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.concurrencyPolicy = "Replace";
    its.status.active = {Reference("report-1"), Reference("report-2")};
  });
  const Plan plan = Decide(cron_job, {MakeJob("report-1"), MakeJob("report-2", "Failed")});
  ASSERT_TRUE(plan.run);
  EXPECT_THAT(plan.run->replaced, ElementsAre(Reference("report-1")));
  EXPECT_THAT(plan.status.active, ElementsAre(Reference("report-1"))) << "until it is deleted";
}

TEST_F(CronJobPlanTest, NotesWhatHasEnded) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.suspend = true;
    its.status.active = {Reference("report-1"), Reference("report-2"), Reference("report-3")};
  });
  Plan expected =
      Saying(Nothing(cron_job, Idle::kSuspended),
             {common::Normal("SawCompletedJob", "Saw completed job: report-1, condition: Complete"),
              common::Normal("SawCompletedJob", "Saw completed job: report-2, condition: Failed")});
  expected.status.active = {Reference("report-3")};
  expected.status.lastSuccessfulTime = TimeOf(kNow - minutes(5));
  expected.status_changes = true;
  EXPECT_EQ(Decide(cron_job, {MakeJob("report-1", "Complete", kNow - minutes(5)),
                              MakeJob("report-2", "Failed", kNow), MakeJob("report-3")}),
            expected);
}

TEST_F(CronJobPlanTest, TheLastSuccessIsTheLatestOfAll) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.suspend = true;
    its.status.lastSuccessfulTime = TimeOf(kNow - minutes(7));
  });
  const auto last = [&](std::vector<JobRef> jobs) {
    return Decide(cron_job, std::move(jobs)).status.lastSuccessfulTime;
  };
  EXPECT_EQ(last({MakeJob("a", "Complete", kNow - minutes(8))}), TimeOf(kNow - minutes(7)));
  EXPECT_EQ(last({MakeJob("a", "Complete", kNow - minutes(2)),
                  MakeJob("b", "Complete", kNow - minutes(1)),
                  MakeJob("c", "Complete", kNow - minutes(3))}),
            TimeOf(kNow - minutes(1)));
  EXPECT_EQ(last({MakeJob("a", "Complete")}), TimeOf(kNow - minutes(7)));
  EXPECT_EQ(last({MakeJob("a", "Failed", kNow)}), TimeOf(kNow - minutes(7)));
}

TEST_F(CronJobPlanTest, SaysWhatItDidNotExpectAndWhatIsGone) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.suspend = true;
    its.status.active = {Reference("report-1"), Reference("report-2")};
  });
  Plan expected =
      Saying(Nothing(cron_job, Idle::kSuspended),
             {common::Warning("UnexpectedJob",
                              "Saw a job that the controller did not create or forgot: report-9"),
              common::Normal("MissingJob", "Active job went missing: report-1")});
  expected.status.active = {Reference("report-2")};
  expected.status_changes = true;
  EXPECT_EQ(Decide(cron_job, {MakeJob("report-9")}, {"uid of report-1"}), expected);
}

TEST_F(CronJobPlanTest, DeletesWhatItDoesNotKeepAndSaysNoMoreOfIt) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.suspend = true;
    its.spec.successfulJobsHistoryLimit = 0;
    its.status.active.push_back(Reference("report-1"));
  });
  const JobRef job = MakeJob("report-1", "Complete", kNow);
  Plan expected = Nothing(cron_job, Idle::kSuspended);
  expected.clean_up = {job};
  expected.status.active.clear();
  expected.status.lastSuccessfulTime = TimeOf(kNow);
  expected.status_changes = true;
  EXPECT_EQ(Decide(cron_job, {job}), expected);
}

TEST_F(CronJobPlanTest, CanBeRead) {
  const CronJob cron_job = Hourly([](CronJob& its) {
    its.spec.concurrencyPolicy = "Replace";
    its.spec.failedJobsHistoryLimit = 0;
    its.status.active.push_back(Reference("report-1"));
  });
  const Plan plan = Decide(cron_job, {MakeJob("report-0", "Failed"), MakeJob("report-1")});
  EXPECT_EQ(plan.ToString(),
            "delete report-0; replace report-1; run report-29912400; write the status");
  EXPECT_TRUE(plan.Acts());
  const Plan nothing = Decide(Hourly([](CronJob& its) { its.spec.suspend = true; }));
  EXPECT_EQ(nothing.ToString(), "run nothing, it is suspended");
  EXPECT_FALSE(nothing.Acts());
}

TEST_F(CronJobPlanTest, NumbersThatMakeNoSenseDoNoHarm) {
  for (const std::int64_t deadline : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                      std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
    const CronJob cron_job = Hourly([&](CronJob& its) {
      its.spec.startingDeadlineSeconds = deadline;
      its.spec.successfulJobsHistoryLimit = std::numeric_limits<std::int32_t>::min();
      its.spec.failedJobsHistoryLimit = std::numeric_limits<std::int32_t>::max();
    });
    const Plan plan = Decide(cron_job, {MakeJob("report-1", "Complete"), MakeJob("b", "Failed")});
    EXPECT_EQ(plan.clean_up.size(), 1U);
    ASSERT_TRUE(plan.check_after) << "no hot loop";
    EXPECT_GT(*plan.check_after, minutes(49));
  }
}

}  // namespace
}  // namespace flyball::controllers::cron_job
