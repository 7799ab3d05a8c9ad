#include "flyball/controllers/deployment/rolling_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/controllers/deployment/internal/deployment_fake.h"

namespace flyball::controllers::deployment {
namespace {

using api::IntOrString;
using apps::v1::Deployment;

/// The size of a set, and how many of its pods are available.
struct Pods {
  std::int32_t size;
  std::int32_t available;
};

struct RollingCase {
  std::string about;
  std::int32_t size;
  int surge;
  int unavailable;
  Pods current;
  std::vector<Pods> old;  ///< "a", "b", ..., oldest first
  std::string expected;
};

std::string Planned(const RollingCase& test) {
  const Deployment deployment =
      FakeDeployment(test.size, IntOrString(test.surge), IntOrString(test.unavailable));
  Rollout rollout{.deployment = deployment};
  rollout.current =
      FakeSet("new", {.size = test.current.size, .available = test.current.available, .age = 1});
  for (const Pods& pods : test.old) {
    const std::string name(1, static_cast<char>('a' + rollout.old.size()));
    rollout.old.push_back(FakeSet(name, {.size = pods.size, .available = pods.available}));
  }
  return ToString(PlanRolling(rollout));
}

TEST(RollingPlan, GrowsTheCurrentSetAsFarAsThereIsRoom) {
  const RollingCase cases[] = {
      {"up to the surge", 10, 3, 2, {0, 0}, {{10, 10}}, "new=3"},
      {"no further than the surge", 10, 3, 2, {3, 0}, {{8, 8}}, "new=5"},
      {"no further than the deployment", 10, 3, 2, {8, 8}, {{2, 2}}, "new=10"},
      {"there is nothing else", 10, 3, 2, {0, 0}, {}, "new=10"},
      {"the room is that of all old sets together", 10, 0, 2, {1, 1}, {{3, 3}, {4, 4}}, "new=3"},
      {"a deployment that has shrunk", 4, 3, 2, {10, 10}, {{3, 3}}, "new=4"},
      {"it is as it should be", 10, 3, 2, {10, 10}, {}, ""},
      {"it is as it should be, and nobody is ready", 10, 3, 2, {10, 0}, {}, ""},
      {"none are wanted", 0, 3, 2, {0, 0}, {}, ""},
  };
  for (const RollingCase& test : cases) EXPECT_EQ(Planned(test), test.expected) << test.about;
}

TEST(RollingPlan, ShrinksOldSetsAsFarAsEnoughPodsStayAvailable) {
  const RollingCase cases[] = {
      {"by what may be unavailable", 10, 0, 2, {0, 0}, {{10, 10}}, "a=8"},
      {"new pods that are not available count for nothing", 10, 3, 2, {3, 0}, {{10, 10}}, "a=8"},
      {"nor do they when the old are at the least", 10, 3, 2, {5, 0}, {{8, 8}}, ""},
      {"by one for each that has come up", 10, 3, 2, {5, 2}, {{8, 8}}, "a=6"},
      {"the oldest first", 10, 3, 2, {3, 3}, {{4, 4}, {6, 6}}, "a=0 b=5"},
      {"all that is left", 10, 3, 2, {10, 10}, {{1, 1}, {2, 2}}, "a=0 b=0"},
      {"none that are not there", 10, 3, 2, {10, 10}, {{0, 0}, {2, 2}}, "b=0"},
      {"to nothing", 0, 3, 2, {0, 0}, {{5, 5}}, "a=0"},
  };
  for (const RollingCase& test : cases) EXPECT_EQ(Planned(test), test.expected) << test.about;
}

TEST(RollingPlan, DropsPodsThatAreNotAvailableBeforeOthers) {
  const RollingCase cases[] = {
      // 13 pods, 8 must stay, 3 new ones are not available: 2 may go.
      {"no more than there are to spare", 10, 3, 2, {3, 0}, {{10, 6}}, "a=8"},
      {"over several sets, the oldest first", 10, 0, 5, {0, 0}, {{4, 2}, {6, 2}}, "a=2 b=3"},
      {"where all are available none of them", 10, 0, 5, {0, 0}, {{4, 4}, {6, 3}}, "b=3 a=2"},
      // 2 that are not available, and then 1 of the 9 that are, since 8 are enough.
      {"then of the others, a set again", 10, 0, 2, {2, 2}, {{9, 7}}, "a=7 a=6"},
      {"those that crash while others come back", 10, 3, 2, {8, 7}, {{5, 0}}, "a=1"},
      {"none where each counts", 10, 0, 1, {1, 0}, {{9, 5}}, ""},
  };
  for (const RollingCase& test : cases) EXPECT_EQ(Planned(test), test.expected) << test.about;
}

TEST(RollingPlan, WaitsForASetThatHasNotGotToItsSize) {
  // It was told to have 4, and 6 are still available: nobody knows which of them will stay.
  EXPECT_EQ(Planned({"", 10, 3, 2, {9, 9}, {{4, 6}, {2, 2}}, ""}), "");
  EXPECT_EQ(Planned({"", 10, 3, 2, {9, 9}, {{2, 1}, {2, 3}}, ""}), "a=1");
}

// Nobody waits for the set that lags, since the one before it uses up what is to spare.
TEST(RollingPlan, CountsNoPodThatASetHasStillToGiveUp) {
  EXPECT_EQ(Planned({"2 pods that are not available go; of 4 that are, 4 must stay",
                     5,
                     2,
                     1,
                     {2, 1},
                     {{3, 1}, {2, 4}},
                     {}}),
            "a=1");
}

TEST(RollingPlan, WaitsForASetThatHasNotSaidHowItIsSinceItWasResized) {
  const Deployment deployment = FakeDeployment(5, IntOrString(1), IntOrString(1));
  const auto planned = [&](SetRef current, SetRef old) {
    return ToString(PlanRolling(
        {.deployment = deployment, .current = std::move(current), .old = {std::move(old)}}));
  };
  const auto resized = [](SetRef set) {
    auto changed = std::make_shared<apps::v1::ReplicaSet>(*set);
    changed->metadata.generation = 3;
    changed->status.observedGeneration = 1;
    return changed;
  };
  const SetRef current = FakeSet("new", {.size = 5, .available = 5, .age = 1});
  const SetRef old = FakeSet("old", {.size = 3, .available = 3});
  EXPECT_EQ(planned(current, old), "old=0");
  EXPECT_EQ(planned(resized(current), old), "") << "it was at 2 in between";
  EXPECT_EQ(planned(current, resized(old)), "");
  const SetRef fresh = FakeSet("new", {.size = 1, .available = 0, .age = 1});
  EXPECT_EQ(planned(resized(fresh), FakeSet("old", {.size = 5, .available = 5})), "old=4")
      << "it says nothing that could be too much";
}

TEST(RollingPlan, ANewSetOfADeploymentThatRecreatesHasAllPodsAtOnce) {
  Deployment deployment = FakeDeployment(10);
  EXPECT_EQ(GrownSize(deployment, 0, 0), 10);
  EXPECT_EQ(GrownSize(deployment, 0, 10), 3);
  EXPECT_EQ(GrownSize(deployment, 2, 13), 2);
  EXPECT_EQ(GrownSize(deployment, 2, 15), 2);
  deployment.spec.strategy.type = kRecreate;
  EXPECT_EQ(GrownSize(deployment, 0, 10), 10);
}

}  // namespace
}  // namespace flyball::controllers::deployment
