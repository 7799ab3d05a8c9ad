#include "flyball/controllers/job/job_pod.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using std::chrono::seconds;

api::Time Ago(int ago) { return api::Time(kNow - seconds(ago)); }

std::optional<std::int64_t> IndexIn(const std::string& annotation) {
  return FakePod(
             "p", "Running",
             [&](core::v1::Pod& pod) { pod.metadata.annotations[kCompletionIndex] = annotation; })
      .index;
}

TEST(JobPod, KnowsItsIndexAndWhetherItIsTracked) {
  EXPECT_EQ(IndexIn("3"), 3);
  EXPECT_EQ(IndexIn("+3"), 3);
  for (const char* const bad : {"", "-1", "x", "3 ", "+-3", "99999999999999999999"}) {
    EXPECT_EQ(IndexIn(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(FakePod("p", "Running").index, std::nullopt);
  EXPECT_TRUE(FakePod("p", "Running").tracked);
  EXPECT_FALSE(FakePod("p", "Running", Untrack).tracked);
  EXPECT_TRUE(
      JobPodOf(ViewOf(FakeCorePod("p", "Running", Untrack)), /*just_adopted=*/true).tracked);
}

TEST(JobPod, HasAnIndexThatItsJobHas) {
  EXPECT_TRUE(HasUsableIndex(FakePod("p", "Running"), FakeJob(2)));
  EXPECT_FALSE(HasUsableIndex(FakePod("p", "Running"), FakeIndexedJob(2)));
  EXPECT_TRUE(HasUsableIndex(FakeIndexPod(1, "Running"), FakeIndexedJob(2)));
  EXPECT_FALSE(HasUsableIndex(FakeIndexPod(2, "Running"), FakeIndexedJob(2)));
}

TEST(JobPod, HasFailedWhenItSaysSoOrIsToldToEnd) {
  const Job job = FakeJob(1);
  const Job patient = FakeJob(1, [](Job& its) { its.spec.podReplacementPolicy = "Failed"; });
  struct Case {
    std::string phase;
    ChangePod change;
    bool failed;
    bool failed_for_patient;
  };
  for (const Case& each : std::vector<Case>{{"Running", nullptr, false, false},
                                            {"Succeeded", nullptr, false, false},
                                            {"Failed", nullptr, true, true},
                                            {"Running", Delete, true, false},
                                            {"Pending", Delete, true, false},
                                            {"Succeeded", Delete, false, false},
                                            {"Failed", Delete, true, true}}) {
    const JobPod pod = FakePod("p", each.phase, each.change);
    EXPECT_EQ(HasFailed(pod.pod(), job), each.failed) << each.phase;
    EXPECT_EQ(HasFailed(pod.pod(), patient), each.failed_for_patient) << each.phase;
    EXPECT_EQ(HasSucceeded(pod.pod()), each.phase == "Succeeded");
  }
}

TEST(JobPod, SaysHowOftenItsIndexFailed) {
  const JobPod pod = FakePod("p", "Failed", After(3, 2));
  EXPECT_EQ(FailuresBefore(pod.pod()), 3);
  EXPECT_EQ(IgnoredFailuresBefore(pod.pod()), 2);
  for (const char* const bad : {"", "-1", "x", "2147483648"}) {
    const JobPod odd = FakePod("p", "Failed", [&](core::v1::Pod& its) {
      its.metadata.annotations[kIndexFailureCount] = bad;
    });
    EXPECT_EQ(FailuresBefore(odd.pod()), 0) << bad;
    EXPECT_EQ(IgnoredFailuresBefore(odd.pod()), 0) << bad;
  }
}

TEST(JobPod, OfALongerGraceThanThereIsTimeEndedLongAgo) {
  const auto ended_with = [](std::int64_t grace) {
    return FinishTime(FakePod("p", "Running", [&](core::v1::Pod& pod) {
                        pod.metadata.deletionTimestamp = api::Time(kNow);
                        pod.metadata.deletionGracePeriodSeconds = grace;
                      }).pod());
  };
  EXPECT_EQ(ended_with(30), Ago(30));
  EXPECT_EQ(ended_with(std::numeric_limits<std::int64_t>::max()),
            api::Time(kNow) - std::chrono::nanoseconds::max());
  EXPECT_EQ(ended_with(std::numeric_limits<std::int64_t>::min()),
            api::Time(kNow) - std::chrono::nanoseconds::min());
}

TEST(JobPod, EndedWithTheLastOfItsContainers) {
  EXPECT_EQ(
      FinishTime(FakePod("p", "Failed", Both(EndedAgo(seconds(9)), EndedAgo(seconds(5)))).pod()),
      Ago(5));
}

TEST(JobPod, EndedWithItsSidecars) {
  const auto sidecar = [](const std::string& policy, const ChangePod& ended) {
    return Both(EndedAgo(seconds(9)), [=](core::v1::Pod& pod) {
      core::v1::Container& container = pod.spec.initContainers.emplace_back();
      container.name = "side";
      container.restartPolicy = policy;
      auto& status = pod.status.initContainerStatuses.emplace_back();
      status.name = "side";
      if (ended) ended(pod);
    });
  };
  const auto at = [](core::v1::Pod& pod) {
    pod.status.initContainerStatuses[0].state.terminated.emplace().finishedAt = Ago(2);
  };
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", sidecar("Always", at)).pod()), Ago(2));
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", sidecar("Never", at)).pod()), Ago(9));
  // One that has not ended: nobody knows but by when it was made.
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", sidecar("Always", nullptr)).pod()), Ago(30));
}

TEST(JobPod, WhoseContainersDoNotSayEndedWhenItWasNoLongerReadyOrWasDeletedOrWasMade) {
  const auto made = [](core::v1::Pod&) {};
  const auto deleted = [](core::v1::Pod& pod) {
    pod.metadata.deletionTimestamp = Ago(-20);
    pod.metadata.deletionGracePeriodSeconds = 30;
  };
  const auto not_ready = [](core::v1::Pod& pod) {
    pod.status.conditions.push_back(ReadyCondition(Ago(7), "False"));
  };
  const auto ready = [](core::v1::Pod& pod) {
    pod.status.conditions.push_back(ReadyCondition(Ago(7)));
  };
  const auto still_there = [](core::v1::Pod& pod) {
    pod.status.containerStatuses.emplace_back().name = "main";
  };
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", made).pod()), Ago(30));
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", deleted).pod()), Ago(10));
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", Both(deleted, not_ready)).pod()), Ago(7));
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", Both(deleted, ready)).pod()), Ago(10));
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", Both(not_ready, still_there)).pod()), Ago(7));
  EXPECT_EQ(FinishTime(FakePod("p", "Failed", Both(EndedAgo(seconds(2)), not_ready)).pod()),
            Ago(2));
}

TEST(JobConditions, AreReplacedByTypeAndKeptIfTheySayTheSame) {
  std::vector<batch::v1::JobCondition> conditions;
  auto off = TrueCondition(kSuspended, "JobResumed", "Job resumed", kNow);
  off.status = "False";
  EXPECT_FALSE(SetCondition(conditions, off));
  EXPECT_TRUE(conditions.empty());
  const auto on = TrueCondition(kSuspended, "JobSuspended", "Job suspended", kNow);
  EXPECT_TRUE(SetCondition(conditions, on));
  EXPECT_FALSE(SetCondition(
      conditions, TrueCondition(kSuspended, "JobSuspended", "Job suspended", kNow + seconds(1))));
  EXPECT_EQ(conditions, std::vector{on});
  EXPECT_TRUE(SetCondition(conditions, off));
  EXPECT_EQ(conditions, std::vector{off});
  EXPECT_EQ(FindTrue(conditions, kSuspended), nullptr);
}

TEST(JobConditions, OneThatHoldsSaysThatAJobHasEnded) {
  const auto ended = [](std::string_view type, const std::string& status) {
    return IsFinished(FakeJob(1, [&](Job& job) {
      job.status.conditions.push_back(TrueCondition(type, "", "", kNow));
      job.status.conditions[0].status = status;
    }));
  };
  EXPECT_TRUE(ended(kComplete, "True"));
  EXPECT_TRUE(ended(kFailed, "True"));
  EXPECT_FALSE(ended(kFailed, "False"));
  EXPECT_FALSE(ended(kFailureTarget, "True"));
  EXPECT_FALSE(IsFinished(FakeJob(1)));
}

}  // namespace
}  // namespace flyball::controllers::job
