#include "flyball/controllers/job/tracking_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using batch::v1::JobStatus;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

/// A job, what there is of it, and what is planned.
struct Planned {
  Job job;
  JobSyncState sync_state;
  TrackingPlan plan;

  const batch::v1::UncountedTerminatedPods& uncounted() const {
    return *plan.status.uncountedTerminatedPods;
  }
};

/// The counts of pods are in the status already.
Planned Plan(Job job, std::vector<JobPod> pods) {
  JobSyncState sync_state = Assess(job, std::move(pods), Failures(), kNow);
  job.status.active = sync_state.counts.active;
  job.status.ready = sync_state.counts.ready;
  job.status.terminating = sync_state.counts.terminating;
  sync_state.status.active = job.status.active;
  sync_state.status.ready = job.status.ready;
  sync_state.status.terminating = job.status.terminating;
  Conclude(job, sync_state, {.managed = false}, kNow);
  TrackingPlan plan = PlanTracking(job, sync_state, kNow);
  return {std::move(job), std::move(sync_state), std::move(plan)};
}

TEST(JobTracking, PodsThatHaveEndedAreWrittenDownBeforeTheyAreReleased) {
  const Planned its =
      Plan(FakeJob(9), {FakePod("s", "Succeeded"), FakePod("f", "Failed"), FakePod("r", "Running"),
                        FakePod("d", "Running", Delete), FakePod("old", "Succeeded", Untrack)});
  EXPECT_TRUE(its.plan.write_first);
  EXPECT_THAT(its.uncounted().succeeded, ElementsAre("s-uid"));
  EXPECT_THAT(its.uncounted().failed, ElementsAre("f-uid", "d-uid"));
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("s", "f", "d"));
  EXPECT_THAT(its.plan.tracked, SizeIs(4));
  EXPECT_EQ(its.plan.status.succeeded, 0);
  EXPECT_EQ(its.plan.status.failed, 0);
  EXPECT_EQ(its.plan.end, std::nullopt);
}

TEST(JobTracking, NothingNewIsNotWritten) {
  const Planned its = Plan(FakeJob(9), {FakePod("r", "Running"), FakePod("o", "Failed", Untrack)});
  EXPECT_FALSE(its.plan.write_first);
  EXPECT_THAT(its.plan.release, IsEmpty());
  EXPECT_EQ(its.plan.status, its.job.status);
}

TEST(JobTracking, WhatIsWrittenDownIsReleasedAndNotWrittenAgain) {
  const Planned its = Plan(FakeJob(9,
                                   [](Job& job) {
                                     auto& uncounted = *job.status.uncountedTerminatedPods;
                                     uncounted.succeeded = {"s-uid"};
                                     uncounted.failed = {"f-uid"};
                                   }),
                           {FakePod("s", "Succeeded"), FakePod("f", "Failed")});
  EXPECT_FALSE(its.plan.write_first);
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("s", "f"));
  EXPECT_EQ(its.plan.status, its.job.status);
}

TEST(JobTracking, WhatWasReleasedIsCountedAndForgottenInOneWrite) {
  const Planned its = Plan(FakeJob(9,
                                   [](Job& job) {
                                     job.status.succeeded = 3;
                                     job.status.failed = 4;
                                     auto& uncounted = *job.status.uncountedTerminatedPods;
                                     uncounted.succeeded = {"s-uid", "gone-uid"};
                                     uncounted.failed = {"f-uid", "lost-uid"};
                                   }),
                           {FakePod("s", "Succeeded", Untrack), FakePod("f", "Failed")});
  EXPECT_TRUE(its.plan.write_first);
  EXPECT_EQ(its.plan.status.succeeded, 5);
  EXPECT_EQ(its.plan.status.failed, 5);
  EXPECT_THAT(its.uncounted().succeeded, IsEmpty());
  EXPECT_THAT(its.uncounted().failed, ElementsAre("f-uid"));
}

TEST(JobTracking, ASuccessOfAPodThatIsWrittenDownAsFailedChangesNothing) {
  const Planned its =
      Plan(FakeJob(9, [](Job& job) { job.status.uncountedTerminatedPods->failed = {"p-uid"}; }),
           {FakePod("p", "Succeeded", Delete)});
  EXPECT_THAT(its.uncounted().succeeded, IsEmpty());
  EXPECT_THAT(its.uncounted().failed, ElementsAre("p-uid"));
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("p"));
}

