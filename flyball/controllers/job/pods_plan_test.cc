#include "flyball/controllers/job/pods_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// In words.
std::string Plan(const Job& job, std::vector<JobPod> pods) {
  const JobSyncState sync_state = Assess(job, std::move(pods), Failures(), kNow);
  return PlanPods(job, sync_state, kNow).ToString();
}

std::vector<JobPod> Pods(int count, const std::string& phase, const ChangePod& change = {}) {
  std::vector<JobPod> pods;
  for (int i = 0; i < count; ++i) pods.push_back(FakePod(phase + std::to_string(i), phase, change));
  return pods;
}
std::vector<JobPod> operator+(std::vector<JobPod> a, const std::vector<JobPod>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
ChangeJob Parallelism(std::int32_t parallelism) {
  return [=](Job& job) { job.spec.parallelism = parallelism; };
}

TEST(JobPodsPlan, MakesAsManyAsMayRunAndAreStillWanted) {
  EXPECT_EQ(Plan(FakeJob(5), {}), "create 2 pods");
  EXPECT_EQ(Plan(FakeJob(5), Pods(1, "Running")), "create 1 pods");
  EXPECT_EQ(Plan(FakeJob(5), Pods(2, "Pending")), "nothing");
  EXPECT_EQ(Plan(FakeJob(5), Pods(4, "Succeeded")), "create 1 pods");
  EXPECT_EQ(Plan(FakeJob(5), Pods(4, "Succeeded") + Pods(1, "Running")), "nothing");
  EXPECT_EQ(Plan(FakeJob(5, [](Job& job) { job.status.succeeded = 4; }), {}), "create 1 pods");
  EXPECT_EQ(Plan(FakeJob(5, Parallelism(0)), {}), "nothing");
  EXPECT_EQ(Plan(FakeJob(-5), {}), "nothing");
  EXPECT_EQ(Plan(FakeJob(5, Parallelism(-1)), {}), "nothing");
  EXPECT_EQ(Plan(FakeJob(5000, Parallelism(4000)), {}), "create 500 pods");
  EXPECT_EQ(Plan(FakeJob(1, [](Job& job) { job.spec.parallelism.reset(); }), {}), "create 1 pods");
}

TEST(JobPodsPlan, ByOneSuccessAJobWithoutCompletionsIsLeftToEnd) {
  const Job job = FakeJob(0, [](Job& its) { its.spec.completions.reset(); });
  EXPECT_EQ(Plan(job, {}), "create 2 pods");
  EXPECT_EQ(Plan(job, Pods(1, "Running") + Pods(1, "Succeeded")), "nothing");
  EXPECT_EQ(Plan(job, Pods(3, "Running")), "delete 1 pods");
  EXPECT_EQ(Plan(job, Pods(3, "Running") + Pods(1, "Succeeded")), "nothing");
}

TEST(JobPodsPlan, RemovesTheSurplusBeforeItMakesAny) {
  EXPECT_EQ(Plan(FakeJob(5), Pods(3, "Running")), "delete 1 pods");
  EXPECT_EQ(Plan(FakeJob(1), Pods(2, "Running")), "delete 1 pods");
  EXPECT_EQ(Plan(FakeJob(900, Parallelism(0)), Pods(700, "Running")), "delete 500 pods");
  EXPECT_EQ(Plan(FakeIndexedJob(5), {FakeIndexPod(0, "Running"), FakePod("x", "Running")}),
            "delete 1 pods");
}

TEST(JobPodsPlan, OneThatIsSuspendedHasNone) {
  const ChangeJob suspend = [](Job& job) { job.spec.suspend = true; };
  EXPECT_EQ(Plan(FakeJob(5, suspend), {}), "nothing");
  EXPECT_EQ(Plan(FakeJob(5, suspend), Pods(700, "Running")), "delete 700 pods");
}

TEST(JobPodsPlan, OnesThatEndAreReplacedAtOnceOrWhenTheyHave) {
  const ChangePod long_ago = [](core::v1::Pod& pod) {
    pod.metadata.deletionTimestamp = api::Time(kNow - seconds(15));
  };
  const auto ending = Pods(1, "Running", long_ago);
  EXPECT_EQ(Plan(FakeJob(5), ending), "create 2 pods");
  const ChangeJob patient = [](Job& job) { job.spec.podReplacementPolicy = "Failed"; };
  EXPECT_EQ(Plan(FakeJob(5, patient), ending), "create 1 pods");
  EXPECT_EQ(Plan(FakeIndexedJob(5, patient),
                 {FakeIndexPod(0, "Running", long_ago), FakeIndexPod(1, "Failed", long_ago)}),
            "create 1 pods of indexes 1");
  EXPECT_EQ(
      Plan(FakeIndexedJob(5), {FakeIndexPod(0, "Running", long_ago), FakeIndexPod(1, "Succeeded")}),
      "create 2 pods of indexes 0,2");
}

TEST(JobPodsPlan, WaitsAfterAFailure) {
  EXPECT_EQ(Plan(FakeJob(5), Pods(1, "Failed", EndedAgo(seconds(4)))), "wait 6 s after a failure");
  EXPECT_EQ(Plan(FakeJob(5), Pods(2, "Failed", EndedAgo(seconds(4)))), "wait 16 s after a failure");
  EXPECT_EQ(Plan(FakeJob(5), Pods(1, "Failed", EndedAgo(seconds(10)))), "create 2 pods");
  // Never for less than it takes to see what else there is.
  const Job job = FakeJob(5);
  const JobSyncState sync_state =
      Assess(job, Pods(1, "Failed", EndedAgo(seconds(10))), Failures(), kNow);
  EXPECT_EQ(PlanPods(job, sync_state, kNow - std::chrono::milliseconds(1)).wait, seconds(1));
}

TEST(JobPodsPlan, TakesTheFirstIndexesThatNobodyHas) {
  EXPECT_EQ(Plan(FakeIndexedJob(5), {}), "create 2 pods of indexes 0,1");
  EXPECT_EQ(Plan(FakeIndexedJob(5, [](Job& job) { job.status.completedIndexes = "0,2"; }),
                 {FakeIndexPod(1, "Running")}),
            "create 1 pods of indexes 3");
  EXPECT_EQ(
      Plan(FakeIndexedJob(3, Parallelism(3)), {FakeIndexPod(0, "Failed", EndedAgo(seconds(20)))}),
      "create 3 pods of indexes 0-2");
}

const ChangeJob kBackoffLimitPerIndex = [](Job& job) {
  job.spec.backoffLimitPerIndex = 2;
  job.spec.parallelism = 3;
};

TEST(JobPodsPlan, EachIndexWaitsForItself) {
  const auto failed = [](std::int64_t index, int ago, int before) {
    return FakeIndexPod(index, "Failed", Both(EndedAgo(seconds(ago)), After(before)));
  };
  EXPECT_EQ(Plan(FakeIndexedJob(3, kBackoffLimitPerIndex), {failed(0, 4, 0), failed(1, 30, 1)}),
            "create 2 pods of indexes 1,2");
  EXPECT_EQ(Plan(FakeIndexedJob(2, kBackoffLimitPerIndex), {failed(0, 4, 0), failed(1, 4, 1)}),
            "wait 6 s after a failure");
  // One that has failed too often is not tried again.
  EXPECT_EQ(Plan(FakeIndexedJob(3, kBackoffLimitPerIndex), {failed(0, 4, 2)}),
            "create 2 pods of indexes 1,2");
}

TEST(JobPodsToRemove, AreThoseWithoutAnIndexOfTheirOwnFirst) {
  const Job job = FakeIndexedJob(3);
  const auto twin = [](const std::string& name, const std::string& phase) {
    return FakePod(name, phase, [](core::v1::Pod& pod) {
      pod.metadata.annotations[kCompletionIndex] = "1";
      pod.spec.nodeName = "node";
    });
  };
  const std::vector<JobPod> pods = {FakeIndexPod(0, "Running"), twin("old", "Running"),
                                    twin("new", "Pending"), FakeIndexPod(3, "Running"),
                                    FakePod("none", "Running")};
  EXPECT_THAT(NamesOf(ChoosePodsToRemove(job, pods, 0)), UnorderedElementsAre("new", "p3", "none"));
  EXPECT_THAT(NamesOf(ChoosePodsToRemove(job, pods, 4)),
              UnorderedElementsAre("new", "p3", "none", "p0"));
  EXPECT_EQ(ChoosePodsToRemove(job, pods, 9).size(), 5);
}

TEST(JobPodsToRemove, AreThoseThatAreMissedLeast) {
  const ChangePod on_node = [](core::v1::Pod& pod) { pod.spec.nodeName = "node"; };
  const auto ready = [&](int ago) {
    return Both(on_node, [=](core::v1::Pod& pod) {
      pod.status.conditions.push_back(
          ReadyCondition(ago < 0 ? api::Time() : api::Time(kNow - seconds(ago))));
    });
  };
  const auto restarted = [&](int times) {
    return Both(on_node, [=](core::v1::Pod& pod) {
      pod.status.containerStatuses.emplace_back().restartCount = times;
    });
  };
  const auto side = [&](int times) {
    return Both(on_node, [=](core::v1::Pod& pod) {
      core::v1::Container& container = pod.spec.initContainers.emplace_back();
      container.name = "side";
      container.restartPolicy = "Always";
      auto& status = pod.status.initContainerStatuses.emplace_back();
      status.name = "side";
      status.restartCount = times;
    });
  };
  const auto aged = [&](int seconds_ago) {
    return Both(on_node, [=](core::v1::Pod& pod) {
      pod.metadata.creationTimestamp = api::Time(kNow - seconds(seconds_ago));
    });
  };
  const std::vector<JobPod> pods = {
      FakePod("ready-long", "Running", ready(9)),     FakePod("ready-short", "Running", ready(2)),
      FakePod("ready-somehow", "Running", ready(-1)), FakePod("old", "Running", aged(50)),
      FakePod("young", "Running", aged(5)),           FakePod("restarted", "Running", restarted(3)),
      FakePod("side-restarted", "Running", side(1)),  FakePod("unknown", "Unknown", on_node),
      FakePod("pending", "Pending", on_node),         FakePod("nowhere", "Running")};
  EXPECT_THAT(NamesOf(ChoosePodsToRemove(FakeJob(1), pods, pods.size())),
              ElementsAre("nowhere", "pending", "unknown", "restarted", "side-restarted", "young",
                          "old", "ready-somehow", "ready-short", "ready-long"));
  EXPECT_THAT(NamesOf(ChoosePodsToRemove(FakeJob(1), pods, 2)), ElementsAre("nowhere", "pending"));
}

}  // namespace
}  // namespace flyball::controllers::job
