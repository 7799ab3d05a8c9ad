#include "flyball/controllers/taint_eviction/plan.h"

#include <gtest/gtest.h>

#include <vector>

#include "flyball/api/time.h"
#include "flyball/controllers/common/internal/node_fake.h"
#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::taint_eviction {
namespace {

using core::v1::Node;
using core::v1::Pod;
using core::v1::Toleration;
using std::chrono::seconds;
using Action = Plan::Action;

const WallTime kWall{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};
constexpr SteadyTime kNow{seconds(1000)};

Toleration Tolerating(const std::string& key, std::optional<std::int64_t> for_seconds = {}) {
  Toleration toleration;
  toleration.key = key;
  toleration.operator_ = "Exists";
  toleration.effect = "NoExecute";
  toleration.tolerationSeconds = for_seconds;
  return toleration;
}

Pod PodWith(const std::vector<Toleration>& tolerations) {
  Pod pod;
  pod.metadata.name = "p";
  pod.metadata.uid = "uid";
  pod.metadata.generation = 3;
  pod.spec.nodeName = "n";
  pod.spec.tolerations = tolerations;
  return pod;
}

Node NodeWith(const std::vector<std::string>& keys) {
  Node node = MakeNode("n");
  node.spec.taints.push_back(MakeTaint("other", "NoSchedule"));
  for (const std::string& key : keys) node.spec.taints.push_back(MakeTaint(key, "NoExecute"));
  return node;
}

Plan Decide(const Pod& pod, const Node& node, const std::optional<Deadline>& deadline = {}) {
  return PlanFor(*ViewOf(pod), ViewOf(node).get(), deadline ? &*deadline : nullptr, kNow, {});
}

Deadline In(std::chrono::nanoseconds time, bool begun = false) {
  return {.uid = "uid", .due = kNow + time, .begun = begun};
}
Plan Waits(std::chrono::nanoseconds time) {
  return {.action = Action::kWait, .deadline = In(time)};
}
Plan Goes(std::chrono::nanoseconds time = {}) {
  return {.action = Action::kEvict, .deadline = In(time)};
}
const Plan kStays;
const Plan kCancellation{.cancelled = true};

TEST(TaintEviction, WithoutTaintsPodsStay) {
  EXPECT_EQ(Decide(PodWith({}), NodeWith({})), kStays);
  EXPECT_EQ(Decide(PodWith({}), NodeWith({}), In(seconds(5))), kCancellation);
}

TEST(TaintEviction, WhatIsNotToleratedGoesAtOnce) {
  EXPECT_EQ(Decide(PodWith({}), NodeWith({"a"})), Goes());
  EXPECT_EQ(Decide(PodWith({Tolerating("a")}), NodeWith({"a", "b"})), Goes());
}

TEST(TaintEviction, WhatIsToleratedForeverStays) {
  EXPECT_EQ(Decide(PodWith({Tolerating("a")}), NodeWith({"a"})), kStays);
  EXPECT_EQ(Decide(PodWith({Tolerating("")}), NodeWith({"a", "b"})), kStays);
  EXPECT_EQ(Decide(PodWith({Tolerating("a")}), NodeWith({"a"}), In(seconds(5))), kCancellation);
}

TEST(TaintEviction, WhatIsToleratedForATimeGoesThen) {
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30)}), NodeWith({"a"})), Waits(seconds(30)));
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30), Tolerating("b", 20), Tolerating("c")}),
                   NodeWith({"a", "b", "c"})),
            Waits(seconds(20)));
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30)}), NodeWith({"a"}), In(seconds(0))), Goes());
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30)}), NodeWith({"a"}), In(seconds(-1))),
            Goes(seconds(-1)));
}

TEST(TaintEviction, NoTimeAtAllIsNow) {
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 0)}), NodeWith({"a"})), Goes());
  EXPECT_EQ(Decide(PodWith({Tolerating("a", -5)}), NodeWith({"a"})), Goes());
}

TEST(TaintEviction, ATolerationThatNanosecondsDoNotHoldLastsToTheEndOfTime) {
  const auto plan =
      Decide(PodWith({Tolerating("a", std::numeric_limits<std::int64_t>::max())}), NodeWith({"a"}));
  EXPECT_EQ(plan, Waits(SteadyTime::max() - kNow));
}

