#include "flyball/controllers/replica_set/set_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::replica_set {
namespace {

using apps::v1::ReplicaSet;
using core::v1::Pod;
using core::v1::ReplicationController;
using std::chrono::seconds;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 16)};

ReplicaSet SetOf(std::int32_t replicas, std::int32_t min_ready_seconds = 0) {
  ReplicaSet set;
  set.metadata.generation = 3;
  set.spec.replicas = replicas;
  set.spec.minReadySeconds = min_ready_seconds;
  set.spec.template_.metadata.labels = {{"app", "web"}, {"tier", "front"}};
  return set;
}

PodRef Labelled(const api::Map<std::string>& labels) {
  Pod pod;
  pod.metadata.labels = labels;
  return ViewOf(pod);
}
PodRef ReadyFor(seconds time) {
  Pod pod;
  pod.status.conditions.push_back(ReadyCondition(api::Time(kNow - time)));
  return ViewOf(pod);
}

TEST(ReplicaSetStatus, CountsPodsByWhatTheyAre) {
  const std::vector<PodRef> pods = {
      Labelled({{"app", "web"}}), Labelled({{"app", "web"}, {"tier", "front"}, {"more", ""}}),
      ReadyFor(seconds(9)), ReadyFor(seconds(10)), ReadyFor(seconds(11))};
  apps::v1::ReplicaSetStatus expected;
  expected.replicas = 5;
  expected.fullyLabeledReplicas = 1;
  expected.readyReplicas = 3;
  expected.availableReplicas = 2;
  expected.terminatingReplicas = 4;
  expected.observedGeneration = 3;
  EXPECT_EQ(ComputeStatus(SetOf(5, 10), {.active = pods, .terminating = 4}, kNow), expected);
  expected.availableReplicas = 3;
  expected.terminatingReplicas = std::nullopt;
  EXPECT_EQ(ComputeStatus(SetOf(5), {.active = pods}, kNow), expected);
}

TEST(ReplicaSetStatus, CountsPodsThatWereJustMade) {
  const std::vector<PodRef> pods = {ReadyFor(seconds(1))};
  const auto status = ComputeStatus(SetOf(5), {.active = pods, .created = 4}, kNow);
  EXPECT_EQ(status.replicas, 5);
  EXPECT_EQ(status.fullyLabeledReplicas, 4);
  EXPECT_EQ(status.readyReplicas, 1);
  EXPECT_EQ(status.availableReplicas, 1);

  const Error quota(ErrorCode::kForbidden, "exceeded quota");
  const auto some = ComputeStatus(SetOf(5), {.active = pods, .created = 3, .failure = quota}, kNow);
  EXPECT_EQ(some.replicas, 4);
  EXPECT_EQ(some.conditions.at(0).reason, "FailedCreate");
}

TEST(ReplicaSetStatus, StaysAsItIsWhereNothingHasChanged) {
  ReplicaSet set = SetOf(1);
  set.status.replicas = set.status.readyReplicas = set.status.availableReplicas = 1;
  set.status.terminatingReplicas = 0;
  set.status.observedGeneration = 3;
  set.status.conditions.emplace_back().type = "SomebodyElses";
  EXPECT_EQ(
      ComputeStatus(set, {.active = std::vector{ReadyFor(seconds(0))}, .terminating = 0}, kNow),
      set.status);
}

TEST(ReplicaSetStatus, SaysWhyPodsCouldNotBeMadeOrRemoved) {
  ReplicaSet set = SetOf(1);
  set.status.conditions.emplace_back().type = "SomebodyElses";
  const Observed none{.failure = Error(ErrorCode::kForbidden, "exceeded quota")};
  auto status = ComputeStatus(set, none, kNow);
  ASSERT_EQ(status.conditions.size(), 2);
  apps::v1::ReplicaSetCondition expected;
  expected.type = "ReplicaFailure";
  expected.status = "True";
  expected.lastTransitionTime = api::Time(kNow);
  expected.reason = "FailedCreate";
  expected.message = "exceeded quota";
  EXPECT_EQ(status.conditions[1], expected);

  const std::vector<PodRef> two = {ReadyFor(seconds(1)), ReadyFor(seconds(1))};
  status = ComputeStatus(set, {.active = two, .failure = Error(ErrorCode::kIo, "broken")}, kNow);
  expected.reason = "FailedDelete";
  expected.message = "broken";
  EXPECT_EQ(status.conditions.at(1), expected);

  const std::vector<PodRef> one = {ReadyFor(seconds(1))};
  status = ComputeStatus(set, {.active = one, .failure = Error(ErrorCode::kIo, "broken")}, kNow);
  EXPECT_EQ(status.conditions.at(1).reason, "");
}

TEST(ReplicaSetStatus, TheFirstFailureStaysUntilAllIsWell) {
  ReplicaSet set = SetOf(1);
  set.status = ComputeStatus(set, {.failure = Error(ErrorCode::kForbidden, "first")}, kNow);
  EXPECT_EQ(ComputeStatus(set, {.failure = Error(ErrorCode::kIo, "next")}, kNow + seconds(9)),
            set.status);
  EXPECT_TRUE(ComputeStatus(set, {}, kNow).conditions.empty());
}

TEST(ReplicaSetStatus, IsTheSameOfAReplicationControllerButForTerminatingPods) {
  ReplicationController set;
  set.metadata.generation = 2;
  set.spec.replicas = 1;
  set.spec.template_.emplace().metadata.labels = {{"app", "web"}};
  const std::vector<PodRef> pods = {Labelled({{"app", "web"}}), ReadyFor(seconds(5))};
  core::v1::ReplicationControllerStatus expected;
  expected.replicas = 2;
  expected.fullyLabeledReplicas = 1;
  expected.readyReplicas = 1;
  expected.availableReplicas = 1;
  expected.observedGeneration = 2;
  auto& condition = expected.conditions.emplace_back();
  condition.type = "ReplicaFailure";
  condition.status = "True";
  condition.lastTransitionTime = api::Time(kNow);
  condition.reason = "FailedDelete";
  condition.message = "no";
  EXPECT_EQ(
      ComputeStatus(set, {.active = pods, .terminating = 7, .failure = Error(ErrorCode::kIo, "no")},
                    kNow),
      expected);
  set.status = expected;
  EXPECT_TRUE(ComputeStatus(set, {.active = pods}, kNow).conditions.empty());
}

}  // namespace
}  // namespace flyball::controllers::replica_set
