#include "flyball/controllers/ttl_after_finished/plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "flyball/api/time.h"

namespace flyball::controllers::ttl_after_finished {
namespace {

using batch::v1::Job;
using std::chrono::seconds;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};

/// A job that finished so long ago, and is kept for a minute.
Job Finished(seconds ago, const std::string& how = "Complete") {
  Job job;
  job.metadata.namespace_ = "ns";
  job.metadata.name = "job";
  job.spec.ttlSecondsAfterFinished = 60;
  batch::v1::JobCondition& condition = job.status.conditions.emplace_back();
  condition.type = how;
  condition.status = "True";
  condition.lastTransitionTime = api::Time(kNow - ago);
  return job;
}

Job With(Job job, const std::function<void(Job&)>& change) {
  change(job);
  return job;
}

constexpr Plan kLeave{};

TEST(TtlAfterFinishedPlan, DecidesByTheTimeThatIsLeft) {
  EXPECT_EQ(PlanFor(Finished(seconds(0)), kNow),
            (Plan{Plan::Action::kWait, seconds(60), api::Time(kNow + seconds(60))}));
  EXPECT_EQ(PlanFor(Finished(seconds(59), "Failed"), kNow),
            (Plan{Plan::Action::kWait, seconds(1), api::Time(kNow + seconds(1))}));
  EXPECT_EQ(PlanFor(Finished(seconds(60)), kNow),
            (Plan{Plan::Action::kDelete, {}, api::Time(kNow)}));
  EXPECT_EQ(PlanFor(Finished(seconds(100)), kNow),
            (Plan{Plan::Action::kDelete, {}, api::Time(kNow - seconds(40))}));
  // By another's clock, which goes ahead.
  EXPECT_EQ(PlanFor(Finished(seconds(-10)), kNow),
            (Plan{Plan::Action::kWait, seconds(70), api::Time(kNow + seconds(70))}));
  EXPECT_EQ(
      PlanFor(With(Finished(seconds(0)), [](Job& job) { job.spec.ttlSecondsAfterFinished = 0; }),
              kNow),
      (Plan{Plan::Action::kDelete, {}, api::Time(kNow)}));
}

TEST(TtlAfterFinishedPlan, LeavesWhatIsNotToExpire) {
  const Job job = Finished(seconds(100));
  EXPECT_EQ(PlanFor(With(job, [](Job& its) { its.spec.ttlSecondsAfterFinished.reset(); }), kNow),
            kLeave);
  EXPECT_EQ(PlanFor(With(job, [](Job& its) { its.status.conditions.clear(); }), kNow), kLeave);
  EXPECT_EQ(PlanFor(With(job, [](Job& its) { its.status.conditions[0].status = "False"; }), kNow),
            kLeave);
  EXPECT_EQ(PlanFor(With(job, [](Job& its) { its.status.conditions[0].type = "Suspended"; }), kNow),
            kLeave);
  EXPECT_EQ(
      PlanFor(With(job, [](Job& its) { its.metadata.deletionTimestamp = api::Time(kNow); }), kNow),
      kLeave);
}

TEST(TtlAfterFinishedPlan, OfSeveralConditionsTheOneThatHoldsCounts) {
  Job job = Finished(seconds(10));
  batch::v1::JobCondition earlier = job.status.conditions[0];
  earlier.type = "Failed";
  earlier.status = "False";
  earlier.lastTransitionTime = api::Time(kNow - seconds(1000));
  job.status.conditions.insert(job.status.conditions.begin(), earlier);
  EXPECT_EQ(PlanFor(job, kNow)->action, Plan::Action::kWait);
}

TEST(TtlAfterFinishedPlan, AJobThatDoesNotSayWhenItFinishedIsAnError) {
  const auto plan =
      PlanFor(With(Finished(seconds(0)),
                   [](Job& job) { job.status.conditions[0].lastTransitionTime = {}; }),
              kNow);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message(), "job ns/job has finished, but does not say when");
}

TEST(TtlAfterFinishedPlan, WaitsForAJobThatFinishedInAYearThatNanosecondsDoNotHold) {
  for (const char* const end : {"2262-04-11T23:47:16Z", "9999-12-31T23:59:59Z"}) {
    const api::Time finished = *api::Time::Parse(end);
    const Job job = With(Finished(seconds(0)), [&](Job& its) {
      its.spec.ttlSecondsAfterFinished = std::numeric_limits<std::int32_t>::max();
      its.status.conditions[0].lastTransitionTime = finished;
    });
    const api::Time expires = finished + seconds(2'147'483'647);
    EXPECT_EQ(PlanFor(job, kNow), (Plan{Plan::Action::kWait, expires - api::Time(kNow), expires}));
    EXPECT_GT(PlanFor(job, kNow)->wait, std::chrono::years(290)) << end;
  }
}

TEST(TtlAfterFinishedPlan, CanBeRead) {
  EXPECT_EQ(kLeave.ToString(), "leave it");
  EXPECT_EQ(PlanFor(Finished(seconds(60)), kNow)->ToString(),
            "delete it, it expired at 2026-11-15T00:00:00Z");
  EXPECT_EQ(PlanFor(Finished(seconds(0)), kNow)->ToString(),
            "wait until it expires at 2026-11-15T00:01:00Z");
}

}  // namespace
}  // namespace flyball::controllers::ttl_after_finished
