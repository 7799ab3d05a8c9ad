#include "flyball/controllers/job/new_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using core::v1::Pod;
using std::chrono::seconds;
using testing::ElementsAre;

JobSyncState SyncStateOf(const Job& job, std::vector<JobPod> pods) {
  return Assess(job, std::move(pods), Failures(), kNow);
}

TEST(JobNewPods, AreAsTheTemplateSaysAndTracked) {
  const Job job = FakeJob(3, [](Job& its) {
    its.spec.template_.metadata.annotations["note"] = "kept";
    its.spec.template_.metadata.finalizers = {"example.com/mine"};
  });
  Pod expected;
  expected.metadata.namespace_ = "ns";
  expected.metadata.generateName = "work-";
  expected.metadata.labels = {{"job", "work"}};
  expected.metadata.annotations = {{"note", "kept"}};
  expected.metadata.finalizers = {"example.com/mine", "batch.kubernetes.io/job-tracking"};
  expected.metadata.ownerReferences = {common::ControllerRefTo(job)};
  expected.spec = job.spec.template_.spec;
  EXPECT_EQ(NewPod(job), expected);
}

TEST(JobNewPods, HaveTheFinalizerOnceThoughTheTemplateHasItToo) {
  const Job job = FakeJob(3, [](Job& its) {
    its.spec.template_.metadata.finalizers = {std::string(kTrackingFinalizer)};
  });
  EXPECT_THAT(NewPod(job).metadata.finalizers, ElementsAre(kTrackingFinalizer));
}

TEST(JobNewPods, OfAnIndexKnowIt) {
  const Job job = FakeIndexedJob(12, [](Job& its) {
    auto& spec = its.spec.template_.spec;
    spec.initContainers.emplace_back().name = "init";
    core::v1::EnvVar& own = spec.containers.emplace_back().env.emplace_back();
    own.name = "JOB_COMPLETION_INDEX";
    own.value = "mine";
  });
  const std::vector<std::int64_t> indexes = {3, 11};
  const std::vector<Pod> pods = NewPodsOfIndexes(job, SyncStateOf(job, {}), indexes);
  ASSERT_EQ(pods.size(), 2);
  Pod expected = NewPod(job);
  expected.metadata.generateName = "work-11-";
  expected.metadata.annotations = {{"batch.kubernetes.io/job-completion-index", "11"}};
  expected.metadata.labels["batch.kubernetes.io/job-completion-index"] = "11";
  expected.spec.hostname = "work-11";
  core::v1::EnvVar variable;
  variable.name = "JOB_COMPLETION_INDEX";
  variable.valueFrom.emplace().fieldRef.emplace().fieldPath =
      "metadata.labels['batch.kubernetes.io/job-completion-index']";
  expected.spec.initContainers[0].env = {variable};
  expected.spec.containers[0].env = {variable};
  EXPECT_EQ(pods[1], expected);
  EXPECT_EQ(pods[0].spec.hostname, "work-3");
}

TEST(JobNewPods, OfALongNameAreCutBeforeTheIndex) {
  const Job job = FakeIndexedJob(12, [](Job& its) { its.metadata.name = std::string(63, 'x'); });
  const std::vector<std::int64_t> indexes = {11};
  EXPECT_EQ(NewPodsOfIndexes(job, SyncStateOf(job, {}), indexes)[0].metadata.generateName,
            std::string(54, 'x') + "-11-");
}

TEST(JobNewPods, AreToldHowOftenTheirIndexHasFailed) {
  const Job job = FakeIndexedJob(4, [](Job& its) {
    its.spec.backoffLimitPerIndex = 9;
    its.spec.podFailurePolicy.emplace().rules = {ExitCodeRule("Ignore", "In", {7})};
  });
  const auto failed = [](std::int64_t index, std::int32_t code, int before, int ignored) {
    return FakeIndexPod(index, "Failed", Both(EndedAgo(seconds(1), code), After(before, ignored)));
  };
  const std::vector<std::int64_t> indexes = {0, 1, 2};
  const auto pods =
      NewPodsOfIndexes(job, SyncStateOf(job, {failed(0, 1, 2, 3), failed(1, 7, 2, 0)}), indexes);
  const auto counts = [](const Pod& pod) {
    const auto find = [&](std::string_view key) {
      const auto* const found = pod.metadata.annotations.find(key);
      return found == nullptr ? std::string("none") : *found;
    };
    return find(kIndexFailureCount) + " " + find(kIndexIgnoredFailureCount);
  };
  EXPECT_EQ(counts(pods[0]), "3 3");
  EXPECT_EQ(counts(pods[1]), "2 1");
  EXPECT_EQ(counts(pods[2]), "0 none");
}

TEST(JobNewPods, FailureCountOfTheirIndexWrapsAsInGo) {
  static constexpr int kMost = std::numeric_limits<std::int32_t>::max();
  const Job job = FakeIndexedJob(4, [](Job& its) { its.spec.backoffLimitPerIndex = kMost; });
  const JobPod failed =
      FakeIndexPod(0, "Failed", Both(EndedAgo(seconds(1), 1), After(kMost - 1, kMost)));
  const JobPod failed_once_more =
      FakeIndexPod(1, "Failed", Both(EndedAgo(seconds(1), 1), After(kMost, kMost)));
  JobSyncState sync_state = SyncStateOf(job, {failed});
  sync_state.to_replace[1] = failed_once_more.ref;
  const std::vector<std::int64_t> indexes = {0, 1};
  const auto pods = NewPodsOfIndexes(job, sync_state, indexes);
  EXPECT_EQ(*pods[0].metadata.annotations.find(kIndexFailureCount), "2147483647");
  EXPECT_EQ(*pods[1].metadata.annotations.find(kIndexFailureCount), "-2147483648");
}

}  // namespace
}  // namespace flyball::controllers::job
