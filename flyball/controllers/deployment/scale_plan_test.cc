#include "flyball/controllers/deployment/scale_plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "flyball/controllers/deployment/internal/deployment_fake.h"

namespace flyball::controllers::deployment {
namespace {

using api::IntOrString;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;

struct ScaleCase {
  std::string about;
  std::int32_t size;              ///< of the deployment, with a surge of 3
  std::int32_t current;           ///< of "new"; -1: there is none
  std::vector<std::int32_t> old;  ///< of "a", "b", ..., oldest first
  std::int32_t most_before;       ///< what is noted on each as the most there may be; -1: nothing
  std::string expected;
};

Rollout RolloutOf(const ScaleCase& test, const Deployment& deployment) {
  Rollout rollout{.deployment = deployment};
  if (test.current >= 0) {
    rollout.current = FakeSet("new", {.size = test.current, .age = 1, .most = test.most_before});
  }
  for (const std::int32_t size : test.old) {
    const std::string name(1, static_cast<char>('a' + rollout.old.size()));
    const int age = 100 - static_cast<int>(rollout.old.size());
    rollout.old.push_back(FakeSet(name, {.size = size, .age = age, .most = test.most_before}));
  }
  return rollout;
}

TEST(ScalePlan, OneSetThatIsActiveGetsTheWholeSize) {
  const ScaleCase cases[] = {
      {"the current one", 5, 3, {0, 0}, 3, "new=5"},
      {"an old one, the current has no pods yet", 5, 0, {0, 3}, 3, "b=5"},
      {"an old one, there is no current one", 5, -1, {3, 0}, 3, "a=5"},
      {"none is: the current one", 5, 0, {0, 0}, 3, "new=5"},
      {"none is: the youngest", 5, -1, {0, 0}, 3, "b=5"},
      {"to nothing", 0, 3, {}, 3, "new=0"},
      {"it has it", 5, 5, {0}, 3, ""},
      {"there is no set at all", 5, -1, {}, 3, ""},
  };
  for (const ScaleCase& test : cases) {
    const Deployment deployment = FakeDeployment(test.size);
    EXPECT_EQ(ToString(PlanScale(RolloutOf(test, deployment))), test.expected) << test.about;
  }
}

TEST(ScalePlan, SetsGrowAndShrinkInProportion) {
  const ScaleCase cases[] = {
      {"up", 20, 3, {10}, 13, "a=18 new=5"},
      {"down", 5, 3, {10}, 13, "a=6 new=2"},
      {"to nothing", 0, 3, {10}, 13, "a=0 new=0"},
      {"of equal sets the youngest grows first", 9, 4, {4}, 8, "new=6 a=6"},
      {"of equal sets the oldest shrinks first", 3, 4, {4}, 8, "a=3 new=3"},
      {"what rounding leaves goes to the largest", 10, 3, {3, 3}, 9, "new=5 b=4 a=4"},
      {"no more than there is to give", 6, 1, {1, 1}, 1, "new=7 b=1 a=1"},
      {"no more than there is to take", 1, 2, {2, 2}, 60, "a=0 b=2 new=2"},
      {"nothing is to change: what is noted is", 10, 3, {5, 5}, 99, "b=5 a=5 new=3"},
      {"nothing is noted: the pods that there are", 17, 4, {6}, -1, "a=12 new=8"},
      {"nonsense is noted: the pods that there are", 17, 4, {6}, 0, "a=12 new=8"},
      {"beyond what 32 bits can multiply", 99'997, 25'000, {25'000}, 50'000, "new=50000 a=50000"},
  };
  for (const ScaleCase& test : cases) {
    const Deployment deployment =
        FakeDeployment(test.size, [](Deployment& its) { its.status.replicas = 10; });
    EXPECT_EQ(ToString(PlanScale(RolloutOf(test, deployment))), test.expected) << test.about;
  }
}

TEST(ScalePlan, WithNothingNotedAndNoPodsAllGoesToTheLargest) {
  const Deployment deployment = FakeDeployment(17);
  EXPECT_EQ(ToString(PlanScale(RolloutOf({"", 17, 4, {6}, -1, ""}, deployment))), "a=16 new=4");
}

TEST(ScalePlan, WhatItShrinksByIsNeverMoreThanASetHas) {
  // What is noted is far from the truth, and leaves the largest with more to give than it has.
  const Deployment deployment = FakeDeployment(1, IntOrString(0), IntOrString(1));
  const Rollout rollout{.deployment = deployment,
                        .current = FakeSet("new", {.size = 3, .age = 1, .most = 1}),
                        .old = {FakeSet("a", {.size = 4, .most = 1})}};
  EXPECT_EQ(ToString(PlanScale(rollout)), "a=0 new=3");
}

TEST(ScalePlan, SizesNearTheLargestNumberWrap) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const Deployment deployment = FakeDeployment(10);
  const Rollout rollout{.deployment = deployment,
                        .current = FakeSet("new", {.size = kMost, .age = 1, .most = 1}),
                        .old = {FakeSet("a", {.size = kMost, .most = 1})}};
  // The sizes add up to -2, so that both are to grow. Their shares wrap to 12 less than they have,
  // and what is then left for the first wraps below nothing.
  EXPECT_EQ(ToString(PlanScale(rollout)), "new=0 a=2147483635");
}

TEST(ScalePlan, OldSetsGoWhenTheCurrentOneHasAllThatIsWanted) {
  const Deployment deployment = FakeDeployment(5);
  Rollout rollout{
      .deployment = deployment,
      .current = FakeSet("new", {.size = 5, .available = 5, .age = 1, .desired = 5}),
      .old = {FakeSet("a", {.size = 2}), FakeSet("b", {.size = 0}), FakeSet("c", {.size = 1})}};
  EXPECT_EQ(ToString(PlanScale(rollout)), "c=0 a=0");
  rollout.current = FakeSet("new", {.size = 5, .available = 4, .age = 1, .desired = 5, .most = 8});
  EXPECT_EQ(ToString(PlanScale(rollout)), "c=1 a=2 new=5");
}

TEST(ScalePlan, WhatRecreatesIsNotSharedOut) {
  Deployment deployment = FakeDeployment(20);
  deployment.spec.strategy.type = kRecreate;
  const ScaleCase test{"", 20, 3, {10}, 13, ""};
  EXPECT_EQ(ToString(PlanScale(RolloutOf(test, deployment))), "");
}

TEST(ScalePlan, IsScaledIfAnActiveSetWasSizedForAnotherSize) {
  const Deployment deployment = FakeDeployment(5);
  const auto scaled = [&](FakeSetState current, FakeSetState old, const char* noted = nullptr) {
    return IsScaled({.deployment = deployment,
                     .current = FakeSet("new", current,
                                        [noted](ReplicaSet& set) {
                                          if (noted == nullptr) return;
                                          set.metadata.annotations[kDesiredReplicas] = noted;
                                        }),
                     .old = {FakeSet("a", old)}});
  };
  EXPECT_FALSE(scaled({.size = 5, .desired = 5}, {.size = 1, .desired = 5}));
  EXPECT_TRUE(scaled({.size = 5, .desired = 4}, {.size = 1, .desired = 5}));
  EXPECT_TRUE(scaled({.size = 5, .desired = 5}, {.size = 1, .desired = 0}));
  EXPECT_FALSE(scaled({.size = 5, .desired = 5}, {.size = 0, .desired = 4}));
  EXPECT_FALSE(scaled({.size = 5}, {.size = 1}));
  for (const char* const nonsense : {"", "x", "-4", "+4", "4x", "2147483648"}) {
    EXPECT_FALSE(scaled({.size = 5}, {.size = 1}, nonsense)) << nonsense;
  }
  EXPECT_TRUE(scaled({.size = 5}, {.size = 1}, "2147483647"));
}

}  // namespace
}  // namespace flyball::controllers::deployment
