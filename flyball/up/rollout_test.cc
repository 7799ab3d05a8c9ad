#include "flyball/up/rollout.h"

#include <gtest/gtest.h>

namespace flyball::up {
namespace {

using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::StatefulSet;
using State = Rollout::State;

template <typename T>
T Named(const std::string& image) {
  T workload;
  workload.metadata.namespace_ = "shop";
  workload.metadata.name = "it";
  workload.metadata.generation = workload.status.observedGeneration = 2;
  workload.spec.template_.spec.containers.emplace_back().image = image;
  return workload;
}

TEST(Rollout, OfADeploymentIsDoneWhenAllPodsAreNewAndAvailable) {
  auto deployment = Named<Deployment>("nginx:2");
  deployment.metadata.annotations["deployment.kubernetes.io/revision"] = "7";
  deployment.spec.replicas = 3;
  deployment.status.replicas = 4;
  deployment.status.updatedReplicas = 3;
  deployment.status.availableReplicas = 3;
  Rollout expected{.name = "shop/it",
                   .kind = "deployment",
                   .image = "nginx:2",
                   .revision = 7,
                   .desired = 3,
                   .updated = 3,
                   .available = 3,
                   .old = 1};
  EXPECT_EQ(RolloutOf(deployment), expected);
  deployment.status.replicas = 3;
  expected.old = 0;
  expected.state = State::kDone;
  EXPECT_EQ(RolloutOf(deployment), expected);
  deployment.metadata.generation = 3;
  EXPECT_EQ(RolloutOf(deployment).state, State::kUnderWay);
  deployment.spec.paused = true;
  EXPECT_EQ(RolloutOf(deployment).state, State::kPaused);
}

TEST(Rollout, OfADeploymentSaysWhyItIsStuck) {
  auto deployment = Named<Deployment>("nginx:2");
  auto& condition = deployment.status.conditions.emplace_back();
  condition.type = "Progressing";
  condition.reason = "ProgressDeadlineExceeded";
  condition.message = "timed out";
  EXPECT_EQ(RolloutOf(deployment).state, State::kStuck);
  EXPECT_EQ(RolloutOf(deployment).reason, "timed out");
}

TEST(Rollout, OfAStatefulSetIsDoneWhenThePodsAbovePartitionAreNew) {
  auto set = Named<StatefulSet>("redis:8");
  set.spec.replicas = 3;
  set.spec.updateStrategy.type = "RollingUpdate";
  set.status.replicas = 3;
  set.status.availableReplicas = 3;
  set.status.updatedReplicas = 2;
  Rollout expected{.name = "shop/it",
                   .kind = "statefulset",
                   .image = "redis:8",
                   .desired = 3,
                   .updated = 2,
                   .available = 3,
                   .old = 1};
  EXPECT_EQ(RolloutOf(set), expected);
  set.spec.updateStrategy.rollingUpdate.emplace().partition = 1;
  EXPECT_EQ(RolloutOf(set).state, State::kDone);
  set.status.availableReplicas = 2;
  EXPECT_EQ(RolloutOf(set).state, State::kUnderWay);
}

TEST(Rollout, WhatIsReplacedOnDeletionOnlyDoesNotWaitForIt) {
  auto set = Named<StatefulSet>("redis:8");
  set.spec.replicas = set.status.replicas = set.status.availableReplicas = 1;
  set.spec.updateStrategy.type = "OnDelete";
  EXPECT_EQ(RolloutOf(set).state, State::kDone);
  auto daemons = Named<DaemonSet>("agent:1");
  daemons.status.desiredNumberScheduled = daemons.status.numberAvailable = 3;
  EXPECT_EQ(RolloutOf(daemons).state, State::kUnderWay);
  daemons.spec.updateStrategy.type = "OnDelete";
  EXPECT_EQ(RolloutOf(daemons).state, State::kDone);
}

TEST(Rollout, OfADaemonSetCountsNodes) {
  auto set = Named<DaemonSet>("agent:1");
  set.status.desiredNumberScheduled = 3;
  set.status.currentNumberScheduled = 3;
  set.status.updatedNumberScheduled = 2;
  set.status.numberAvailable = 2;
  const Rollout expected{.name = "shop/it",
                         .kind = "daemonset",
                         .image = "agent:1",
                         .desired = 3,
                         .updated = 2,
                         .available = 2,
                         .old = 1};
  EXPECT_EQ(RolloutOf(set), expected);
}

}  // namespace
}  // namespace flyball::up
