#include "flyball/controllers/daemon_set/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/daemon_set/internal/daemon_set_fake.h"

namespace flyball::controllers::daemon_set {
namespace {

using apps::v1::DaemonSet;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

std::optional<nanoseconds> NoWait(std::string_view /*node*/) { return std::nullopt; }

Plan PlanFor(const DaemonSet& set, const std::vector<FittedNode>& nodes,
             const std::vector<PodRef>& pods) {
  return PlanPods(Seen(set, nodes, pods), NoWait);
}

struct NodeCase {
  std::string why;
  Fitness fitness;
  std::vector<PodRef> pods;
  std::vector<std::string> created;
  std::vector<std::string> removed;
};

TEST(DaemonSetPlan, KeepsOnePodOnEachNodeThatOughtToHaveOne) {
  const PodFacts failed{.phase = "Failed"};
  const NodeCase cases[] = {
      {"none yet", kRuns, {}, {"a"}, {}},
      {"there is one", kRuns, {PodNamed("one")}, {}, {}},
      {"it is pending", kRuns, {PodNamed("one", {.phase = "Pending", .bound = false})}, {}, {}},
      {"the oldest stays",
       kRuns,
       {PodNamed("two", {.created = 2}), PodNamed("one", {.created = 1}),
        PodNamed("three", {.created = 3})},
       {},
       {"two", "three"}},
      {"one that goes is waited for", kRuns, {PodNamed("one", {.going = true})}, {}, {}},
      {"one that goes does not count",
       kRuns,
       {PodNamed("one", {.going = true}), PodNamed("two")},
       {},
       {}},
      {"one that has failed makes way", kRuns, {PodNamed("one", failed)}, {}, {"one"}},
      {"not for new ones, and none there", kStays, {}, {}, {}},
      {"not for new ones, but one is there", kStays, {PodNamed("one")}, {}, {}},
      {"not for new ones, and too many there",
       kStays,
       {PodNamed("one"), PodNamed("two")},
       {},
       {"two"}},
      {"for none at all", kNeither, {PodNamed("one"), PodNamed("two")}, {}, {"one", "two"}},
      {"for none at all, one goes", kNeither, {PodNamed("one", {.going = true})}, {}, {}},
      {"for none at all, and none there", kNeither, {}, {}, {}},
  };
  for (const NodeCase& one : cases) {
    const Plan plan = PlanFor(Agent(), {{"a", one.fitness}}, one.pods);
    EXPECT_EQ(plan.create, one.created) << one.why;
    EXPECT_EQ(NamesOf(plan.remove), one.removed) << one.why;
  }
}

TEST(DaemonSetPlan, WhileItSurgesANodeMayHaveAnOldPodBesideANewOne) {
  const PodRef old_ready = PodNamed("old", {.hash = "old"});
  const PodRef old_unready = PodNamed("old", {.hash = "old", .ready_since = std::nullopt});
  const PodRef new_ready = PodNamed("new", {.created = 5});
  const PodRef new_unready = PodNamed("new", {.ready_since = std::nullopt, .created = 5});
  const PodRef newer = PodNamed("newer", {.created = 6});
  const PodRef older = PodNamed("older", {.hash = "older", .created = 1});
  const PodRef going = PodNamed("going", {.going = true});
  const NodeCase cases[] = {
      {"none yet", kRuns, {}, {"a"}, {}},
      {"both, and the new one is not ready", kRuns, {old_ready, new_unready}, {}, {}},
      {"both are ready", kRuns, {old_ready, new_ready}, {}, {"old"}},
      {"neither is", kRuns, {old_unready, new_unready}, {}, {"old"}},
      {"too many of each", kRuns, {old_ready, new_unready, newer, older}, {}, {"older", "newer"}},
      {"too many new ones, and no old one", kRuns, {new_unready, newer}, {}, {"newer"}},
      {"too many old ones, and no new one", kRuns, {old_ready, older}, {}, {"older"}},
      {"one that goes is not waited for", kRuns, {going}, {"a"}, {}},
      {"one that goes, where none may follow", kStays, {going}, {}, {}},
      {"one is enough", kRuns, {old_ready}, {}, {}},
  };
  for (const NodeCase& one : cases) {
    const Plan plan = PlanFor(Surging(1), {{"a", one.fitness}}, one.pods);
    EXPECT_EQ(plan.create, one.created) << one.why;
    EXPECT_EQ(NamesOf(plan.remove), one.removed) << one.why;
  }
}

TEST(DaemonSetPlan, ANewPodTakesOverWhenItHasBeenReadyForLongEnough) {
  DaemonSet set = Surging(1);
  set.spec.minReadySeconds = 10;
  const PodRef old = PodNamed("old", {.hash = "old"});
  const auto removed = [&](std::int64_t ready_for) {
    return NamesOf(PlanFor(set, {{"a", kRuns}},
                           {old, PodNamed("new", {.ready_since = kNow - ready_for, .created = 5})})
                       .remove);
  };
  EXPECT_THAT(removed(9), IsEmpty());
  EXPECT_THAT(removed(10), ElementsAre("old"));
}

TEST(DaemonSetPlan, TellsOfPodsThatHaveEnded) {
  const Plan plan = PlanFor(Agent(), {{"a", kRuns}, {"b", kRuns}},
                            {PodNamed("bad", {.node = "a", .phase = "Failed"}),
                             PodNamed("done", {.node = "b", .phase = "Succeeded"})});
  EXPECT_THAT(NamesOf(plan.remove), ElementsAre("bad", "done"));
  EXPECT_THAT(plan.create, IsEmpty());
  EXPECT_THAT(plan.failed_on, ElementsAre("a"));
  EXPECT_THAT(
      plan.events,
      ElementsAre(
          Event{runtime::EventType::kWarning, "FailedDaemonPod",
                "Found failed daemon pod default/bad on node a, will try to kill it"},
          Event{runtime::EventType::kNormal, "SucceededDaemonPod",
                "Found succeeded daemon pod default/done on node b, will try to delete it"}));
}

TEST(DaemonSetPlan, AFailedPodWaitsWhereTheLastOneFailedJustBefore) {
  const std::vector<PodRef> pods = {PodNamed("first", {.node = "a", .phase = "Failed"}),
                                    PodNamed("second", {.node = "b", .phase = "Failed"}),
                                    PodNamed("third", {.node = "c", .phase = "Failed"})};
  const DaemonSet set = Agent();
  const Plan plan = PlanPods(Seen(set, {{"a", kRuns}, {"b", kRuns}, {"c", kRuns}}, pods),
                             [](std::string_view node) -> std::optional<nanoseconds> {
                               if (node == "b") return std::nullopt;
                               return node == "a" ? seconds(4) : seconds(2);
                             });
  EXPECT_THAT(NamesOf(plan.remove), ElementsAre("second"));
  EXPECT_THAT(plan.failed_on, ElementsAre("b"));
  EXPECT_EQ(plan.requeue_after, seconds(2));
  EXPECT_EQ(plan.events.size(), 1);
}

TEST(DaemonSetPlan, OfTwoFailedPodsOnANodeOneGoesAtATime) {
  const Plan plan =
      PlanFor(Agent(), {{"a", kRuns}},
              {PodNamed("one", {.phase = "Failed"}), PodNamed("two", {.phase = "Failed"})});
  EXPECT_THAT(NamesOf(plan.remove), ElementsAre("one"));
  EXPECT_THAT(plan.failed_on, ElementsAre("a"));
  EXPECT_TRUE(plan.requeue_after);
}

TEST(DaemonSetPlan, PodsForANodeThatIsGoneAreRemovedIfTheyAreNotOnIt) {
  const Plan plan = PlanFor(Agent(), {{"a", kRuns}},
                            {PodNamed("here"), PodNamed("bound", {.node = "gone"}),
                             PodNamed("unbound", {.node = "gone", .bound = false}),
                             PodNamed("going", {.node = "gone", .bound = false, .going = true})});
  EXPECT_THAT(NamesOf(plan.remove), ElementsAre("unbound"));
}

TEST(DaemonSetPlan, CanBeRead) {
  EXPECT_EQ(Plan().ToString(), "nothing");
  EXPECT_FALSE(Plan().Acts());
  EXPECT_EQ((Plan{.create = {"a", "b"}}).ToString(), "create 2 pods, the first for a");
  EXPECT_EQ((Plan{.create = {"a"}, .remove = {PodNamed("x")}}).ToString(),
            "create 1 pod, the first for a; delete 1 pod, the first x");
  EXPECT_TRUE((Plan{.remove = {PodNamed("x")}}).Acts());
  EXPECT_EQ((Plan{.remove = {PodNamed("x")}}).ToString(), "delete 1 pod, the first x");
}

}  // namespace
}  // namespace flyball::controllers::daemon_set
