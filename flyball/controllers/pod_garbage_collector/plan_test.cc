#include "flyball/controllers/pod_garbage_collector/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "flyball/api/core/v1.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/time.h"
#include "flyball/api/view_decode.h"

namespace flyball::controllers::pod_garbage_collector {
namespace {

using core::v1::Node;
using core::v1::Pod;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};

template <typename View, typename T>
cache::Ref<View> ViewOf(const T& object) {
  api::ViewDecoder decoder;
  auto view = decoder.Decode<View>(*api::EncodeProtobuf(object));
  EXPECT_TRUE(view) << view.error().Describe();
  return *view;
}

/// One that runs on a node, and has for some time.
PodRef MakePod(const std::string& name, const std::function<void(Pod&)>& change = nullptr) {
  Pod pod;
  pod.metadata.namespace_ = "team";
  pod.metadata.name = name;
  pod.metadata.uid = "uid-of-" + name;
  pod.metadata.generation = 3;
  pod.metadata.creationTimestamp = api::Time(kNow - seconds(100));
  pod.spec.nodeName = "node";
  pod.status.phase = "Running";
  pod.status.observedGeneration = 2;
  if (change) change(pod);
  return ViewOf<views::Pod>(pod);
}
PodRef MakeEnded(const std::string& name, const std::string& phase, seconds age,
                 const std::string& reason = "") {
  return MakePod(name, [&](Pod& pod) {
    pod.status.phase = phase;
    pod.status.reason = reason;
    pod.metadata.creationTimestamp = api::Time(kNow - age);
  });
}
PodRef MakeTerminating(const std::string& name, const std::string& node,
                       const std::string& phase = "Running") {
  return MakePod(name, [&](Pod& pod) {
    pod.metadata.deletionTimestamp = api::Time(kNow);
    pod.spec.nodeName = node;
    pod.status.phase = phase;
  });
}
NodeRef MakeNode(const std::string& name, const std::string& ready = "True",
                 const std::string& taint = "") {
  Node node;
  node.metadata.name = name;
  if (!taint.empty()) node.spec.taints.emplace_back().key = taint;
  node.status.conditions.emplace_back().type = "MemoryPressure";
  node.status.conditions.back().status = "True";
  if (!ready.empty()) {
    node.status.conditions.emplace_back().type = "Ready";
    node.status.conditions.back().status = ready;
  }
  return ViewOf<views::Node>(node);
}

std::vector<std::string> Texts(const std::vector<Removal>& removals) {
  std::vector<std::string> texts;
  for (const Removal& removal : removals) texts.push_back(removal.ToString());
  return texts;
}

TEST(PodGarbageCollectorPlan, LeavesPodsThatAreWhereTheyBelong) {
  EXPECT_EQ(PlanFor({MakePod("a"), MakeTerminating("b", "node"),
                     MakePod("pending",
                             [](Pod& pod) {
                               pod.status.phase = "Pending";
                               pod.spec.nodeName = "";
                             })},
                    {MakeNode("node")}, 1),
            Plan());
}

TEST(PodGarbageCollectorPlan, KeepsAsManyEndedPodsAsItIsTold) {
  const std::vector<PodRef> pods = {MakeEnded("young", "Succeeded", seconds(1)),
                                    MakeEnded("old", "Failed", seconds(3)), MakePod("runs"),
                                    MakeEnded("unknown", "Unknown", seconds(9)),
                                    MakeEnded("without-phase", "", seconds(2))};
  const auto removed = [&](std::int32_t threshold) {
    return Texts(PlanFor(pods, {MakeNode("node")}, threshold).removals);
  };
  EXPECT_THAT(removed(3), IsEmpty());
  EXPECT_THAT(removed(2), ElementsAre("team/old: terminated"));
  EXPECT_THAT(removed(1), ElementsAre("team/old: terminated", "team/without-phase: terminated"));
  EXPECT_THAT(removed(0), IsEmpty());
  EXPECT_THAT(removed(-1), IsEmpty());
}

TEST(PodGarbageCollectorPlan, EvictedPodsGoFirstThenTheOldestThenByName) {
  const PodRef elsewhere = MakePod("b", [](Pod& pod) {
    pod.metadata.namespace_ = "another";
    pod.status.phase = "Failed";
  });
  const Plan plan =
      PlanFor({MakeEnded("kept", "Succeeded", seconds(0)), MakeEnded("c", "Failed", seconds(100)),
               MakeEnded("b", "Failed", seconds(100)), elsewhere,
               MakeEnded("oldest", "Succeeded", seconds(500)),
               MakeEnded("not-failed", "Succeeded", seconds(50), "Evicted"),
               MakeEnded("evicted", "Failed", seconds(10), "Evicted")},
              {MakeNode("node")}, 1);
  EXPECT_THAT(
      Texts(plan.removals),
      ElementsAre("team/evicted: terminated", "team/oldest: terminated", "another/b: terminated",
                  "team/b: terminated", "team/c: terminated", "team/not-failed: terminated"));
}

TEST(PodGarbageCollectorPlan, PodsThatAreToGoGoFromNodesThatAreOutOfService) {
  constexpr const char* kTaint = "node.kubernetes.io/out-of-service";
  const std::vector<NodeRef> nodes = {
      MakeNode("ready", "True", kTaint),
      MakeNode("down", "False"),
      MakeNode("another-taint", "False", "node.kubernetes.io/unreachable"),
      MakeNode("false", "False", kTaint),
      MakeNode("unknown", "Unknown", kTaint),
      MakeNode("silent", "", kTaint)};
  std::vector<PodRef> pods = {MakePod("stays", [](Pod& pod) { pod.spec.nodeName = "false"; })};
  for (const NodeRef& node : nodes) {
    const std::string name(node->metadata.name);
    pods.push_back(MakeTerminating("on-" + name, name));
  }
  const Plan plan = PlanFor(pods, nodes, 0);
  EXPECT_THAT(Texts(plan.removals),
              ElementsAre("team/on-false: out-of-service", "team/on-silent: out-of-service",
                          "team/on-unknown: out-of-service"));
  EXPECT_THAT(plan.missing_nodes, IsEmpty());
}

TEST(PodGarbageCollectorPlan, PodsThatAreToGoAndHaveNoNodeGo) {
  const Plan plan = PlanFor({MakeTerminating("b", ""), MakeTerminating("a", "")}, {}, 0);
  EXPECT_THAT(Texts(plan.removals), ElementsAre("team/b: unscheduled", "team/a: unscheduled"));
  EXPECT_THAT(plan.missing_nodes, IsEmpty());
}

TEST(PodGarbageCollectorPlan, EachPodGoesForOneReason) {
  const std::vector<NodeRef> nodes = {
      MakeNode("down", "False", "node.kubernetes.io/out-of-service")};
  const Plan plan = PlanFor({MakeTerminating("a", "", "Failed"),
                             MakeTerminating("b", "down", "Failed"), MakeTerminating("c", "down"),
                             MakeTerminating("d", ""), MakeEnded("kept", "Failed", seconds(0))},
                            nodes, 1);
  EXPECT_THAT(Texts(plan.removals), ElementsAre("team/a: terminated", "team/b: terminated",
                                                "team/c: out-of-service", "team/d: unscheduled"));
}

TEST(PodGarbageCollectorPlan, NamesTheNodesThatAreMissing) {
  const std::vector<PodRef> pods = {MakePod("a", [](Pod& pod) { pod.spec.nodeName = "gone"; }),
                                    MakeTerminating("b", "gone"), MakePod("c"),
                                    MakePod("d", [](Pod& pod) { pod.spec.nodeName = "late"; })};
  const Plan plan = PlanFor(pods, {MakeNode("node")}, 0);
  EXPECT_THAT(plan.missing_nodes, ElementsAre("gone", "late"));
  EXPECT_THAT(plan.removals, IsEmpty());
  EXPECT_THAT(Texts(OrphansOf("gone", pods)), ElementsAre("team/a: orphaned", "team/b: orphaned"));
}

std::string PatchOf(const PodRef& pod, Reason reason) {
  const auto patch = FailurePatch({pod, reason}, kNow);
  EXPECT_TRUE(patch) << patch.error().Describe();
  return *patch ? (**patch).ToString() : "";
}

TEST(PodGarbageCollectorPlan, PodsThatHaveEndedStayAsTheyEnded) {
  for (const char* const phase : {"Succeeded", "Failed"}) {
    for (const Reason reason : {Reason::kTerminated, Reason::kOrphaned}) {
      EXPECT_EQ(PatchOf(MakeEnded("pod", phase, seconds(1)), reason), "");
    }
  }
}

TEST(PodGarbageCollectorPlan, OthersAreMarkedAsFailedBeforeTheyGo) {
  for (const char* const phase : {"", "Pending", "Running", "Unknown"}) {
    EXPECT_EQ(PatchOf(MakeEnded("pod", phase, seconds(1)), Reason::kUnscheduled),
              R"({"metadata":{"uid":"uid-of-pod"},)"
              R"("status":{"observedGeneration":3,"phase":"Failed"}})")
        << phase;
  }
}

TEST(PodGarbageCollectorPlan, OrphansAreToldThatTheirNodeIsGone) {
  const PodRef pod = MakePod("pod", [](Pod& made) {
    core::v1::PodCondition& ready = made.status.conditions.emplace_back();
    ready.type = "Ready";
    ready.status = "True";
    ready.message = "all is well";
    ready.lastTransitionTime = api::Time(kNow - seconds(50));
  });
  EXPECT_EQ(PatchOf(pod, Reason::kOrphaned),
            R"({"metadata":{"uid":"uid-of-pod"},"status":{)"
            R"("$setElementOrder/conditions":[{"type":"Ready"},{"type":"DisruptionTarget"}],)"
            R"("conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-11-15T00:00:00Z",)"
            R"("message":"PodGC: node no longer exists","observedGeneration":3,)"
            R"("reason":"DeletionByPodGC","status":"True","type":"DisruptionTarget"}],)"
            R"("observedGeneration":3,"phase":"Failed"}})");
}

/// One that somebody has said before that it is disrupted, or is not.
PodRef MakeDisrupted(const std::string& status) {
  return MakePod("pod", [&](Pod& pod) {
    core::v1::PodCondition& condition = pod.status.conditions.emplace_back();
    condition.type = "DisruptionTarget";
    condition.status = status;
    condition.observedGeneration = 3;
    condition.reason = "EvictionByEvictionAPI";
    condition.message = "Eviction API: evicting";
    condition.lastProbeTime = condition.lastTransitionTime = api::Time(kNow - seconds(50));
  });
}

TEST(PodGarbageCollectorPlan, AConditionThatHeldAlreadyKeepsItsTime) {
  EXPECT_EQ(PatchOf(MakeDisrupted("True"), Reason::kOrphaned),
            R"({"metadata":{"uid":"uid-of-pod"},"status":{)"
            R"("$setElementOrder/conditions":[{"type":"DisruptionTarget"}],)"
            R"("conditions":[{"lastProbeTime":null,"message":"PodGC: node no longer exists",)"
            R"("reason":"DeletionByPodGC","type":"DisruptionTarget"}],)"
            R"("observedGeneration":3,"phase":"Failed"}})");
  EXPECT_EQ(PatchOf(MakeDisrupted("False"), Reason::kOrphaned),
            R"({"metadata":{"uid":"uid-of-pod"},"status":{)"
            R"("$setElementOrder/conditions":[{"type":"DisruptionTarget"}],)"
            R"("conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-11-15T00:00:00Z",)"
            R"("message":"PodGC: node no longer exists","reason":"DeletionByPodGC",)"
            R"("status":"True","type":"DisruptionTarget"}],)"
            R"("observedGeneration":3,"phase":"Failed"}})");
}

TEST(PodGarbageCollectorPlan, OtherReasonsSayNothingOfDisruption) {
  EXPECT_EQ(PatchOf(MakeDisrupted("False"), Reason::kOutOfService),
            R"({"metadata":{"uid":"uid-of-pod"},)"
            R"("status":{"observedGeneration":3,"phase":"Failed"}})");
}

}  // namespace
}  // namespace flyball::controllers::pod_garbage_collector
