#include "flyball/controllers/daemon_set/rolling_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/daemon_set/internal/daemon_set_fake.h"

namespace flyball::controllers::daemon_set {
namespace {

using api::IntOrString;
using apps::v1::DaemonSet;
using testing::ElementsAre;
using testing::IsEmpty;

PodRef Old(const std::string& node, bool available = true) {
  return PodNamed(
      "old-" + node,
      {.node = node, .hash = "old", .ready_since = available ? std::optional(0) : std::nullopt});
}
PodRef New(const std::string& node, bool available = true) {
  return PodNamed(
      "new-" + node,
      {.node = node, .ready_since = available ? std::optional(0) : std::nullopt, .created = 5});
}
PodRef Going(const std::string& node) {
  return PodNamed("going-" + node, {.node = node, .hash = "old", .going = true});
}

std::vector<FittedNode> Nodes(const std::string& names) {
  std::vector<FittedNode> nodes;
  for (const char name : names) nodes.push_back({std::string(1, name), kRuns});
  return nodes;
}

DaemonSet Missing(std::int32_t most) {
  DaemonSet set = Agent();
  set.spec.updateStrategy.rollingUpdate->maxUnavailable = IntOrString(most);
  return set;
}

Plan RollingPlanFor(const DaemonSet& set, const std::vector<FittedNode>& nodes,
                    const std::vector<PodRef>& pods) {
  const auto plan = PlanRolling(Seen(set, nodes, pods));
  EXPECT_TRUE(plan) << plan.error().Describe();
  return plan.value_or(Plan());
}

struct Case {
  std::string why;
  std::int32_t limit;
  std::vector<PodRef> pods;
  std::vector<std::string> removed;
  std::vector<std::string> created = {};
};

TEST(RollingPlan, RemovesAsManyOldPodsAsMayBeMissing) {
  const Case cases[] = {
      {"all are new", 1, {New("a"), New("b"), New("c")}, {}},
      {"one at a time", 1, {Old("a"), Old("b"), Old("c")}, {"old-a"}},
      {"two at a time", 2, {Old("a"), Old("b"), Old("c")}, {"old-a", "old-b"}},
      {"a new one is not available yet", 1, {New("a", false), Old("b"), Old("c")}, {}},
      {"nor is it, but two may be missing", 2, {New("a", false), Old("b"), Old("c")}, {"old-b"}},
      {"a node has none", 1, {Old("a"), Old("b")}, {}},
      {"a pod goes", 1, {Old("a"), Old("b"), Going("c")}, {}},
      {"old ones that are not available go at once, whatever may be missing",
       1,
       {Old("a", false), Old("b", false), Old("c")},
       {"old-a", "old-b"}},
      {"and count", 2, {Old("a", false), Old("b"), Old("c")}, {"old-a", "old-b"}},
      {"a node has two, which is not our matter", 1, {Old("a"), New("a"), Old("b"), Old("c")}, {}},
      {"a node has two of a kind",
       2,
       {New("a"), PodNamed("newer", {.node = "a"}), Old("b"), Old("c")},
       {"old-b"}},
      {"more may be missing than there are", 9, {Old("a"), Old("b"), New("c")}, {"old-a", "old-b"}},
  };
  for (const Case& one : cases) {
    const Plan plan = RollingPlanFor(Missing(one.limit), Nodes("abc"), one.pods);
    EXPECT_EQ(NamesOf(plan.remove), one.removed) << one.why;
    EXPECT_THAT(plan.create, IsEmpty()) << one.why;
  }
}

TEST(RollingPlan, PodsWhereTheyAreNotWantedAreUpdatedToo) {
  std::vector<FittedNode> nodes = Nodes("ab");
  nodes[0].fitness = kStays;
  EXPECT_THAT(NamesOf(RollingPlanFor(Missing(1), nodes, {Old("a"), New("b")}).remove),
              ElementsAre("old-a"));
  // And so are those on nodes that are gone.
  EXPECT_THAT(NamesOf(RollingPlanFor(Missing(1), Nodes("b"), {Old("a"), New("b")}).remove),
              ElementsAre("old-a"));
}

TEST(RollingPlan, SurgesOntoAsManyNodesAsItMay) {
  const Case cases[] = {
      {"all are new", 1, {New("a"), New("b"), New("c")}, {}, {}},
      {"one at a time", 1, {Old("a"), Old("b"), Old("c")}, {}, {"a"}},
      {"two at a time", 2, {Old("a"), Old("b"), Old("c")}, {}, {"a", "b"}},
      {"one is under way", 1, {Old("a"), New("a", false), Old("b"), Old("c")}, {}, {}},
      {"one has got there", 1, {Old("a"), New("a"), Old("b"), Old("c")}, {"old-a"}, {"b"}},
      {"old ones that are not available are replaced at once",
       1,
       {Old("a", false), Old("b", false), Old("c")},
       {},
       {"a", "b", "c"}},
      {"a node has two of a kind, which counts",
       1,
       {New("a"), PodNamed("newer", {.node = "a"}), Old("b"), Old("c")},
       {},
       {}},
      {"a node has none, which is not our matter", 1, {New("a"), Old("b")}, {}, {"b"}},
  };
  for (const Case& one : cases) {
    const Plan plan = RollingPlanFor(Surging(one.limit), Nodes("abc"), one.pods);
    EXPECT_EQ(NamesOf(plan.remove), one.removed) << one.why;
    EXPECT_EQ(plan.create, one.created) << one.why;
  }
}

TEST(RollingPlan, AMisplacedPodStaysUntilThereAreEnoughElsewhere) {
  std::vector<FittedNode> nodes = Nodes("ab");
  nodes[0].fitness = kStays;
  const auto removed = [&](const std::vector<PodRef>& pods) {
    const Plan plan = RollingPlanFor(Surging(1), nodes, pods);
    EXPECT_THAT(plan.create, IsEmpty());
    return NamesOf(plan.remove);
  };
  EXPECT_THAT(removed({Old("a")}), IsEmpty());
  EXPECT_THAT(removed({Old("a"), New("b", false)}), IsEmpty());
  EXPECT_THAT(removed({Old("a"), New("b")}), ElementsAre("old-a"));
  // One that is of no use to anybody need not.
  EXPECT_THAT(removed({Old("a", false), New("b", false)}), ElementsAre("old-a"));
}

TEST(RollingPlan, PodsOnANodeThatIsGoneAreNotReplacedBySurge) {
  const Plan plan = RollingPlanFor(Surging(2), Nodes("b"), {Old("a"), Old("b")});
  EXPECT_THAT(plan.create, ElementsAre("b"));
  EXPECT_THAT(plan.remove, IsEmpty());
}

TEST(RollingPlan, AvailabilityTakesItsTime) {
  DaemonSet set = Missing(1);
  set.spec.minReadySeconds = 10;
  const auto removed = [&](std::int64_t ready_for) {
    const auto young = PodNamed("new-a", {.node = "a", .ready_since = kNow - ready_for});
    return NamesOf(RollingPlanFor(set, Nodes("ab"), {young, Old("b")}).remove);
  };
  EXPECT_THAT(removed(9), IsEmpty());
  EXPECT_THAT(removed(10), ElementsAre("old-b"));
}

TEST(RollingPlan, LimitsArePercentagesOfWhatIsDesiredRoundedUp) {
  DaemonSet set = Agent();
  auto& update = *set.spec.updateStrategy.rollingUpdate;
  update.maxUnavailable = IntOrString("30%");
  update.maxSurge = IntOrString("50%");
  EXPECT_EQ(*LimitsOf(set, 5), (UpdateLimits{.surge = 3, .unavailable = 2}));
  EXPECT_EQ(*LimitsOf(set, 0), UpdateLimits());
  EXPECT_TRUE(AllowsSurge(set));
  update.maxSurge = IntOrString("0%");
  EXPECT_FALSE(AllowsSurge(set));
  update.maxSurge.reset();
  EXPECT_FALSE(AllowsSurge(set));
  EXPECT_EQ(*LimitsOf(set, 5), (UpdateLimits{.surge = 0, .unavailable = 2}));
}

TEST(RollingPlan, LimitsThatAllowNothingAllowOneToBeMissing) {
  DaemonSet set = Missing(0);
  EXPECT_EQ(*LimitsOf(set, 5), (UpdateLimits{.surge = 0, .unavailable = 1}));
  EXPECT_EQ(*LimitsOf(set, 0), UpdateLimits());
  set.spec.updateStrategy.rollingUpdate.reset();
  EXPECT_EQ(*LimitsOf(set, 5), (UpdateLimits{.surge = 0, .unavailable = 1}));
  set = Surging(3);
  set.spec.updateStrategy.type = "OnDelete";
  EXPECT_FALSE(AllowsSurge(set));
}

TEST(RollingPlan, LimitsThatMakeNoSenseAreErrors) {
  DaemonSet set = Agent();
  auto& update = *set.spec.updateStrategy.rollingUpdate;
  update.maxSurge = IntOrString("many");
  EXPECT_FALSE(AllowsSurge(set));
  EXPECT_TRUE(LimitsOf(set, 5).error().message().starts_with("invalid value for MaxSurge: "));
  update.maxUnavailable = IntOrString("few");
  EXPECT_TRUE(LimitsOf(set, 5).error().message().starts_with("invalid value for MaxUnavailable: "));
  update.maxUnavailable.reset();
  EXPECT_EQ(LimitsOf(set, 5).error().message(),
            "invalid value for MaxUnavailable: nil value for IntOrString");
  EXPECT_FALSE(PlanRolling(Seen(set, Nodes("a"), {})));
}

}  // namespace
}  // namespace flyball::controllers::daemon_set
