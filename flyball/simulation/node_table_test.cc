#include "flyball/simulation/node_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using core::v1::Node;
using core::v1::Pod;

class NodeTableTest : public testing::Test {
 protected:
  void AddNode(const std::string& name, const std::function<void(Node&)>& change = [](Node&) {}) {
    Node node = NodeNamed(name);
    change(node);
    table_.PutNode(ViewOf(node));
  }
  /// Places a pod, and has it there.
  std::string Place(const Pod& pod) {
    PodNeeds needs = PodNeeds::Of(ViewOf(pod));
    const Placement placement = table_.Place(needs);
    if (placement.node.empty()) return placement.problem;
    table_.PutPod(pod.metadata.uid, placement.node, needs.footprint);
    return placement.node;
  }

  NodeTable table_;
};

TEST_F(NodeTableTest, PodsGoWhereTheMostRoomIs) {
  for (const std::string name : {"a", "b", "c"}) AddNode(name);
  std::map<std::string, int> placed;
  for (int i = 0; i < 9; ++i) ++placed[Place(PodNamed("pod-" + std::to_string(i), "1"))];
  EXPECT_EQ(placed, (std::map<std::string, int>{{"a", 3}, {"b", 3}, {"c", 3}}));
}

TEST_F(NodeTableTest, PodsThatAskForNothingAreSpreadToo) {
  for (const std::string name : {"a", "b"}) AddNode(name);
  std::map<std::string, int> placed;
  for (int i = 0; i < 6; ++i) ++placed[Place(PodNamed("pod-" + std::to_string(i)))];
  EXPECT_EQ(placed, (std::map<std::string, int>{{"a", 3}, {"b", 3}}));
}

TEST_F(NodeTableTest, WhatLeavesMakesRoom) {
  AddNode("a");
  EXPECT_EQ(Place(PodNamed("one", "4")), "a");
  EXPECT_TRUE(Place(PodNamed("two", "4")).starts_with("0/1 nodes are available: 1 Insufficient"));
  EXPECT_TRUE(table_.RemovePod("uid-of-one"));
  EXPECT_FALSE(table_.RemovePod("uid-of-one"));
  EXPECT_EQ(Place(PodNamed("two", "4")), "a");
}

TEST_F(NodeTableTest, PodsOfMoreThanAnyNodeHasMakeRoomWhenTheyLeave) {
  AddNode("a");
  AddNode("b");
  for (const std::string name : {"one", "two", "three"}) {
    // They were bound to the node by name, and nobody asked whether they fit.
    const PodNeeds needs = PodNeeds::Of(ViewOf(PodNamed(name, "9223372036854775")));
    EXPECT_TRUE(table_.Place(needs).node.empty());
    table_.PutPod("uid-of-" + name, "a", needs.footprint);
  }
  for (const char* const uid : {"uid-of-one", "uid-of-two", "uid-of-three"}) {
    EXPECT_TRUE(table_.RemovePod(uid));
  }
  EXPECT_EQ(Place(PodNamed("four", "4")), "a");
  EXPECT_EQ(Place(PodNamed("five", "4")), "b");
}

TEST_F(NodeTableTest, APodIsCountedOnceAndWhereItWasSeenLast) {
  AddNode("a");
  AddNode("b");
  const PodFootprint footprint = PodFootprint::Of(*ViewOf(PodNamed("pod", "2")));
  table_.PutPod("uid", "a", footprint);
  table_.PutPod("uid", "a", footprint);
  EXPECT_EQ(table_.Find("a")->taken.requests.milli_cpu, 2000);
  table_.PutPod("uid", "b", footprint);
  EXPECT_EQ(table_.Find("a")->taken.requests.milli_cpu, 0);
  EXPECT_EQ(table_.Find("b")->taken.requests.milli_cpu, 2000);
}

TEST_F(NodeTableTest, PodsOfANodeThatIsNotThereCountWhenItComes) {
  table_.PutPod("uid", "a", PodFootprint::Of(*ViewOf(PodNamed("pod", "3"))));
  EXPECT_EQ(table_.nodes(), 0U);
  EXPECT_EQ(Place(PodNamed("other", "2")), "no nodes available to schedule pods");
  AddNode("a");
  EXPECT_TRUE(Place(PodNamed("other", "2")).starts_with("0/1"));
  table_.RemoveNode("a");
  EXPECT_EQ(table_.nodes(), 0U);
  AddNode("a");
  EXPECT_EQ(table_.Find("a")->pods, 1);
}

TEST_F(NodeTableTest, ANodeThatChangesIsLookedAtAnew) {
  AddNode("a");
  EXPECT_EQ(Place(PodNamed("one", "3")), "a");
  AddNode("a",
          [](Node& node) { node.status.allocatable["cpu"] = api::Quantity::Parse("8").value(); });
  EXPECT_EQ(table_.nodes(), 1U);
  EXPECT_EQ(Place(PodNamed("two", "5")), "a");
}

TEST_F(NodeTableTest, PreferencesCountMoreThanRoom) {
  AddNode("a");
  AddNode("b", [](Node& node) { node.metadata.labels["disk"] = "fast"; });
  EXPECT_EQ(Place(PodNamed("one", "1")), "a");
  Pod picky = PodNamed("picky", "1");
  auto& term = picky.spec.affinity.emplace()
                   .nodeAffinity.emplace()
                   .preferredDuringSchedulingIgnoredDuringExecution.emplace_back();
  term.weight = 1;
  auto& requirement = term.preference.matchExpressions.emplace_back();
  requirement.key = "disk";
  requirement.operator_ = "Exists";
  for (int i = 0; i < 3; ++i) {
    picky.metadata.uid = "picky-" + std::to_string(i);
    EXPECT_EQ(Place(picky), "b");
  }
}

TEST_F(NodeTableTest, AWishToBeLeftAloneIsGrantedWhileThereAreOthers) {
  AddNode("a", [](Node& node) {
    auto& taint = node.spec.taints.emplace_back();
    taint.key = "quiet";
    taint.effect = "PreferNoSchedule";
  });
  AddNode("b");
  EXPECT_EQ(Place(PodNamed("one", "4")), "b");
  EXPECT_EQ(Place(PodNamed("two", "4")), "a");
}

TEST_F(NodeTableTest, APodThatNamesItsNodesIsNotComparedWithOthers) {
  for (const std::string name : {"a", "b", "c"}) AddNode(name);
  Pod daemon = PodNamed("daemon", "3");
  auto& field = daemon.spec.affinity.emplace()
                    .nodeAffinity.emplace()
                    .requiredDuringSchedulingIgnoredDuringExecution.emplace()
                    .nodeSelectorTerms.emplace_back()
                    .matchFields.emplace_back();
  field.key = "metadata.name";
  field.operator_ = "In";
  field.values = {"c"};
  EXPECT_EQ(Place(daemon), "c");
  daemon.metadata.uid = "another";
  EXPECT_EQ(
      Place(daemon),
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) "
      "[NodeAffinity]. preemption: 0/3 nodes are available: 1 No preemption victims found for "
      "incoming pod, 2 Preemption is not helpful for scheduling.");
}

}  // namespace
}  // namespace flyball::simulation