TEST(JobTracking, AnIndexIsCompletedWithoutAUid) {
  const Planned its =
      Plan(FakeIndexedJob(9, [](Job& job) { job.status.completedIndexes = "1"; }),
           {FakeIndexPod(0, "Succeeded"), FakeIndexPod(1, "Succeeded"), FakeIndexPod(2, "Failed"),
            FakeIndexPod(9, "Failed"), FakePod("none", "Failed"), FakeIndexPod(10, "Succeeded")});
  EXPECT_EQ(its.plan.status.completedIndexes, "0,1");
  EXPECT_EQ(its.plan.status.succeeded, 2);
  EXPECT_EQ(its.plan.status.failedIndexes, std::nullopt);
  EXPECT_THAT(its.uncounted().succeeded, IsEmpty());
  EXPECT_THAT(its.uncounted().failed, ElementsAre("p2-uid"));
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("none", "p0", "p1", "p2", "p9", "p10"));
}

TEST(JobTracking, ThePodThatIsToBeReplacedKeepsItsFinalizer) {
  const ChangeJob per_index = [](Job& job) { job.spec.backoffLimitPerIndex = 1; };
  const JobPod failed = FakeIndexPod(0, "Failed", After(0));
  Planned its = Plan(FakeIndexedJob(9, per_index), {failed, FakeIndexPod(1, "Failed", After(1))});
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("p1"));
  EXPECT_THAT(its.uncounted().failed, ElementsAre("p1-uid"));
  EXPECT_EQ(its.plan.status.failedIndexes, "1");
  // Until another is there.
  its = Plan(FakeIndexedJob(9, per_index), {failed, FakeIndexPod(0, "Running", After(1))});
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("p0"));
  EXPECT_EQ(its.plan.status.failedIndexes, "");
}

TEST(JobTracking, IgnoredFailuresAreReleasedAndNotCounted) {
  const Planned its =
      Plan(FakeJob(9,
                   [](Job& job) {
                     job.spec.podFailurePolicy.emplace().rules = {ExitCodeRule("Ignore", "In", {7}),
                                                                  ExitCodeRule("Count", "In", {8})};
                   }),
           {FakePod("a", "Failed", EndedAgo(seconds(1), 7)),
            FakePod("b", "Failed", EndedAgo(seconds(1), 8)),
            FakePod("c", "Failed", EndedAgo(seconds(1), 9))});
  EXPECT_THAT(its.uncounted().failed, ElementsAre("b-uid", "c-uid"));
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("a", "b", "c"));
  EXPECT_THAT(its.plan.handled, ElementsAre(Pair("Count", 1), Pair("Ignore", 1)));
}

TEST(JobTracking, WhenAJobFailsAllItsPodsCountAsFailed) {
  const Planned its = Plan(FakeJob(9, [](Job& job) { job.spec.backoffLimit = 0; }),
                           {FakePod("f", "Failed"), FakePod("r", "Running")});
  EXPECT_THAT(its.uncounted().failed, ElementsAre("f-uid", "r-uid"));
  const auto target = TrueCondition(kFailureTarget, "BackoffLimitExceeded",
                                    "Job has reached the specified backoff limit", kNow);
  EXPECT_THAT(its.plan.status.conditions, ElementsAre(target));
  EXPECT_EQ(its.plan.end, TrueCondition(kFailed, "BackoffLimitExceeded",
                                        "Job has reached the specified backoff limit", kNow));
}

TEST(JobTracking, WhenAJobSucceedsByItsPolicyTheOthersDoNotCount) {
  const Planned its = Plan(FakeIndexedJob(9,
                                          [](Job& job) {
                                            auto& policy = job.spec.successPolicy.emplace();
                                            policy.rules.emplace_back().succeededCount = 1;
                                          }),
                           {FakeIndexPod(0, "Succeeded"), FakeIndexPod(1, "Running")});
  EXPECT_THAT(its.uncounted().failed, IsEmpty());
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("p0", "p1"));
  EXPECT_THAT(its.plan.status.conditions,
              ElementsAre(TrueCondition(kSuccessCriteriaMet, "SuccessPolicy",
                                        "Matched rules at index 0", kNow)));
  EXPECT_EQ(its.plan.end,
            TrueCondition(kComplete, "SuccessPolicy", "Matched rules at index 0", kNow));
}

TEST(JobTracking, WhatItComesToIsSaidOnce) {
  for (const auto& [said, to_say] :
       {std::pair(kSuccessCriteriaMet, kComplete), std::pair(kFailureTarget, kFailed)}) {
    const auto condition = TrueCondition(said, "Why", "so", kNow - seconds(9));
    const Planned its =
        Plan(FakeJob(9, [&](Job& job) { job.status.conditions = {condition}; }), {});
    EXPECT_THAT(its.plan.status.conditions, ElementsAre(condition));
    EXPECT_EQ(its.plan.end, TrueCondition(to_say, "Why", "so", kNow));
  }
}

