#include "flyball/controllers/deployment/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "flyball/api/quantity.h"
#include "flyball/controllers/deployment/internal/deployment_fake.h"

namespace flyball::controllers::deployment {
namespace {

using api::IntOrString;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using testing::ElementsAre;

TEST(Rollout, TheCurrentSetIsTheOneWithTheTemplateTheOthersComeByAge) {
  const Deployment deployment = FakeDeployment(3);
  const SetRef young = FakeSet("young", {.age = 10});
  const SetRef current = FakeSet("new", {.age = 20});
  const SetRef b = FakeSet("b", {.age = 30});
  const SetRef a = FakeSet("a", {.age = 30});
  const Rollout rollout = RolloutOf(deployment, {young, b, current, a});
  EXPECT_EQ(rollout.current, current);
  EXPECT_THAT(rollout.old, ElementsAre(a, b, young));
  EXPECT_THAT(rollout.All(), ElementsAre(a, b, young, current));
}

TEST(Rollout, OfSeveralWithTheTemplateTheOldestIsTheCurrentOne) {
  const Deployment deployment = FakeDeployment(3);
  const auto same = [](ReplicaSet& set) { set.spec.template_ = FakeTemplate("web:new"); };
  const SetRef young = FakeSet("a", {.age = 10}, same);
  const SetRef old = FakeSet("b", {.age = 20}, same);
  const Rollout rollout = RolloutOf(deployment, {young, old});
  EXPECT_EQ(rollout.current, old);
  EXPECT_THAT(rollout.old, ElementsAre(young));
}

TEST(Rollout, SumsOfReplicasWrapAsInGo) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::vector<SetRef> sets = {FakeSet("a", {.size = kMost, .available = kMost}),
                                    FakeSet("b", {.size = kMost, .available = kMost})};
  EXPECT_EQ(TotalSize(sets), -2);
  EXPECT_EQ(TotalAvailable(sets), -2);
}

TEST(Rollout, ThereMayBeNoCurrentSet) {
  const Deployment deployment = FakeDeployment(3);
  const SetRef set = FakeSet("old", {});
  const Rollout rollout = RolloutOf(deployment, {set});
  EXPECT_EQ(rollout.current, nullptr);
  EXPECT_THAT(rollout.All(), ElementsAre(set));
  EXPECT_TRUE(RolloutOf(deployment, {}).All().empty());
}

TEST(Rollout, TemplatesAreTheSameByWhatTheyMean) {
  const core::v1::PodTemplateSpec plain = FakeTemplate("web:1");
  const auto changed = [&](const std::function<void(core::v1::PodTemplateSpec&)>& change) {
    core::v1::PodTemplateSpec other = plain;
    change(other);
    return other;
  };
  EXPECT_TRUE(SameTemplate(plain, plain));
  EXPECT_TRUE(SameTemplate(plain, changed([](auto& t) { t.metadata.labels[kHashLabel] = "x"; })));
  EXPECT_FALSE(SameTemplate(plain, changed([](auto& t) { t.metadata.labels["app"] = "x"; })));
  EXPECT_FALSE(SameTemplate(plain, changed([](auto& t) { t.metadata.annotations["a"] = "x"; })));
  EXPECT_FALSE(SameTemplate(plain, changed([](auto& t) { t.spec.containers[0].image = "x"; })));
  const auto with_cpu = [&](const char* cpu) {
    return changed([cpu](auto& t) {
      t.spec.containers[0].resources.requests["cpu"] = *api::Quantity::Parse(cpu);
    });
  };
  EXPECT_TRUE(SameTemplate(with_cpu("1"), with_cpu("1000m")));
  EXPECT_FALSE(SameTemplate(with_cpu("1"), with_cpu("1001m")));
}

TEST(Rollout, LimitsAreNumbersOrSharesTheSurgeRoundedUpTheOtherDown) {
  const auto limits = [](std::int32_t size, IntOrString surge, IntOrString unavailable) {
    return LimitsOf(FakeDeployment(size, std::move(surge), std::move(unavailable)));
  };
  EXPECT_EQ(limits(10, IntOrString(3), IntOrString(2)), (Limits{3, 2}));
  EXPECT_EQ(limits(10, IntOrString("25%"), IntOrString("25%")), (Limits{3, 2}));
  EXPECT_EQ(limits(1, IntOrString("25%"), IntOrString("25%")), (Limits{1, 0}));
  EXPECT_EQ(limits(3, IntOrString("200%"), IntOrString("100%")), (Limits{6, 3}));
  // No more can be unavailable than there are; more may be surplus.
  EXPECT_EQ(limits(3, IntOrString(5), IntOrString(5)), (Limits{5, 3}));
  EXPECT_EQ(limits(0, IntOrString(5), IntOrString(5)), (Limits{5, 0}));
  EXPECT_EQ(limits(0, IntOrString("50%"), IntOrString("50%")), (Limits{0, 0}));
  // Some step must be possible.
  EXPECT_EQ(limits(2, IntOrString(0), IntOrString("1%")), (Limits{0, 1}));
  EXPECT_EQ(limits(2, IntOrString(0), IntOrString(0)), (Limits{0, 1}));
  // What no server lets in.
  EXPECT_EQ(limits(2, IntOrString("x"), IntOrString(1)), (Limits{0, 0}));
  EXPECT_EQ(limits(2, IntOrString(1), IntOrString("x")), (Limits{0, 0}));
}

TEST(Rollout, LimitsAreForRollingUpdates) {
  Deployment deployment = FakeDeployment(10);
  deployment.spec.strategy.rollingUpdate.reset();
  EXPECT_EQ(LimitsOf(deployment), (Limits{0, 1}));
  deployment.spec.strategy.type = kRecreate;
  EXPECT_EQ(LimitsOf(deployment), (Limits{0, 0}));
}

TEST(Rollout, IsCompleteWhenAllPodsAreCurrentAndAvailableAndTheGenerationSeen) {
  const Deployment deployment = FakeDeployment(3);
  apps::v1::DeploymentStatus complete;
  complete.replicas = complete.updatedReplicas = complete.availableReplicas = 3;
  complete.observedGeneration = 7;
  EXPECT_TRUE(IsComplete(deployment, complete));
  for (const auto count :
       {&apps::v1::DeploymentStatus::replicas, &apps::v1::DeploymentStatus::updatedReplicas,
        &apps::v1::DeploymentStatus::availableReplicas}) {
    for (const std::int32_t other : {2, 4}) {
      apps::v1::DeploymentStatus status = complete;
      status.*count = other;
      EXPECT_FALSE(IsComplete(deployment, status));
    }
  }
  complete.observedGeneration = 6;
  EXPECT_FALSE(IsComplete(deployment, complete));
}

}  // namespace
}  // namespace flyball::controllers::deployment
