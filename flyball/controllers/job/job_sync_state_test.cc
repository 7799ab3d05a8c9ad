#include "flyball/controllers/job/job_sync_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

JobSyncState Of(const Job& job, std::vector<JobPod> pods) {
  return Assess(job, std::move(pods), Failures(), kNow);
}
/// "FailureTarget BackoffLimitExceeded: ...", or empty.
std::string EndOf(const Job& job, std::vector<JobPod> pods) {
  const auto end = Of(job, std::move(pods)).end;
  return end ? end->type + " " + end->reason + ": " + end->message : "";
}
ChangeJob HasCondition(std::string_view type, std::string_view reason, std::string_view message) {
  return [=](Job& job) {
    job.status.conditions.push_back(TrueCondition(type, reason, message, kNow - minutes(1)));
  };
}

TEST(JobSituation, CountsPodsByWhatTheyDo) {
  const auto ready = [](core::v1::Pod& pod) {
    pod.status.conditions.push_back(ReadyCondition(api::Time(kNow)));
  };
  const JobSyncState sync_state = Of(
      FakeJob(9), {FakePod("a", "Running", ready), FakePod("b", "Running"), FakePod("c", "Pending"),
                   FakePod("d", "Running", Both(ready, Delete)), FakePod("e", "Succeeded"),
                   FakePod("f", "Failed"), FakePod("g", "Failed", Delete)});
  EXPECT_EQ(sync_state.counts, (PodCounts{.active = 3, .ready = 1, .terminating = 1}));
  EXPECT_THAT(NamesOf(sync_state.active), ElementsAre("a", "b", "c"));
  EXPECT_EQ(sync_state.succeeded, 1);
  EXPECT_EQ(sync_state.failed, 3);
}

TEST(JobSituation, CountsEveryPodOnce) {
  const Job job = FakeJob(9, [](Job& its) {
    its.status.succeeded = 10;
    its.status.failed = 20;
    its.status.uncountedTerminatedPods->succeeded = {"s1-uid", "gone"};
    its.status.uncountedTerminatedPods->failed = {"f1-uid"};
  });
  const JobSyncState sync_state =
      Of(job, {FakePod("s1", "Succeeded"), FakePod("s2", "Succeeded"),
               FakePod("s3", "Succeeded", Untrack), FakePod("f1", "Failed"),
               FakePod("f2", "Failed"), FakePod("f3", "Failed", Untrack)});
  EXPECT_EQ(sync_state.succeeded, 10 + 2 + 1);
  EXPECT_EQ(sync_state.failed, 20 + 1 + 1);
}

TEST(JobSituation, SumsOfPodsWrapAsInGo) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const Job job = FakeJob(9, [](Job& its) {
    its.status.succeeded = kMost;
    its.status.failed = kMost;
  });
  const JobSyncState sync_state = Of(job, {FakePod("s", "Succeeded"), FakePod("f", "Failed")});
  EXPECT_EQ(sync_state.succeeded, std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(sync_state.failed, std::numeric_limits<std::int32_t>::min());
}

TEST(JobSituation, OneThatIsWrittenDownAsFailedIsNoSuccessThoughItSucceeded) {
  const Job job =
      FakeJob(1, [](Job& its) { its.status.uncountedTerminatedPods->failed = {"p-uid"}; });
  const JobSyncState sync_state = Of(job, {FakePod("p", "Succeeded", Delete)});
  EXPECT_EQ(sync_state.succeeded, 0);
  EXPECT_EQ(sync_state.failed, 1);
}

TEST(JobSituation, WithoutAStatusItHasAnEmptyOne) {
  const Job job = FakeJob(1, [](Job& its) { its.status = {}; });
  const JobSyncState sync_state = Of(job, {});
  EXPECT_TRUE(sync_state.status.uncountedTerminatedPods);
  EXPECT_EQ(sync_state.status.startTime, api::Time(kNow));
}

