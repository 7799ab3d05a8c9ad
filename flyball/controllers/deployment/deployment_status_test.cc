#include "flyball/controllers/deployment/deployment_status.h"

#include <gtest/gtest.h>

#include "flyball/controllers/deployment/conditions.h"
#include "flyball/controllers/deployment/internal/deployment_fake.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::DeploymentStatus;
using apps::v1::ReplicaSet;

const apps::v1::DeploymentCondition kIsAvailable = MakeCondition(
    kAvailable, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", kNow);
const apps::v1::DeploymentCondition kIsNotAvailable =
    MakeCondition(kAvailable, "False", "MinimumReplicasUnavailable",
                  "Deployment does not have minimum availability.", kNow);

TEST(DeploymentStatus, CountsThePodsOfAllSets) {
  const Deployment deployment = FakeDeployment(10);
  const Rollout rollout{
      .deployment = deployment,
      .current = FakeSet("new", {.size = 6},
                         [](ReplicaSet& set) {
                           set.status.replicas = 5;
                           set.status.readyReplicas = 4;
                           set.status.availableReplicas = 3;
                           set.status.terminatingReplicas = 1;
                         }),
      .old = {FakeSet("a", {.size = 7, .available = 5},
                      [](ReplicaSet& set) { set.status.terminatingReplicas = 2; }),
              FakeSet("b", {})}};
  DeploymentStatus before;
  before.collisionCount = 3;
  before.conditions = {MakeCondition(kProgressing, "True", kSetUpdated, "", kNow)};
  DeploymentStatus expected = before;
  expected.observedGeneration = 7;
  expected.replicas = 12;
  expected.updatedReplicas = 5;
  expected.readyReplicas = 9;
  expected.availableReplicas = 8;
  expected.unavailableReplicas = 5;  // of 13 that are asked for
  expected.terminatingReplicas = 3;
  expected.conditions.push_back(kIsAvailable);
  EXPECT_EQ(StatusOf(rollout, before, true, kNow), expected);
  expected.terminatingReplicas.reset();
  EXPECT_EQ(StatusOf(rollout, before, false, kNow), expected);
}

TEST(DeploymentStatus, OfADeploymentWithoutSets) {
  DeploymentStatus expected;
  expected.observedGeneration = 7;
  expected.terminatingReplicas = 0;
  expected.conditions = {kIsNotAvailable};
  const Deployment deployment = FakeDeployment(10);
  EXPECT_EQ(StatusOf({.deployment = deployment}, {}, true, kNow), expected);
}

TEST(DeploymentStatus, FewerAreUnavailableThanNoneNever) {
  const Deployment deployment = FakeDeployment(2);
  const Rollout rollout{.deployment = deployment,
                        .current = FakeSet("new", {.size = 2, .available = 5})};
  EXPECT_EQ(StatusOf(rollout, {}, true, kNow).unavailableReplicas, 0);
}

TEST(DeploymentStatus, IsAvailableWithAllPodsButThoseThatMayBeMissing) {
  const auto available = [](const Deployment& deployment, std::int32_t pods) {
    const Rollout rollout{.deployment = deployment,
                          .current = FakeSet("new", {.size = 10, .available = pods})};
    return StatusOf(rollout, {}, true, kNow).conditions.at(0);
  };
  EXPECT_EQ(available(FakeDeployment(10), 8), kIsAvailable);
  EXPECT_EQ(available(FakeDeployment(10), 7), kIsNotAvailable);
  const Deployment recreates =
      FakeDeployment(10, [](Deployment& its) { its.spec.strategy.type = kRecreate; });
  EXPECT_EQ(available(recreates, 9), kIsNotAvailable);
  EXPECT_EQ(available(recreates, 10), kIsAvailable);
  EXPECT_EQ(available(FakeDeployment(0), 0), kIsAvailable);
}

TEST(DeploymentStatus, ASetThatDoesNotCountItsTerminatingPodsLeavesTheSumOpen) {
  const Deployment deployment = FakeDeployment(1);
  const auto terminating = [&](std::int64_t seen) {
    const SetRef silent = FakeSet("a", {}, [seen](ReplicaSet& set) {
      set.status.terminatingReplicas.reset();
      set.status.observedGeneration = seen;
    });
    const SetRef counting =
        FakeSet("new", {}, [](ReplicaSet& set) { set.status.terminatingReplicas = 2; });
    return StatusOf({.deployment = deployment, .current = counting, .old = {silent}}, {}, true,
                    kNow)
        .terminatingReplicas;
  };
  EXPECT_EQ(terminating(/*seen=*/2), std::nullopt);
  EXPECT_EQ(terminating(/*seen=*/0), 2);  // nobody has seen it: it has no pods yet
}

TEST(DeploymentConditions, KeepTheTimeOfTheLastTransitionWhileTheStatusStays) {
  DeploymentStatus status;
  SetCondition(status, MakeCondition(kProgressing, "True", kSetCreated, "one", kNow));
  SetCondition(status, MakeCondition(kAvailable, "True", "", "", kNow));
  const WallTime later = kNow + std::chrono::seconds(60);

  const DeploymentStatus before = status;
  SetCondition(status, MakeCondition(kProgressing, "True", kSetCreated, "two", later));
  EXPECT_EQ(status, before);

  apps::v1::DeploymentCondition expected =
      MakeCondition(kProgressing, "True", kSetUpdated, "three", later);
  SetCondition(status, expected);
  expected.lastTransitionTime = api::Time(kNow);
  EXPECT_EQ(status.conditions, (std::vector{before.conditions[1], expected}));

  expected = MakeCondition(kProgressing, "False", kTimedOut, "four", later);
  SetCondition(status, expected);
  EXPECT_EQ(status.conditions, (std::vector{before.conditions[1], expected}));

  RemoveCondition(status, kAvailable);
  EXPECT_EQ(status.conditions, std::vector{expected});
  EXPECT_EQ(FindCondition(status, kAvailable), nullptr);
}

}  // namespace
}  // namespace flyball::controllers::deployment