TEST(TaintEviction, OfSeveralTolerationsTheFirstCounts) {
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30), Tolerating("a")}), NodeWith({"a"})),
            Waits(seconds(30)));
  EXPECT_EQ(Decide(PodWith({Tolerating("a"), Tolerating("a", 30)}), NodeWith({"a"})), kStays);
}

TEST(TaintEviction, ItsTimeCountsFromTheFirstTaintOn) {
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30), Tolerating("b", 1)}), NodeWith({"a", "b"}),
                   In(seconds(10))),
            Waits(seconds(10)));
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 300)}), NodeWith({"a"}), In(seconds(10))),
            Waits(seconds(10)));
}

TEST(TaintEviction, ATaintThatIsNotToleratedMakesWhatWaitsGo) {
  Plan plan = Goes();
  plan.cancelled = true;
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30)}), NodeWith({"a", "b"}), In(seconds(10))), plan);
}

TEST(TaintEviction, WhatHasBegunIsDoneAndNotToldAgain) {
  const Plan plan{.action = Action::kEvict, .deadline = In(seconds(-1), true)};
  EXPECT_EQ(Decide(PodWith({}), NodeWith({"a"}), In(seconds(-1), true)), plan);
  EXPECT_EQ(Decide(PodWith({}), NodeWith({}), In(seconds(-1), true)), kStays);
}

/// It waits for the caches to catch up, as it does when the node was written to just now.
TEST(TaintEviction, NothingIsCancelledOfWhatIsDue) {
  EXPECT_EQ(Decide(PodWith({}), NodeWith({"a"}), In(seconds(0))), Goes());
  EXPECT_EQ(Decide(PodWith({}), NodeWith({"a"}), In(seconds(-1))), Goes(seconds(-1)));
}

TEST(TaintEviction, WithoutItsNodeAPodGoesWhenItWasTo) {
  const auto pod = ViewOf(PodWith({}));
  const Deadline later = In(seconds(5));
  const Deadline now = In(seconds(0));
  EXPECT_EQ(PlanFor(*pod, nullptr, nullptr, kNow, {}), kStays);
  EXPECT_EQ(PlanFor(*pod, nullptr, &later, kNow, {}), Waits(seconds(5)));
  EXPECT_EQ(PlanFor(*pod, nullptr, &now, kNow, {}), Goes());
}

TEST(TaintEviction, AnotherPodOfThatNameHasItsOwnTime) {
  Deadline of_another = In(seconds(5));
  of_another.uid = "another";
  Plan plan = Waits(seconds(30));
  plan.cancelled = true;
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30)}), NodeWith({"a"}), of_another), plan);
  of_another.begun = true;
  EXPECT_EQ(Decide(PodWith({Tolerating("a", 30)}), NodeWith({"a"}), of_another),
            Waits(seconds(30)));
}

TEST(TaintEviction, APodThatGoesForThatReasonIsLeftAlone) {
  Pod pod = PodWith({});
  pod.metadata.deletionTimestamp = api::Time(kWall);
  EXPECT_EQ(Decide(pod, NodeWith({"a"})), Goes());
  core::v1::PodCondition& condition = pod.status.conditions.emplace_back();
  condition.type = "DisruptionTarget";
  condition.status = "True";
  condition.reason = "DeletionByTaintManager";
  EXPECT_EQ(Decide(pod, NodeWith({"a"})), kStays);
}

TEST(TaintEviction, NumbersAreComparedWhereTheGateSaysSo) {
  Toleration toleration = Tolerating("load");
  toleration.operator_ = "Lt";
  toleration.value = "10";
  Node node = NodeWith({"load"});
  node.spec.taints.back().value = "5";
  const auto pod = ViewOf(PodWith({toleration}));
  EXPECT_EQ(PlanFor(*pod, ViewOf(node).get(), nullptr, kNow, {}), Goes());
  EXPECT_EQ(PlanFor(*pod, ViewOf(node).get(), nullptr, kNow, {.compare_numbers = true}), kStays);
}