TEST(JobSituation, OneThatIsSuspendedHasNotStarted) {
  const Job job = FakeJob(1, [](Job& its) {
    its.status = {};
    its.spec.suspend = true;
  });
  EXPECT_EQ(Of(job, {}).status.startTime, std::nullopt);
}

TEST(JobSituation, FailuresAreWhatIsRememberedAndNewOnesOrWhatThePodsTell) {
  const std::vector<JobPod> pods = {FakePod("old", "Failed", Both(Untrack, EndedAgo(seconds(50)))),
                                    FakePod("new", "Failed", EndedAgo(seconds(5)))};
  const api::Time last(kNow - seconds(5));
  EXPECT_EQ(
      Assess(FakeJob(1), pods, Failures{.count = 4, .last = api::Time(kNow - minutes(1))}, kNow)
          .failures,
      (Failures{5, last}));
  EXPECT_EQ(Assess(FakeJob(1), pods, std::nullopt, kNow).failures, (Failures{2, last}));
}

TEST(JobSituation, IgnoredFailuresAreWaitedForButDoNotCount) {
  const Job job = FakeJob(1, [](Job& its) {
    its.spec.podFailurePolicy.emplace().rules = {ExitCodeRule("Ignore", "In", {7})};
  });
  const JobSyncState sync_state = Of(job, {FakePod("p", "Failed", EndedAgo(seconds(5), 7))});
  EXPECT_EQ(sync_state.failed, 0);
  EXPECT_EQ(sync_state.failures.count, 1);
}

TEST(JobSituation, IndexesAreCountedOnceWhoeverCompletesThem) {
  const Job job = FakeIndexedJob(9, [](Job& its) { its.status.completedIndexes = "0,2"; });
  const JobSyncState sync_state =
      Of(job,
         {FakeIndexPod(8, "Succeeded"), FakeIndexPod(2, "Succeeded"), FakeIndexPod(3, "Succeeded"),
          FakeIndexPod(3, "Succeeded"), FakeIndexPod(4, "Succeeded", Untrack),
          FakeIndexPod(9, "Succeeded"), FakePod("none", "Succeeded"), FakeIndexPod(5, "Running")});
  EXPECT_EQ(sync_state.recorded_indexes.ToString(), "0,2");
  EXPECT_EQ(sync_state.succeeded_indexes.ToString(), "0,2,3,8");
  EXPECT_EQ(sync_state.succeeded, 4);
  EXPECT_EQ(sync_state.failed_indexes, std::nullopt);
  EXPECT_THAT(NamesOf(sync_state.pods),
              ElementsAre("none", "p2", "p3", "p3", "p4", "p5", "p8", "p9"));
}

const ChangeJob kPerIndex = [](Job& job) {
  job.spec.backoffLimitPerIndex = 1;
  job.spec.backoffLimit = 2'147'483'647;
};

TEST(JobSituation, AnIndexFailsByItsOwnLimitOrByAPolicy) {
  const Job job = FakeIndexedJob(9, [](Job& its) {
    kPerIndex(its);
    its.status.failedIndexes = "8";
    its.spec.podFailurePolicy.emplace().rules = {ExitCodeRule("FailIndex", "In", {7}),
                                                 ExitCodeRule("Ignore", "In", {9})};
  });
  const auto failed = [](std::int64_t index, int before, std::int32_t code) {
    return FakeIndexPod(index, "Failed", Both(After(before), EndedAgo(seconds(1), code)));
  };
  const JobSyncState sync_state = Of(job, {failed(0, 0, 1), failed(1, 1, 1), failed(2, 0, 7),
                                           failed(3, 5, 9), FakeIndexPod(4, "Running", After(3))});
  EXPECT_EQ(sync_state.failed_indexes->ToString(), "1,2,8");
}

