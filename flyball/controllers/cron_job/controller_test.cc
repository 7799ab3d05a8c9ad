#include "flyball/controllers/cron_job/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/time.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/cron_job/run.h"
#include "flyball/runtime/event_recorder_fake.h"
#include "flyball/runtime/object_reference.h"

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::CronJob;
using batch::v1::Job;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";
const std::string kCronJob = "/apis/batch/v1/namespaces/default/cronjobs/report";
const std::string kWriteStatus = "PUT " + kCronJob + "/status";
/// The minute in which the tests begin: 2026-01-01T00:00Z.
constexpr int kFirstMinute = 29453760;

std::string JobName(int minute) { return "report-" + std::to_string(kFirstMinute + minute); }

class CronJobControllerTest : public ControllerFixture {
 protected:
  void PlayIt(const std::function<void()>& test) {
    auto all = deps();
    all.events = events_.Maker();
    TimeZones::Places places;
    places.local_name = "";
    Play(Make(all, {.zones = std::make_shared<TimeZones>(places)}), [&] {
      // From here on a minute's end is a minute away.
      Pass(seconds(60) - executor_.clock().WallNow().time_since_epoch() % seconds(60));
      test();
    });
  }
  /// What happens at once has happened after this.
  void Settle() { Pass(milliseconds(400)); }

  /// "default/report", for each minute.
  static CronJob Report(const std::string& schedule = "* * * * *") {
    CronJob cron_job;
    cron_job.metadata.namespace_ = "default";
    cron_job.metadata.name = "report";
    cron_job.spec.schedule = schedule;
    cron_job.spec.jobTemplate.metadata.labels["app"] = "report";
    auto& pod = cron_job.spec.jobTemplate.spec.template_.spec;
    pod.restartPolicy = "Never";
    core::v1::Container& container = pod.containers.emplace_back();
    container.name = "only";
    container.image = "none";
    return cron_job;
  }
  static CronJob With(CronJob cron_job, const std::function<void(CronJob&)>& change) {
    change(cron_job);
    return cron_job;
  }

