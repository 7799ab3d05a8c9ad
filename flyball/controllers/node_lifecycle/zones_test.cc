#include <gtest/gtest.h>

#include "flyball/controllers/node_lifecycle/internal/node_lifecycle_fixture.h"

/// What becomes of pods when one node is lost, or many, or all.
namespace flyball::controllers::node_lifecycle {
namespace {

using testing::IsEmpty;

TEST_F(NodeLifecycleTest, OneOfTwentyNodesIsLostThenAZoneThenAll) {
  PlayIt([&] {
    CreateNodes(0, 10, "a");
    CreateNodes(10, 20, "b");
    Run(seconds(30));
    TakeSent();

    Silence(NodeName(3));
    Run(seconds(62));
    EXPECT_EQ(Unknown(), 1);
    EXPECT_EQ(Evicting(), 1);
    EXPECT_THAT(TaintsOf(NodeName(3)),
                testing::ElementsAre("unreachable:NoExecute", "unreachable:NoSchedule"));

    // The rest of its zone: a node every ten seconds.
    for (int i = 0; i < 10; ++i) Silence(NodeName(i));
    Run(seconds(62));
    EXPECT_EQ(Unknown(), 10);
    const int at_first = Evicting();
    EXPECT_GE(at_first, 2);
    EXPECT_LE(at_first, 3);
    Run(seconds(30));
    EXPECT_EQ(Evicting(), at_first + 3);
    Run(seconds(100));
    EXPECT_EQ(Evicting(), 10);

    // And all the others: then it is likelier that nodes cannot be heard, and none is evicted from.
    for (int i = 10; i < 20; ++i) Silence(NodeName(i));
    Run(seconds(65));
    EXPECT_EQ(Unknown(), 20);
    EXPECT_EQ(Evicting(), 0);
    Run(seconds(300));
    EXPECT_EQ(Evicting(), 0);

    // They are back: nothing has happened to their pods.
    for (int i = 0; i < 20; ++i) Wake(NodeName(i));
    Run(seconds(60));
    EXPECT_EQ(Unknown(), 0);
    for (int i = 0; i < 20; ++i) EXPECT_THAT(TaintsOf(NodeName(i)), IsEmpty());
  });
}

TEST_F(NodeLifecycleTest, WhereMuchOfASmallZoneIsLostNobodyIsEvicted) {
  PlayIt([&] {
    CreateNodes(0, 5);
    Run(seconds(20));
    for (int i = 0; i < 3; ++i) Silence(NodeName(i));
    Run(seconds(300));
    EXPECT_EQ(Unknown(), 3);
    EXPECT_EQ(Evicting(), 0);
    // One is back, and the zone is well enough.
    Wake(NodeName(0));
    Run(seconds(60));
    EXPECT_EQ(Evicting(), 2);
  });
}

TEST_F(NodeLifecycleTest, WhereMuchOfALargeZoneIsLostNodesAreEvictedFromSlowly) {
  PlayIt({.zones = {.rate = 1, .secondary_rate = 0.1F, .large = 4}}, [&] {
    CreateNodes(0, 5);
    Run(seconds(20));
    for (int i = 0; i < 4; ++i) Silence(NodeName(i));
    Run(seconds(62));
    EXPECT_EQ(Unknown(), 4);
    EXPECT_EQ(Evicting(), 1);
    Run(seconds(10));
    EXPECT_EQ(Evicting(), 2);
    Run(seconds(20));
    EXPECT_EQ(Evicting(), 4);
  });
}

TEST_F(NodeLifecycleTest, ANodeThatDoesNotCountIsEvictedFromAllTheSame) {
  PlayIt([&] {
    CreateNodes(0, 3);
    Change(NodeName(0),
           [](Node& node) { node.metadata.labels["node.kubernetes.io/exclude-disruption"] = ""; });
    Run(seconds(20));
    for (int i = 1; i < 3; ++i) Silence(NodeName(i));
    // All that count are lost, so that nothing is done.
    Run(seconds(100));
    EXPECT_EQ(Unknown(), 2);
    EXPECT_EQ(Evicting(), 0);
    Wake(NodeName(1));
    Silence(NodeName(0));
    Run(seconds(100));
    EXPECT_EQ(Evicting(), 2);
  });
}

TEST_F(NodeLifecycleTest, WhenAllAreLostNothingIsDoneWhoeverStarts) {
  for (int i = 0; i < 3; ++i) {
    CreateNode(NodeName(i));
    Report(NodeName(i), "Unknown");
    Silence(NodeName(i));
  }
  Change(NodeName(1),
         [](Node& node) { node.spec.taints.push_back(MakeTaint(kUnreachableTaint, "NoExecute")); });
  PlayIt([&] {
    Run(seconds(200));
    EXPECT_EQ(Evicting(), 0);
    EXPECT_EQ(Unknown(), 3);
  });
}

}  // namespace
}  // namespace flyball::controllers::node_lifecycle