TEST(JobSituation, ThePodThatFailedLastIsKeptUntilItIsReplaced) {
  const auto failed = [](const std::string& name, const std::string& index, int before, int ago) {
    return FakePod(name, "Failed", Both(After(before), [=](core::v1::Pod& pod) {
                     pod.metadata.annotations[kCompletionIndex] = index;
                     EndedAgo(seconds(ago))(pod);
                   }));
  };
  const Job job = FakeIndexedJob(9, [](Job& its) {
    kPerIndex(its);
    its.spec.backoffLimitPerIndex = 5;
    its.status.completedIndexes = "4";
  });
  const JobSyncState sync_state =
      Of(job, {failed("older", "1", 0, 9), failed("newer", "1", 1, 2), failed("again", "2", 0, 1),
               FakeIndexPod(2, "Running"), failed("late", "4", 0, 1), failed("out", "9", 0, 1)});
  ASSERT_EQ(sync_state.to_replace.size(), 1);
  EXPECT_EQ(sync_state.to_replace.at(1)->metadata.name, "newer");
}

TEST(JobEnd, AJobGoesOnUntilThereIsAReason) {
  EXPECT_EQ(EndOf(FakeJob(3), {FakePod("a", "Running"), FakePod("b", "Failed")}), "");
  EXPECT_EQ(EndOf(FakeIndexedJob(3), {FakeIndexPod(0, "Succeeded")}), "");
}

TEST(JobEnd, ByTooManyFailures) {
  const std::string exceeded =
      "FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit";
  const ChangeJob two = [](Job& job) { job.spec.backoffLimit = 2; };
  EXPECT_EQ(EndOf(FakeJob(3, two), {FakePod("a", "Failed"), FakePod("b", "Failed")}), "");
  EXPECT_EQ(EndOf(FakeJob(3, two),
                  {FakePod("a", "Failed"), FakePod("b", "Failed"), FakePod("c", "Failed")}),
            exceeded);
  EXPECT_EQ(EndOf(FakeJob(3, [](Job& job) { job.status.failed = 7; }), {}), exceeded);
}

TEST(JobEnd, ByTooManyRestarts) {
  const auto job = [](std::int32_t limit, const std::string& policy) {
    return FakeJob(3, [=](Job& its) {
      its.spec.backoffLimit = limit;
      its.spec.template_.spec.restartPolicy = policy;
    });
  };
  const auto pods = [](int restarts, const std::string& phase) {
    return std::vector{FakePod("a", phase, [=](core::v1::Pod& pod) {
      pod.status.containerStatuses.emplace_back().restartCount = restarts - 1;
      pod.status.initContainerStatuses.emplace_back().restartCount = 1;
    })};
  };
  EXPECT_EQ(EndOf(job(3, "OnFailure"), pods(2, "Running")), "");
  EXPECT_NE(EndOf(job(3, "OnFailure"), pods(3, "Running")), "");
  EXPECT_NE(EndOf(job(3, "OnFailure"), pods(3, "Pending")), "");
  EXPECT_EQ(EndOf(job(3, "OnFailure"), pods(3, "Succeeded")), "");
  EXPECT_EQ(EndOf(job(3, "Never"), pods(3, "Running")), "");
  EXPECT_NE(EndOf(job(0, "OnFailure"), pods(1, "Running")), "");
  EXPECT_EQ(EndOf(job(0, "OnFailure"), {FakePod("a", "Running")}), "");
}

