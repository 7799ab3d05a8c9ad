#include "flyball/controllers/node_lifecycle/controller.h"

#include "flyball/controllers/node_lifecycle/internal/node_lifecycle_fixture.h"

/// What becomes of one node. Of many: zones_test.cc.
namespace flyball::controllers::node_lifecycle {
namespace {

using sandbox::Fault;
using sandbox::Requests;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(NodeLifecycleTest, ANodeThatRenewsItsLeaseIsLeftAlone) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Run(seconds(6));
    EXPECT_THAT(TakeSent(), IsEmpty());
    Run(std::chrono::hours(1));
    EXPECT_THAT(TakeSent(), IsEmpty());
    EXPECT_EQ(ReadyOf("a"), "True");
  });
  EXPECT_THAT(events_.lines(),
              ElementsAre("Normal RegisteredNode: Node a event: Registered Node a in Controller",
                          "Normal RegisteredNode: Node b event: Registered Node b in Controller"));
}

TEST_F(NodeLifecycleTest, ANodeOfWhichNothingIsHeardIsSaidToBeUnknownAndItsPodsNotReady) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    CreatePod("p", "a");
    CreatePod("q", "b");
    Run(seconds(20));
    Silence("a");
    Run(seconds(45));
    EXPECT_EQ(ReadyOf("a"), "True");
    EXPECT_THAT(TaintsOf("a"), IsEmpty());
    Run(seconds(16));
    EXPECT_EQ(ReadyOf("a"), "Unknown");
    EXPECT_THAT(TaintsOf("a"), ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
    EXPECT_FALSE(IsReady("p"));
    EXPECT_TRUE(IsReady("q"));
    EXPECT_EQ(ReadyOf("b"), "True");
    EXPECT_THAT(TaintsOf("b"), IsEmpty());
    const auto conditions = Get("a").status.conditions;
    ASSERT_EQ(conditions.size(), 4);
    EXPECT_EQ(conditions[0].reason, "NodeStatusUnknown");
    EXPECT_EQ(conditions[1].reason, "NodeStatusNeverUpdated");
  });
  EXPECT_THAT(EventsOf("NodeNotReady"),
              ElementsAre("Normal NodeNotReady: Node a status is now: NodeNotReady",
                          "Warning NodeNotReady: Node is not ready"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("node_collector_evictions_total{zone=\"\"} 1"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("node_collector_unhealthy_nodes_in_zone{zone=\"\"} 1"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("node_collector_zone_health{zone=\"\"} 50"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("node_collector_zone_size{zone=\"\"} 2"));
}

TEST_F(NodeLifecycleTest, ANodeThatIsBackIsAsItWas) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Run(seconds(20));
    Silence("a");
    Run(seconds(70));
    EXPECT_THAT(TaintsOf("a"), ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
    Wake("a");
    Run(seconds(1));
    EXPECT_THAT(TaintsOf("a"), IsEmpty());
    Run(seconds(600));
    EXPECT_EQ(ReadyOf("a"), "True");
  });
}

TEST_F(NodeLifecycleTest, ALeaseAloneDoesNotMakeALostNodeReady) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Silence("a");
    Run(seconds(70));
    EXPECT_EQ(ReadyOf("a"), "Unknown");
    Renew("a");
    Run(seconds(20));
    EXPECT_EQ(ReadyOf("a"), "Unknown");
    EXPECT_THAT(TaintsOf("a"), ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
  });
}

TEST_F(NodeLifecycleTest, ANodeThatNeverReportsIsGivenLonger) {
  PlayIt([&] {
    CreateNode("b");
    CreateNode("a", "", "");
    ASSERT_TRUE(All<Lease>().Delete({"kube-node-lease", "a"}));
    Silence("a");
    Run(seconds(59));
    EXPECT_EQ(ReadyOf("a"), "");
    Run(seconds(8));
    EXPECT_EQ(ReadyOf("a"), "Unknown");
    EXPECT_EQ(Get("a").status.conditions[0].reason, "NodeStatusNeverUpdated");
    EXPECT_THAT(TaintsOf("a"), ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
  });
  EXPECT_THAT(EventsOf("NodeNotReady"), IsEmpty());
}

TEST_F(NodeLifecycleTest, ANodeThatSaysThatItIsNotReadyHasItsPodsDrivenOut) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    CreatePod("p", "a");
    Run(seconds(10));
    Report("a", "False");
    Run(seconds(6));
    EXPECT_THAT(TaintsOf("a"), ElementsAre("not-ready:NoExecute", "not-ready:NoSchedule"));
    // Its kubelet is there to say how the pod is.
    EXPECT_TRUE(IsReady("p"));
    // When it falls silent as well, that is exchanged.
    Silence("a");
    Run(seconds(70));
    EXPECT_THAT(TaintsOf("a"), ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("node_collector_evictions_total{zone=\"\"} 1"));
}

TEST_F(NodeLifecycleTest, PodsThatComeToALostNodeAreNotReady) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Silence("a");
    Run(seconds(70));
    Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = "p";
    pod.spec.nodeName = "a";
    pod.spec.containers.emplace_back().name = "main";
    pod.spec.containers.front().image = "app";
    pod.status.phase = "Running";
    pod.status.conditions.push_back(ReadyCondition(api::Time(executor_.clock().WallNow())));
    Must(All<Pod>().Create(pod));
    Run(seconds(1));
    EXPECT_FALSE(IsReady("p"));
  });
}