  template <typename T>
  static T Must(Result<T> result) {
    if (result) return *std::move(result);
    ADD_FAILURE() << result.error().Describe();
    return {};
  }
  CronJob Create(const CronJob& cron_job) { return Must(All<CronJob>().Create(cron_job)); }
  CronJob Get() { return Must(All<CronJob>().Get({"default", "report"})); }
  void Change(const std::function<void(CronJob&)>& change) {
    Must(All<CronJob>().Update(With(Get(), change)));
  }
  void RanLast(const std::string& time) {
    Must(All<CronJob>().UpdateStatus(
        With(Get(), [&](CronJob& its) { its.status.lastScheduleTime = *api::Time::Parse(time); })));
  }
  std::vector<Job> Jobs() { return Must(All<Job>().ListIn("default")).items; }
  std::vector<std::string> JobNames() {
    std::vector<std::string> names;
    for (const Job& job : Jobs()) names.push_back(job.metadata.name);
    return names;
  }
  std::vector<std::string> Active() {
    std::vector<std::string> names;
    for (const auto& job : Get().status.active) names.push_back(job.name);
    return names;
  }
  void End(const std::string& name, const std::string& how = "Complete") {
    Job job = Must(All<Job>().Get({"default", name}));
    const api::Time now(executor_.clock().WallNow());
    job.status.startTime = now;
    if (how == "Complete") job.status.completionTime = now;
    for (const std::string& type :
         {std::string(how == "Complete" ? "SuccessCriteriaMet" : "FailureTarget"), how}) {
      batch::v1::JobCondition& condition = job.status.conditions.emplace_back();
      condition.type = type;
      condition.status = "True";
      condition.lastTransitionTime = condition.lastProbeTime = now;
    }
    Must(All<Job>().UpdateStatus(job));
  }
  /// The server refuses requests that begin so, so many times.
  void Refuse(const std::string& requests, int code, const std::string& reason,
              const std::string& details = "{}", int times = 1000) {
    answer_instead_ = [=, left = std::make_shared<int>(times)](
                          const transport::Request& request) -> std::optional<transport::Response> {
      if (!(request.method + " " + request.target).starts_with(requests)) return std::nullopt;
      if ((*left)-- <= 0) return std::nullopt;
      transport::Response response;
      response.status = code;
      response.headers = {{"content-type", "application/json"}};
      response.body =
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":")" +
          reason + R"(","details":)" + details + R"(,"code":)" + std::to_string(code) + "}";
      return response;
    };
  }
  /// Without this a job leaves its pods behind, and waits for somebody to see to that.
  void Delete(const std::string& job) {
    meta::v1::DeleteOptions options;
    options.propagationPolicy = "Background";
    EXPECT_TRUE(All<Job>().Delete({"default", job}, options));
  }
  static std::size_t CountOf(const std::vector<std::string>& lines, const std::string& line) {
    return static_cast<std::size_t>(std::ranges::count(lines, line));
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(CronJobControllerTest, MakesAJobWhenItsTimeHasComeAndNotBefore) {
  PlayIt([&] {
    const CronJob cron_job = Create(Report());
    Pass(seconds(59));
    EXPECT_THAT(TakeSent(), IsEmpty());
    Pass(seconds(2));
    const auto sent = TakeSent();
    ASSERT_THAT(sent, SizeIs(2));
    EXPECT_EQ(sent[0].request, "POST " + kJobs);
    Job expected =
        JobFor(cron_job, std::chrono::sys_seconds(minutes(kFirstMinute + 2)), TimeZone());
    expected.kind = "Job";
    expected.apiVersion = "batch/v1";
    EXPECT_EQ(Must(api::DecodeJson<Job>(sent[0].body)), expected);
    EXPECT_EQ(expected.metadata.annotations[kScheduledAt], "2026-01-01T00:02:00Z");
    EXPECT_EQ(sent[1].request, kWriteStatus);

    const auto jobs = Jobs();
    ASSERT_THAT(jobs, SizeIs(1));
    batch::v1::CronJobStatus status;
    status.lastScheduleTime = api::Time::FromUnix((kFirstMinute + 2) * 60);
    status.active.push_back(runtime::ReferenceTo(jobs[0]));
    EXPECT_EQ(Get().status, status);
    EXPECT_THAT(events_.lines(), ElementsAre("Normal SuccessfulCreate: Created job " + JobName(2)));
  });
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("cronjob_controller_job_creation_skew_duration_seconds_count 1"));
  EXPECT_THAT(
      metrics_.Text(),
      HasSubstr("cronjob_controller_job_creation_skew_duration_seconds_bucket{le=\"512\"}"));
}

TEST_F(CronJobControllerTest, RunsAgainAndAgainAndForgetsWhatHasEnded) {
  PlayIt([&] {
    Create(Report());
    Pass(minutes(2) + seconds(1));
    EXPECT_THAT(JobNames(), ElementsAre(JobName(2), JobName(3)));
    EXPECT_THAT(Active(), ElementsAre(JobName(2), JobName(3)));
    End(JobName(2));
    Settle();
    EXPECT_THAT(Active(), ElementsAre(JobName(3)));
    EXPECT_EQ(Get().status.lastSuccessfulTime->ToString(), "2026-01-01T00:03:01Z");
    EXPECT_THAT(events_.lines(), Contains("Normal SawCompletedJob: Saw completed job: " +
                                          JobName(2) + ", condition: Complete"));
    Delete(JobName(3));
    Settle();
    EXPECT_THAT(Active(), IsEmpty());
    EXPECT_THAT(events_.lines(),
                Contains("Normal MissingJob: Active job went missing: " + JobName(3)));
  });
}

TEST_F(CronJobControllerTest, CatchesUpWithTheLastRunThatItMissed) {
  PlayIt([&] {
    Create(Report("0 0 29 2 *"));
    Settle();
    EXPECT_THAT(TakeSent(), IsEmpty());
    RanLast("2020-01-01T00:00:00Z");
    Settle();
    EXPECT_THAT(JobNames(), ElementsAre("report-28486080"));
    EXPECT_EQ(Get().status.lastScheduleTime->ToString(), "2024-02-29T00:00:00Z");
    Pass(hours(24));
    EXPECT_THAT(JobNames(), SizeIs(1));
  });
}