TEST(JobEnd, NotByADeadlineThatNanosecondsDoNotHold) {
  const auto deadline_in = [](std::int64_t deadline, const api::Time& start) {
    return Of(FakeJob(3,
                      [&](Job& job) {
                        job.spec.activeDeadlineSeconds = deadline;
                        job.status.startTime = start;
                      }),
              {})
        .deadline_in;
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLongest = std::chrono::nanoseconds::max();
  const api::Time year_9999 = *api::Time::Parse("9999-12-31T23:59:59Z");
  EXPECT_EQ(deadline_in(kMost, api::Time(kNow - minutes(1))), kLongest - minutes(1));
  EXPECT_EQ(deadline_in(60, year_9999), kLongest);
  EXPECT_EQ(deadline_in(kMost, year_9999), kLongest);
}

TEST(JobEnd, ByItsDeadline) {
  const auto with = [](std::int64_t deadline) {
    return FakeJob(3, [=](Job& job) { job.spec.activeDeadlineSeconds = deadline; });
  };
  EXPECT_EQ(EndOf(with(60), {}),
            "FailureTarget DeadlineExceeded: Job was active longer than specified deadline");
  EXPECT_EQ(Of(with(61), {}).deadline_in, seconds(1));
  EXPECT_EQ(EndOf(with(61), {}), "");
  EXPECT_EQ(EndOf(with(std::numeric_limits<std::int64_t>::max()), {}), "");
  Job suspended = with(1);
  suspended.spec.suspend = true;
  EXPECT_EQ(EndOf(suspended, {}), "");
  EXPECT_EQ(Of(suspended, {}).deadline_in, std::nullopt);
}

TEST(JobEnd, ByAPolicyForFailures) {
  const Job job = FakeJob(3, [](Job& its) {
    its.spec.podFailurePolicy.emplace().rules = {ExitCodeRule("FailJob", "In", {42})};
  });
  EXPECT_EQ(EndOf(job, {FakePod("a", "Failed", EndedAgo(seconds(1), 1))}), "");
  EXPECT_EQ(EndOf(job, {FakePod("a", "Failed", EndedAgo(seconds(1), 42))}),
            "FailureTarget PodFailurePolicy: Container main for pod ns/a failed with exit code 42 "
            "matching FailJob rule at index 0");
}

TEST(JobEnd, ByFailedIndexes) {
  const auto job = [](std::optional<std::int32_t> most) {
    return FakeIndexedJob(3, [=](Job& its) {
      kPerIndex(its);
      its.status.failedIndexes = "0";
      its.status.completedIndexes = "2";
      its.spec.maxFailedIndexes = most;
    });
  };
  const auto failed = FakeIndexPod(1, "Failed", After(1));
  EXPECT_EQ(EndOf(job({}), {}), "");
  EXPECT_EQ(EndOf(job({}), {failed}), "FailureTarget FailedIndexes: Job has failed indexes");
  EXPECT_EQ(EndOf(job(1), {failed}),
            "FailureTarget MaxFailedIndexesExceeded: Job has exceeded the specified maximal "
            "number of failed indexes");
  EXPECT_EQ(EndOf(job(2), {}), "");
}

TEST(JobEnd, ByAPolicyForSuccess) {
  const Job job = FakeIndexedJob(3, [](Job& its) {
    its.spec.successPolicy.emplace().rules.emplace_back().succeededIndexes = "1";
  });
  EXPECT_EQ(EndOf(job, {FakeIndexPod(0, "Succeeded")}), "");
  EXPECT_EQ(EndOf(job, {FakeIndexPod(1, "Succeeded")}),
            "SuccessCriteriaMet SuccessPolicy: Matched rules at index 0");
}

TEST(JobEnd, WhatWasDecidedBeforeStays) {
  const ChangeJob hopeless = [](Job& job) { job.status.failed = 100; };
  EXPECT_EQ(EndOf(FakeJob(3,
                          [&](Job& job) {
                            hopeless(job);
                            HasCondition(kSuccessCriteriaMet, "SuccessPolicy", "met")(job);
                          }),
                  {}),
            "SuccessCriteriaMet SuccessPolicy: met");
  EXPECT_EQ(EndOf(FakeJob(3, HasCondition(kFailureTarget, "PodFailurePolicy", "why")), {}),
            "Failed PodFailurePolicy: why");
}

TEST(JobConclusion, EnoughSuccessesAndNoPodsAreTheEnd) {
  const auto conclude = [](const Job& job, std::vector<JobPod> pods, ConcludeRules rules = {}) {
    JobSyncState sync_state = Of(job, std::move(pods));
    Conclude(job, sync_state, rules, kNow);
    return sync_state.end ? sync_state.end->type + " " + sync_state.end->reason + ": " +
                                sync_state.end->message
                          : "";
  };
  const std::string reached =
      "SuccessCriteriaMet CompletionsReached: Reached expected number of succeeded pods";
  const std::vector<JobPod> done = {FakePod("a", "Succeeded"), FakePod("b", "Succeeded")};
  EXPECT_EQ(conclude(FakeJob(2), done), reached);
  EXPECT_EQ(conclude(FakeJob(3), done), "");
  EXPECT_EQ(conclude(FakeJob(2), {done[0], done[1], FakePod("c", "Running")}), "");
  EXPECT_EQ(conclude(FakeJob(0), {}), reached);
  EXPECT_EQ(conclude(FakeJob(2), done, {.managed = false}), reached);
  const ChangeJob any = [](Job& job) { job.spec.completions.reset(); };
  EXPECT_EQ(conclude(FakeJob(0, any), {}), "");
  EXPECT_EQ(conclude(FakeJob(0, any), {done[0]}), reached);
  // Not while pods that were to end may go on.
  EXPECT_EQ(conclude(FakeJob(2), done, {.pods_remain = true}), "");
  EXPECT_EQ(conclude(FakeJob(2, [](Job& job) { job.status.failed = 100; }), done,
                     {.managed = false, .pods_remain = true}),
            "");
}

TEST(JobConclusion, SaysThatItIsSuspendedAndThatItIsResumed) {
  Job job = FakeJob(2, [](Job& its) { its.spec.suspend = true; });
  JobSyncState sync_state = Of(job, {});
  EXPECT_EQ(Conclude(job, sync_state, {}, kNow), (JobEvent{"Suspended", "Job suspended"}));
  EXPECT_TRUE(sync_state.status_changed);
  EXPECT_EQ(sync_state.status.startTime, std::nullopt);
  EXPECT_EQ(sync_state.status.conditions,
            std::vector{TrueCondition(kSuspended, "JobSuspended", "Job suspended", kNow)});

  job.status = sync_state.status;
  sync_state = Of(job, {});
  EXPECT_EQ(Conclude(job, sync_state, {}, kNow + seconds(5)), std::nullopt);
  EXPECT_FALSE(sync_state.status_changed);

  job.spec.suspend = false;
  sync_state = Of(job, {});
  EXPECT_EQ(Conclude(job, sync_state, {}, kNow + seconds(9)), (JobEvent{"Resumed", "Job resumed"}));
  EXPECT_EQ(sync_state.status.startTime, api::Time(kNow + seconds(9)));
  auto resumed = TrueCondition(kSuspended, "JobResumed", "Job resumed", kNow + seconds(9));
  resumed.status = "False";
  EXPECT_EQ(sync_state.status.conditions, std::vector{resumed});
}

TEST(JobConclusion, WithoutItsGateASuspendedJobKeepsItsStart) {
  const Job job = FakeJob(2, [](Job& its) { its.spec.suspend = true; });
  JobSyncState sync_state = Of(job, {});
  Conclude(job, sync_state, {.stops_the_clock = false}, kNow);
  EXPECT_EQ(sync_state.status.startTime, job.status.startTime);
}

TEST(JobConclusion, NothingIsSaidOfSuspensionWhereNobodySawToThePods) {
  const Job job = FakeJob(2, [](Job& its) { its.spec.suspend = true; });
  JobSyncState sync_state = Of(job, {});
  EXPECT_EQ(Conclude(job, sync_state, {.managed = false}, kNow), std::nullopt);
  EXPECT_THAT(sync_state.status.conditions, IsEmpty());
}

TEST(JobConclusion, TakesTheCountsOver) {
  const Job job = FakeJob(9, [](Job& its) { its.status.active = 1; });
  JobSyncState sync_state = Of(job, {FakePod("a", "Running")});
  Conclude(job, sync_state, {}, kNow);
  EXPECT_TRUE(sync_state.status_changed);  // it did not say how many are ready
  EXPECT_EQ(sync_state.status.active, 1);
  EXPECT_EQ(sync_state.status.ready, 0);
  EXPECT_EQ(sync_state.status.terminating, 0);
}

}  // namespace
}  // namespace flyball::controllers::job