TEST(JobTracking, AllPodsOfAJobThatGoesAreReleased) {
  const Planned its =
      Plan(FakeJob(9, [](Job& job) { job.metadata.deletionTimestamp = api::Time(kNow); }),
           {FakePod("r", "Running"), FakePod("s", "Succeeded")});
  EXPECT_THAT(NamesOf(its.plan.release), ElementsAre("r", "s"));
  EXPECT_THAT(its.uncounted().succeeded, ElementsAre("s-uid"));
  EXPECT_THAT(its.uncounted().failed, IsEmpty());
}

TEST(JobTracking, NoMoreAreWrittenDownThanAStatusCanHold) {
  std::vector<JobPod> pods;
  for (int i = 0; i < 600; ++i) pods.push_back(FakePod("p" + std::to_string(i), "Succeeded"));
  Planned its = Plan(FakeJob(600), pods);
  EXPECT_THAT(its.uncounted().succeeded, SizeIs(500));
  EXPECT_THAT(its.plan.release, SizeIs(500));
  EXPECT_EQ(its.plan.end, std::nullopt);  // some are left
  // Those that are written down go on, so that there is room again.
  Job full = FakeJob(600, [&](Job& job) { job.status = its.plan.status; });
  its = Plan(full, pods);
  EXPECT_THAT(its.plan.release, SizeIs(500));
  EXPECT_FALSE(its.plan.write_first && its.uncounted().succeeded.size() != 500);
}

TEST(JobTracking, NoMoreIndexesAreReleasedAtOnceEither) {
  std::vector<JobPod> pods;
  for (int i = 0; i < 600; ++i) pods.push_back(FakeIndexPod(i, "Succeeded"));
  const Planned its = Plan(FakeIndexedJob(600), pods);
  EXPECT_EQ(its.plan.status.completedIndexes, "0-599");
  EXPECT_THAT(its.plan.release, SizeIs(500));
  EXPECT_EQ(its.plan.end, std::nullopt);
}

TEST(JobTracking, ThoseThatWereReleasedAreCounted) {
  JobStatus status;
  status.succeeded = 1;
  status.failed = 2;
  status.uncountedTerminatedPods.emplace().succeeded = {"a", "b"};
  status.uncountedTerminatedPods->failed = {"c", "d"};
  EXPECT_FALSE(CountReleased(status, {"a", "b", "c", "d"}));
  EXPECT_TRUE(CountReleased(status, {"b", "c"}));
  EXPECT_EQ(status.succeeded, 2);
  EXPECT_EQ(status.failed, 3);
  EXPECT_THAT(status.uncountedTerminatedPods->succeeded, ElementsAre("b"));
  EXPECT_THAT(status.uncountedTerminatedPods->failed, ElementsAre("c"));
}

TEST(JobTracking, SumsOfReleasedPodsWrapAsInGo) {
  JobStatus status;
  status.succeeded = status.failed = std::numeric_limits<std::int32_t>::max();
  auto& uncounted = status.uncountedTerminatedPods.emplace();
  uncounted.succeeded = {"a"};
  uncounted.failed = {"b"};
  EXPECT_TRUE(CountReleased(status, {}));
  EXPECT_EQ(status.succeeded, std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(status.failed, std::numeric_limits<std::int32_t>::min());
}

TEST(JobTracking, AJobHasEndedWhenAllAreCountedAndNoneIsStillEnding) {
  const auto complete = TrueCondition(kComplete, "CompletionsReached", "all", kNow);
  JobStatus status;
  status.uncountedTerminatedPods.emplace().failed = {"a"};
  EXPECT_FALSE(Finish(status, complete, kNow));
  status.uncountedTerminatedPods->failed = {};
  status.uncountedTerminatedPods->succeeded = {"a"};
  EXPECT_FALSE(Finish(status, complete, kNow));
  status.uncountedTerminatedPods->succeeded = {};
  status.terminating = 1;
  EXPECT_FALSE(Finish(status, complete, kNow));
  EXPECT_THAT(status.conditions, IsEmpty());
  status.terminating = 0;
  EXPECT_TRUE(Finish(status, complete, kNow));
  EXPECT_THAT(status.conditions, ElementsAre(complete));
  EXPECT_EQ(status.completionTime, api::Time(kNow));
}

TEST(JobTracking, AJobThatFailedWasNotCompleted) {
  JobStatus status;
  status.uncountedTerminatedPods.emplace();
  EXPECT_TRUE(Finish(status, TrueCondition(kFailed, "DeadlineExceeded", "late", kNow), kNow));
  EXPECT_EQ(status.completionTime, std::nullopt);
}

}  // namespace
}  // namespace flyball::controllers::job
