#include "flyball/controllers/replica_set/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/replica_set/set_kind.h"

namespace flyball::controllers::replica_set {
namespace {

using testing::ElementsAre;

TEST(ReplicaSetPlan, MakesWhatIsMissingAndRemovesWhatIsTooMuch) {
  EXPECT_EQ(PlanFor(0, 0), Plan());
  EXPECT_EQ(PlanFor(3, 3), Plan());
  EXPECT_EQ(PlanFor(0, 3), Plan{.create = 3});
  EXPECT_EQ(PlanFor(2, 3), Plan{.create = 1});
  EXPECT_EQ(PlanFor(3, 2), Plan{.remove = 1});
  EXPECT_EQ(PlanFor(3, 0), Plan{.remove = 3});
}

TEST(ReplicaSetPlan, DoesNotDoMoreThanABurstAtOnce) {
  EXPECT_EQ(PlanFor(0, 500), Plan{.create = 500});
  EXPECT_EQ(PlanFor(0, 501), Plan{.create = 500});
  EXPECT_EQ(PlanFor(100, 2'000'000'000), Plan{.create = 500});
  EXPECT_EQ(PlanFor(1200, 700), Plan{.remove = 500});
  EXPECT_EQ(PlanFor(1200, 0), Plan{.remove = 500});
}

TEST(ReplicaSetPlan, CanBeRead) {
  EXPECT_EQ(PlanFor(1, 1).ToString(), "nothing");
  EXPECT_EQ(PlanFor(1, 3).ToString(), "create 2");
  EXPECT_EQ(PlanFor(3, 2).ToString(), "delete 1");
}

TEST(SetKind, AReplicaSetSelectsByItsMessage) {
  apps::v1::ReplicaSet set;
  EXPECT_EQ(ReplicasOf(set), 1);
  EXPECT_TRUE(SelectorOf(set)->SelectsNothing());
  set.spec.replicas = 4;
  set.spec.selector.emplace();
  EXPECT_EQ(ReplicasOf(set), 4);
  EXPECT_TRUE(SelectorOf(set)->SelectsEverything());
  set.spec.selector->matchLabels["app"] = "web";
  EXPECT_EQ(SelectorOf(set)->ToString(), "app=web");
  set.spec.selector->matchExpressions.emplace_back().operator_ = "Near";
  EXPECT_FALSE(SelectorOf(set));
}

TEST(SetKind, AReplicationControllerSelectsByLabelsAndWithoutThemNothing) {
  core::v1::ReplicationController set;
  EXPECT_TRUE(SelectorOf(set)->SelectsNothing());
  EXPECT_EQ(TemplateOf(set), core::v1::PodTemplateSpec());
  set.spec.selector = {{"app", "web"}, {"tier", "front"}};
  EXPECT_EQ(SelectorOf(set)->ToString(), "app=web,tier=front");
  set.spec.template_.emplace().metadata.labels["app"] = "web";
  EXPECT_EQ(TemplateOf(set).metadata.labels, (api::Map<std::string>{{"app", "web"}}));
}

}  // namespace
}  // namespace flyball::controllers::replica_set