TEST_F(CronJobControllerTest, AChangedScheduleCountsFromTheNextTimeOn) {
  PlayIt([&] {
    Create(Report("0 12 * * *"));
    Settle();
    // Of this one there would have been one at midnight.
    Must(All<CronJob>().UpdateStatus(With(Get(), [](CronJob& its) {
      its.status.lastScheduleTime = *api::Time::Parse("2025-12-31T12:00:00Z");
    })));
    Settle();
    Change([](CronJob& its) { its.spec.schedule = "*/5 * * * *"; });
    Pass(seconds(10));
    EXPECT_THAT(JobNames(), IsEmpty());
    Pass(minutes(5));
    EXPECT_THAT(JobNames(), ElementsAre(JobName(5)));
  });
}

TEST_F(CronJobControllerTest, AChangeToABadScheduleIsSaidAndNothingMore) {
  PlayIt([&] {
    Create(Report());
    Settle();
    Change([](CronJob& its) { its.spec.schedule = "61 * * * *"; });
    Settle();
    EXPECT_THAT(events_.lines(), ElementsAre("Warning UnParseableCronJobSchedule: unparseable "
                                             "schedule for cronjob: 61 * * * *"));
    // The time of the old schedule still comes, and finds the new one.
    Pass(minutes(3));
    EXPECT_THAT(events_.lines(),
                ElementsAre(StartsWith("Warning UnParseable"),
                            "Warning UnparseableSchedule: unparseable schedule: \"61 * * * *\" : "
                            "end of range (61) above maximum (59): 61"));
    EXPECT_THAT(TakeSent(), IsEmpty());
    Change([](CronJob& its) { its.spec.schedule = "0 0 31 2 *"; });
    Pass(hours(1));
    EXPECT_THAT(events_.lines(),
                ElementsAre(StartsWith("Warning UnParseable"), StartsWith("Warning Unparseable"),
                            "Warning InvalidSchedule: invalid schedule: 0 0 31 2 * : time "
                            "difference between two schedules is less than 1 second"));
  });
}