TEST_F(NodeLifecycleTest, WhatNodesSayOfThemselvesKeepsNewPodsOffAtOnce) {
  PlayIt([&] {
    CreateNode("a");
    Run(seconds(10));
    TakeSent();
    Node node = Get("a");
    node.status.conditions.push_back(MakeNodeCondition("DiskPressure", "True"));
    Must(All<Node>().UpdateStatus(node));
    Change("a", [](Node& its) { its.spec.unschedulable = true; });
    Run(std::chrono::milliseconds(500));
    EXPECT_THAT(TaintsOf("a"), ElementsAre("disk-pressure:NoSchedule", "unschedulable:NoSchedule"));
    Change("a", [](Node& its) { its.spec.unschedulable = false; });
    Run(std::chrono::milliseconds(500));
    EXPECT_THAT(TaintsOf("a"), ElementsAre("disk-pressure:NoSchedule"));
    EXPECT_THAT(TakeRequests(), testing::Each("PATCH /api/v1/nodes/a"));
  });
}

TEST_F(NodeLifecycleTest, LabelsOfOldFollow) {
  PlayIt([&] {
    CreateNode("a");
    Change("a", [](Node& its) { its.metadata.labels["kubernetes.io/os"] = "linux"; });
    Run(seconds(1));
    EXPECT_EQ(Get("a").metadata.labels["beta.kubernetes.io/os"], "linux");
  });
}

TEST_F(NodeLifecycleTest, ANodeThatIsDeletedIsSpokenOfOnceAndForgotten) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Run(seconds(10));
    Silence("a");
    ASSERT_TRUE(All<Node>().Delete({"", "a"}));
    Run(seconds(100));
    EXPECT_EQ(Unknown(), 0);
  });
  EXPECT_THAT(EventsOf("RemovingNode"),
              ElementsAre("Normal RemovingNode: Node a event: Removing Node a from Controller"));
}

TEST_F(NodeLifecycleTest, WhatAPredecessorLeftUndoneIsDone) {
  CreateNode("a");
  CreateNode("b");
  CreatePod("p", "a");
  Silence("a");
  Report("a", "Unknown");
  PlayIt([&] {
    Run(seconds(1));
    EXPECT_FALSE(IsReady("p"));
    EXPECT_THAT(TaintsOf("a"), ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
  });
}

// Hearsay.

TEST_F(NodeLifecycleTest, NoNodeIsLostWhileItsLeaseIsNotHeardOf) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Run(seconds(20));
    TakeSent();
    Fault deaf = faults_.OnEvents(Requests::Watches().Of("leases")).Hold();
    Run(seconds(300));
    EXPECT_THAT(TakeSent(), IsEmpty());
    deaf.Lift();
    Run(seconds(300));
    EXPECT_THAT(TakeSent(), IsEmpty());
    // And one that is lost is.
    Silence("a");
    Run(seconds(70));
    EXPECT_EQ(ReadyOf("a"), "Unknown");
    EXPECT_EQ(ReadyOf("b"), "True");
  });
}

TEST_F(NodeLifecycleTest, NoNodeIsLostWhileTheServerIsAway) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Run(seconds(20));
    TakeSent();
    // Nor can nodes say anything, then.
    Silence("a");
    Silence("b");
    const Fault away = faults_.On(Requests::All()).Disconnect();
    faults_.BreakWatches();
    Run(seconds(300));
    faults_.LiftAll();
    // They take their time.
    Run(seconds(45));
    EXPECT_EQ(Unknown(), 0);
    Wake("a");
    Wake("b");
    Run(seconds(300));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
}

TEST_F(NodeLifecycleTest, NoNodeIsLostWhileTheServerCannotSayWhatItsLeaseIs) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Run(seconds(20));
    Silence("a");
    const Fault broken = faults_.On(Requests::Gets().Of("leases")).Refuse(503);
    Run(seconds(200));
    EXPECT_EQ(ReadyOf("a"), "True");
    faults_.LiftAll();
    Run(seconds(70));
    EXPECT_EQ(ReadyOf("a"), "Unknown");
  });
}

TEST_F(NodeLifecycleTest, ANodeThatReportsAtTheLastMomentIsNotLost) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Run(seconds(20));
    Silence("a");
    faults_.On(Requests::Patches().Of("nodes/status")).Once().Interrupt([&](const auto&) {
      Report("a", "True");
    });
    Run(seconds(90));
    EXPECT_EQ(ReadyOf("a"), "True");
    EXPECT_THAT(TaintsOf("a"), IsEmpty());
  });
  EXPECT_THAT(EventsOf("NodeNotReady"), IsEmpty());
}

TEST_F(NodeLifecycleTest, ALeaseThatSomebodyElseTouchesIsNoSignOfLife) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    Run(seconds(20));
    Silence("a");
    for (int i = 0; i < 10; ++i) {
      Lease lease = Must(All<Lease>().Get({"kube-node-lease", "a"}));
      lease.metadata.labels["touched"] = std::to_string(i);
      Must(All<Lease>().Update(lease));
      Run(seconds(10));
    }
    EXPECT_EQ(ReadyOf("a"), "Unknown");
  });
}

TEST_F(NodeLifecycleTest, AnAnswerThatIsLostDoesNotLoseThePods) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    CreatePod("p", "a");
    Run(seconds(20));
    Silence("a");
    faults_.On(Requests::Patches().Of("nodes/status")).Once().LoseAnswer();
    Run(seconds(90));
    EXPECT_EQ(ReadyOf("a"), "Unknown");
    EXPECT_FALSE(IsReady("p"));
    EXPECT_THAT(TaintsOf("a"), ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));
  });
  EXPECT_EQ(EventsOf("NodeNotReady").size(), 2);
}

}  // namespace
}  // namespace flyball::controllers::node_lifecycle