TEST(TaintEviction, SaysWhatItDecided) {
  EXPECT_EQ(kStays.ToString(), "it stays");
  EXPECT_EQ(kCancellation.ToString(), "no longer as it was to; it stays");
  EXPECT_EQ(Waits(seconds(1)).ToString(), "it goes later");
  EXPECT_EQ(Goes().ToString(), "it goes");
}

TEST(TaintEviction, KnowsWhichChangesMatter) {
  const auto same = [](const Node& a, const Node& b) {
    return SameEvictingTaints(*ViewOf(a), *ViewOf(b));
  };
  Node labelled = NodeWith({"a"});
  labelled.spec.taints.push_back(MakeTaint("b", "NoSchedule"));
  EXPECT_TRUE(same(NodeWith({"a"}), labelled));
  EXPECT_FALSE(same(NodeWith({"a"}), NodeWith({"a", "b"})));
  Node valued = NodeWith({"a"});
  valued.spec.taints.back().value = "v";
  EXPECT_FALSE(same(NodeWith({"a"}), valued));
  EXPECT_TRUE(DrivesPodsOut(*ViewOf(NodeWith({"a"}))));
  EXPECT_FALSE(DrivesPodsOut(*ViewOf(NodeWith({}))));
  EXPECT_TRUE(
      SameTolerations(*ViewOf(PodWith({Tolerating("a")})), *ViewOf(PodWith({Tolerating("a")}))));
  EXPECT_FALSE(
      SameTolerations(*ViewOf(PodWith({Tolerating("a")})), *ViewOf(PodWith({Tolerating("a", 3)}))));
}

TEST(TaintEviction, APodSaysWhyItGoes) {
  const auto patch = DisruptionPatch(*ViewOf(PodWith({})), kWall);
  ASSERT_TRUE(patch);
  EXPECT_EQ(*patch,
            *api::Json::Parse(
                R"({"metadata":{"uid":"uid"},"status":{)"
                R"("$setElementOrder/conditions":[{"type":"DisruptionTarget"}],)"
                R"("conditions":[{"type":"DisruptionTarget",)"
                R"("status":"True","reason":"DeletionByTaintManager",)"
                R"("message":"Taint manager: deleting due to NoExecute taint",)"
                R"("observedGeneration":3,"lastTransitionTime":"2026-11-15T00:00:00Z"}]}})"));
}

TEST(TaintEviction, WhyItGoesComesAfterAllElseThatAPodSays) {
  Pod pod = PodWith({});
  pod.status.conditions.emplace_back().type = "Ready";
  pod.status.conditions.emplace_back().type = "PodScheduled";
  const auto patch = DisruptionPatch(*ViewOf(pod), kWall);
  ASSERT_TRUE(patch);
  EXPECT_EQ(*patch->Find("status")->Find("$setElementOrder/conditions"),
            *api::Json::Parse(
                R"([{"type":"Ready"},{"type":"PodScheduled"},{"type":"DisruptionTarget"}])"));
}

TEST(TaintEviction, WhatWasSaidBeforeIsReplaced) {
  Pod pod = PodWith({});
  core::v1::PodCondition& condition = pod.status.conditions.emplace_back();
  condition.type = "DisruptionTarget";
  condition.status = "True";
  condition.reason = "EvictionByEvictionAPI";
  const auto patch = DisruptionPatch(*ViewOf(pod), kWall);
  ASSERT_TRUE(patch);
  // Since when it is true does not change.
  EXPECT_EQ(*patch,
            *api::Json::Parse(R"({"metadata":{"uid":"uid"},"status":{)"
                              R"("$setElementOrder/conditions":[{"type":"DisruptionTarget"}],)"
                              R"("conditions":[{"type":"DisruptionTarget",)"
                              R"("status":"True","reason":"DeletionByTaintManager",)"
                              R"("message":"Taint manager: deleting due to NoExecute taint",)"
                              R"("observedGeneration":3,"lastProbeTime":null}]}})"));
  pod.status.conditions.front().reason = "DeletionByTaintManager";
  EXPECT_FALSE(DisruptionPatch(*ViewOf(pod), kWall));
  pod.status.conditions.front().status = "False";
  EXPECT_TRUE(DisruptionPatch(*ViewOf(pod), kWall));
}

}  // namespace
}  // namespace flyball::controllers::taint_eviction