TEST_F(CronJobControllerTest, ABadTimeZoneIsSaidOnce) {
  PlayIt([&] {
    Create(With(Report(), [](CronJob& its) { its.spec.timeZone = "Nowhere/None"; }));
    Pass(hours(1));
    EXPECT_THAT(events_.lines(),
                ElementsAre("Warning UnknownTimeZone: invalid timeZone: \"Nowhere/None\": unknown "
                            "time zone Nowhere/None"));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
}

TEST_F(CronJobControllerTest, WhileItIsSuspendedNothingRuns) {
  PlayIt([&] {
    Create(With(Report(), [](CronJob& its) { its.spec.suspend = true; }));
    Pass(minutes(5) + seconds(10));
    EXPECT_THAT(TakeSent(), IsEmpty());
    Change([](CronJob& its) { its.spec.suspend = false; });
    Settle();
    EXPECT_THAT(JobNames(), ElementsAre(JobName(6))) << "the last one is made up for";
  });
}

TEST_F(CronJobControllerTest, OneThatMayNotRunTwiceAtATimeWaits) {
  PlayIt([&] {
    Create(With(Report(), [](CronJob& its) { its.spec.concurrencyPolicy = "Forbid"; }));
    Pass(minutes(3) + seconds(10));
    EXPECT_THAT(JobNames(), ElementsAre(JobName(2)));
    EXPECT_EQ(CountOf(events_.lines(),
                      "Normal JobAlreadyActive: Not starting job because prior execution is "
                      "running and concurrency policy is Forbid"),
              2);
    End(JobName(2));
    Settle();
    EXPECT_THAT(JobNames(), ElementsAre(JobName(2), JobName(4))) << "at once";
    EXPECT_THAT(Active(), ElementsAre(JobName(4)));
  });
}

TEST_F(CronJobControllerTest, OneThatReplacesDeletesWhatRunsFirst) {
  PlayIt([&] {
    Create(With(Report(), [](CronJob& its) { its.spec.concurrencyPolicy = "Replace"; }));
    Pass(minutes(1) + seconds(1));
    TakeSent();
    Pass(minutes(1));
    const auto sent = TakeSent();
    ASSERT_THAT(sent, SizeIs(3));
    EXPECT_EQ(sent[0].request, "DELETE " + kJobs + "/" + JobName(2));
    EXPECT_THAT(sent[0].body, HasSubstr(R"("propagationPolicy":"Background")"));
    EXPECT_EQ(sent[1].request, "POST " + kJobs);
    EXPECT_EQ(sent[2].request, kWriteStatus);
    EXPECT_THAT(JobNames(), ElementsAre(JobName(3)));
    EXPECT_THAT(Active(), ElementsAre(JobName(3)));
    EXPECT_THAT(events_.lines(), ElementsAre("Normal SuccessfulCreate: Created job " + JobName(2),
                                             "Normal SuccessfulDelete: Deleted job " + JobName(2),
                                             "Normal SuccessfulCreate: Created job " + JobName(3)));
  });
}

TEST_F(CronJobControllerTest, WhatItCannotReplaceItSays) {
  PlayIt([&] {
    Create(With(Report(), [](CronJob& its) { its.spec.concurrencyPolicy = "Replace"; }));
    Pass(minutes(1) + seconds(1));
    Refuse("GET " + kJobs, 500, "InternalError", "{}", 1);
    Pass(minutes(1));
    EXPECT_THAT(events_.lines(), Contains("Warning FailedGet: Get job: no"));
    EXPECT_THAT(JobNames(), ElementsAre(JobName(3))) << "the second time";
    Refuse("DELETE", 403, "Forbidden", "{}", 1);
    Pass(minutes(1));
    EXPECT_THAT(events_.lines(), Contains("Warning FailedDelete: Deleted job: no"));
    EXPECT_THAT(JobNames(), ElementsAre(JobName(4)));
  });
}

TEST_F(CronJobControllerTest, KeepsAsManyThatHaveEndedAsItIsTo) {
  PlayIt([&] {
    Create(With(Report(), [](CronJob& its) {
      its.spec.successfulJobsHistoryLimit = 1;
      its.spec.failedJobsHistoryLimit = 0;
    }));
    Pass(minutes(3) + seconds(1));
    TakeSent();
    End(JobName(2));
    Pass(seconds(2));
    End(JobName(3));
    Settle();
    EXPECT_THAT(JobNames(), ElementsAre(JobName(3), JobName(4)));
    End(JobName(4), "Failed");
    Settle();
    EXPECT_THAT(JobNames(), ElementsAre(JobName(3)));
    EXPECT_THAT(events_.lines(), Contains("Normal SuccessfulDelete: Deleted job " + JobName(4)));
    EXPECT_THAT(Active(), IsEmpty());
  });
}

TEST_F(CronJobControllerTest, WhatCouldNotBeDeletedIsTriedAgain) {
  PlayIt([&] {
    Create(With(Report("0 0 29 2 *"), [](CronJob& its) { its.spec.failedJobsHistoryLimit = 0; }));
    Settle();
    RanLast("2023-01-01T00:00:00Z");
    Settle();
    Refuse("DELETE", 403, "Forbidden", "{}", 1);
    End("report-28486080", "Failed");
    Pass(seconds(1));
    EXPECT_THAT(JobNames(), IsEmpty());
    EXPECT_EQ(CountOf(events_.lines(), "Warning FailedDelete: Deleted job: no"), 1);
  });
}

TEST_F(CronJobControllerTest, ARefusedJobIsTriedAgainAndSaid) {
  PlayIt([&] {
    Create(Report());
    Settle();
    Refuse("POST " + kJobs, 403, "Forbidden", "{}", 2);
    Pass(minutes(1));
    Settle();
    EXPECT_THAT(events_.lines(), ElementsAre("Warning FailedCreate: Error creating job: no",
                                             "Warning FailedCreate: Error creating job: no",
                                             "Normal SuccessfulCreate: Created job " + JobName(2)));
    EXPECT_THAT(Active(), ElementsAre(JobName(2)));
  });
}

TEST_F(CronJobControllerTest, InANamespaceThatGoesNothingIsTriedAgain) {
  PlayIt([&] {
    Create(Report());
    Settle();
    Refuse("POST " + kJobs, 403, "Forbidden", R"({"causes":[{"reason":"NamespaceTerminating"}]})");
    Pass(minutes(10));
    EXPECT_THAT(TakeRequests(), ElementsAre("POST " + kJobs));
    EXPECT_THAT(events_.lines(), IsEmpty());
  });
}

TEST_F(CronJobControllerTest, AJobThatNobodyNotedIsFoundByItsName) {
  PlayIt([&] {
    const CronJob cron_job = Create(Report("0 0 29 2 *"));
    Settle();
    Refuse("PUT", 409, "Conflict", "{}", 1);
    RanLast("2023-01-01T00:00:00Z");
    Pass(seconds(4));  // until the server was asked, which has no other object
    EXPECT_THAT(JobNames(), ElementsAre("report-28486080"));
    EXPECT_THAT(Active(), ElementsAre("report-28486080"));
    EXPECT_EQ(Get().status.lastScheduleTime->ToString(), "2024-02-29T00:00:00Z");
    EXPECT_THAT(TakeRequests(),
                ElementsAre("POST " + kJobs, kWriteStatus, "POST " + kJobs, kWriteStatus));
    EXPECT_THAT(events_.lines(),
                ElementsAre("Normal SuccessfulCreate: Created job report-28486080",
                            "Warning UnexpectedJob: Saw a job that the controller did not create "
                            "or forgot: report-28486080"));
  });
}

TEST_F(CronJobControllerTest, AJobOfTheSameNameThatIsSomebodyElsesIsLeftAlone) {
  PlayIt([&] {
    Job job;
    job.metadata.namespace_ = "default";
    job.metadata.name = JobName(2);
    job.spec = Report().spec.jobTemplate.spec;
    Must(All<Job>().Create(job));
    Create(Report());
    Pass(minutes(1) + seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre("POST " + kJobs));
    EXPECT_THAT(Active(), IsEmpty());
    Pass(minutes(1));
    EXPECT_THAT(Active(), ElementsAre(JobName(3))) << "it goes on with the next";
  });
}

TEST_F(CronJobControllerTest, OnesOwnJobThatSomebodyElseMadeIsTold) {
  PlayIt([&] {
    const CronJob cron_job = Create(Report("0 0 29 2 *"));
    Settle();
    Job job = JobFor(cron_job, std::chrono::sys_seconds(), TimeZone());
    job.metadata.name = "by-hand";
    Must(All<Job>().Create(job));
    Settle();
    EXPECT_THAT(events_.lines(), ElementsAre("Warning UnexpectedJob: Saw a job that the controller "
                                             "did not create or forgot: by-hand"));
    EXPECT_THAT(Active(), IsEmpty());
    End("by-hand");
    Settle();
    EXPECT_TRUE(Get().status.lastSuccessfulTime);
  });
}

TEST_F(CronJobControllerTest, AJobThatIsTakenFromItIsActiveAsLongAsItIsThere) {
  PlayIt([&] {
    Create(Report("0 0 29 2 *"));
    Settle();
    RanLast("2023-01-01T00:00:00Z");
    Settle();
    Job job = Must(All<Job>().Get({"default", "report-28486080"}));
    job.metadata.ownerReferences.clear();
    Must(All<Job>().Update(job));
    Settle();
    EXPECT_THAT(Active(), ElementsAre("report-28486080"));
    Delete("report-28486080");
    Change([](CronJob& its) { its.metadata.labels["touched"] = "yes"; });
    Settle();
    EXPECT_THAT(Active(), IsEmpty());
  });
}

TEST_F(CronJobControllerTest, WhileACacheIsLateNothingIsDoneTwice) {
  PlayIt([&] {
    Create(Report());
    Settle();
    faults_.OnEvents(sandbox::Requests::Watches().Of("cronjobs")).Delay(seconds(20));
    Pass(minutes(1));
    // The job's own event brings it back before it has seen its status, and is kept waiting.
    Pass(seconds(30));
    EXPECT_THAT(JobNames(), ElementsAre(JobName(2)));
    EXPECT_THAT(events_.lines(), ElementsAre("Normal SuccessfulCreate: Created job " + JobName(2)));
  });
}

}  // namespace
}  // namespace flyball::controllers::cron_job
