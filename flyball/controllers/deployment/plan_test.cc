#include "flyball/controllers/deployment/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "flyball/controllers/deployment/conditions.h"
#include "flyball/controllers/deployment/internal/deployment_fake.h"
#include "flyball/controllers/deployment/new_replica_set.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::DeploymentCondition;
using apps::v1::DeploymentStatus;
using apps::v1::ReplicaSet;
using runtime::EventType;
using std::chrono::seconds;
using Change = std::function<void(Deployment&)>;

const DeploymentCondition kAvailableTrue = MakeCondition(
    kAvailable, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", kNow);
const DeploymentCondition kAvailableFalse =
    MakeCondition(kAvailable, "False", "MinimumReplicasUnavailable",
                  "Deployment does not have minimum availability.", kNow);

Plan Planned(const Deployment& deployment, std::vector<SetRef> sets,
             std::set<std::string, std::less<>> sets_with_pods = {}) {
  const auto plan = PlanFor({.deployment = deployment,
                             .sets = std::move(sets),
                             .sets_with_pods = std::move(sets_with_pods),
                             .now = kNow});
  if (plan) return *plan;
  ADD_FAILURE() << plan.error().Describe();
  return {};
}

/// A deployment of 10 that has rolled out web:new as its revision 2 a while ago.
Deployment Settled(const Change& change = {}) {
  return FakeDeployment(10, [&](Deployment& its) {
    its.metadata.annotations[kRevision] = "2";
    its.status.observedGeneration = 7;
    its.status.replicas = its.status.updatedReplicas = 10;
    its.status.readyReplicas = its.status.availableReplicas = 10;
    its.status.terminatingReplicas = 0;
    its.status.conditions = {kAvailableTrue,
                             MakeCondition(kProgressing, "True", kSetAvailable, "", kNow)};
    if (change) change(its);
  });
}
SetRef SettledSet() {
  return FakeSet("new", {.size = 10, .available = 10, .revision = 2, .desired = 10, .most = 13});
}
SetRef OldSet(std::int32_t size = 0) {
  return FakeSet(
      "old",
      {.size = size, .available = size, .age = 200, .revision = 1, .desired = 10, .most = 13});
}
/// With another size, and what was noted of that.
ReplicaSet Resized(const SetRef& set, std::int32_t size, const std::string& desired = "10",
                   const std::string& most = "13") {
  ReplicaSet resized = *set;
  resized.spec.replicas = size;
  resized.metadata.annotations[kDesiredReplicas] = desired;
  resized.metadata.annotations[kMaxReplicas] = most;
  return resized;
}

TEST(DeploymentPlan, LeavesADeploymentThatIsAsItShouldBe) {
  EXPECT_EQ(Planned(Settled(), {SettledSet(), OldSet()}), Plan());
  EXPECT_EQ(Plan().ToString(), "leave it");
}

TEST(DeploymentPlan, CreatesTheFirstSetWithAllPodsAndSaysSoInTheStatus) {
  const Deployment deployment = FakeDeployment(10);
  const ReplicaSet set = MakeReplicaSet({.deployment = deployment}, 1);
  const std::string& name = set.metadata.name;
  Plan expected;
  expected.create = {.set = set,
                     .events = {{EventType::kNormal, "ScalingReplicaSet",
                                 "Scaled up replica set " + name + " from 0 to 10"}}};
  expected.status = deployment;
  expected.status->metadata.annotations[kRevision] = "1";
  expected.status->status.observedGeneration = 7;
  expected.status->status.unavailableReplicas = 10;
  expected.status->status.terminatingReplicas = 0;
  expected.status->status.conditions = {
      MakeCondition(kProgressing, "True", kSetCreated, "Created new replica set \"" + name + "\"",
                    kNow),
      kAvailableFalse};
  EXPECT_EQ(Planned(deployment, {}), expected);
  EXPECT_EQ(expected.ToString(), "create " + name + " with 10 pods; write the status");
}

TEST(DeploymentPlan, ASetWithoutPodsIsCreatedWithoutAnEvent) {
  const Plan plan = Planned(FakeDeployment(0), {});
  EXPECT_TRUE(plan.create);
  EXPECT_TRUE(plan.create->events.empty());
}

TEST(DeploymentPlan, ANewTemplateMakesANewSetAndRoomForIt) {
  const Deployment deployment =
      Settled([](Deployment& its) { its.spec.template_ = FakeTemplate("web:newer"); });
  const ReplicaSet created =
      MakeReplicaSet({.deployment = deployment, .old = {OldSet(), SettledSet()}}, 3);
  Plan expected;
  expected.create = {
      .set = created,
      .events = {{EventType::kNormal, "ScalingReplicaSet",
                  "Scaled up replica set " + created.metadata.name + " from 0 to 3"}}};
  expected.updates = {{.set = Resized(SettledSet(), 8),
                       .events = {{EventType::kNormal, "ScalingReplicaSet",
                                   "Scaled down replica set new from 10 to 8"}}}};
  expected.status = deployment;
  expected.status->metadata.annotations[kRevision] = "3";
  expected.status->status.updatedReplicas = 0;
  // By the sizes that the sets had.
  expected.status->status.unavailableReplicas = 3;
  expected.status->status.conditions = {
      kAvailableTrue,
      MakeCondition(kProgressing, "True", kSetCreated,
                    "Created new replica set \"" + created.metadata.name + "\"", kNow)};
  EXPECT_EQ(Planned(deployment, {OldSet(), SettledSet()}), expected);
}

TEST(DeploymentPlan, ARevisionAfterTheHighestThereIsWrapsOnTheDeploymentAndStaysOffTheReplicaSet) {
  const Deployment deployment =
      Settled([](Deployment& its) { its.spec.template_ = FakeTemplate("web:newer"); });
  const SetRef highest = FakeSet("new", {.size = 10, .available = 10}, [](ReplicaSet& set) {
    set.metadata.annotations[kRevision] = "9223372036854775807";
  });
  const Plan plan = Planned(deployment, {highest});
  ASSERT_TRUE(plan.create);
  EXPECT_EQ(plan.create->set.metadata.annotations,
            (api::Map<std::string>{{std::string(kDesiredReplicas), "10"},
                                   {std::string(kMaxReplicas), "13"}}));
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(*plan.status->metadata.annotations.find(kRevision), "-9223372036854775808");
}

TEST(DeploymentPlan, ASetThatComesTwiceIsWrittenOnceAndSaidTwice) {
  const Deployment deployment = FakeDeployment(10, api::IntOrString(0), api::IntOrString(2));
  const SetRef old = FakeSet("old", {.size = 9, .available = 7, .age = 200, .revision = 1});
  const Plan plan =
      Planned(deployment, {old, FakeSet("new", {.size = 2, .available = 2, .revision = 2})});
  ASSERT_EQ(plan.updates.size(), 1U);
  EXPECT_EQ(plan.updates[0],
            (Plan::SetWrite{.set = Resized(old, 6, "10", "10"),
                            .events = {{EventType::kNormal, "ScalingReplicaSet",
                                        "Scaled down replica set old from 9 to 7"},
                                       {EventType::kNormal, "ScalingReplicaSet",
                                        "Scaled down replica set old from 7 to 6"}}}));
}

TEST(DeploymentPlan, ASetThatWasThereBeforeIsFoundAndGetsARevision) {
  const Deployment deployment = FakeDeployment(10);
  const SetRef adopted = FakeSet("new", {.size = 10, .available = 10});
  Plan expected;
  ReplicaSet annotated = *adopted;
  annotated.metadata.annotations[kRevision] = "2";
  expected.updates = {{.set = annotated}};
  const Plan plan = Planned(deployment, {OldSet(), adopted});
  EXPECT_EQ(plan.updates, expected.updates);
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(*plan.status->metadata.annotations.find(kRevision), "2");
  EXPECT_EQ(plan.status->status.conditions,
            (std::vector{kAvailableTrue,
                         MakeCondition(kProgressing, "True", kSetAvailable,
                                       R"(ReplicaSet "new" has successfully progressed.)", kNow)}));
  EXPECT_EQ(plan.ToString(), "annotate new; write the status");
  // Before it is complete that it was found is what is known.
  const Plan growing = Planned(deployment, {FakeSet("new", {.size = 10, .revision = 1},
                                                    [](auto& set) { set.status.replicas = 0; })});
  EXPECT_EQ(growing.status->status.conditions[0],
            MakeCondition(kProgressing, "True", kSetFound, R"(Found new replica set "new")", kNow));
}

TEST(DeploymentPlan, ASetThatNobodyHasSpokenOfYetIsTheOneThatHasProgressed) {
  // Its maker was killed before it could write the status: that tells of the set before.
  const Deployment deployment = Settled([](Deployment& its) {
    its.metadata.annotations[kRevision] = "1";
    its.status.conditions.back().message = R"(ReplicaSet "old" has successfully progressed.)";
  });
  const Plan plan = Planned(deployment, {OldSet(), SettledSet()});
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(*plan.status->metadata.annotations.find(kRevision), "2");
  EXPECT_EQ(plan.status->status.conditions.back().message,
            R"(ReplicaSet "new" has successfully progressed.)");
}

TEST(DeploymentPlan, GoingBackToAnOldTemplateMakesItsSetTheCurrentOneAgain) {
  const Deployment deployment =
      Settled([](Deployment& its) { its.spec.template_ = FakeTemplate("web:old"); });
  const Plan plan = Planned(deployment, {OldSet(), SettledSet()});
  ReplicaSet back = Resized(OldSet(), 3);
  back.metadata.annotations[kRevision] = "3";
  back.metadata.annotations[kRevisionHistory] = "1";
  ASSERT_EQ(plan.updates.size(), 1U);
  EXPECT_EQ(plan.updates[0],
            (Plan::SetWrite{.set = back,
                            .events = {{EventType::kNormal, "ScalingReplicaSet",
                                        "Scaled up replica set old from 0 to 3"}}}));
  EXPECT_EQ(*plan.status->metadata.annotations.find(kRevision), "3");
  EXPECT_FALSE(plan.create);
}

TEST(DeploymentPlan, AnotherMinReadySecondsGoesToTheCurrentSet) {
  const Deployment deployment = Settled([](Deployment& its) { its.spec.minReadySeconds = 30; });
  ReplicaSet changed = *SettledSet();
  changed.spec.minReadySeconds = 30;
  EXPECT_EQ(Planned(deployment, {SettledSet()}), Plan{.updates = {{.set = changed}}});
}

TEST(DeploymentPlan, AnotherSizeIsSharedOutAndTheRolloutWaits) {
  const Deployment deployment = Settled([](Deployment& its) {
    its.metadata.annotations[kRevision] = "3";
    its.spec.replicas = 20;
    its.spec.template_ = FakeTemplate("web:newer");
  });
  const SetRef newer = FakeSet(
      "newer", {.size = 3, .available = 3, .age = 1, .revision = 3, .desired = 10, .most = 13});
  const Plan plan = Planned(deployment, {SettledSet(), newer});
  EXPECT_EQ(plan.ToString(), "resize new to 18; resize newer to 5; write the status");
  EXPECT_EQ(plan.updates[0],
            (Plan::SetWrite{.set = Resized(SettledSet(), 18, "20", "23"),
                            .events = {{EventType::kNormal, "ScalingReplicaSet",
                                        "Scaled up replica set new from 10 to 18"}}}));
  // No progress is made out of it.
  EXPECT_EQ(FindCondition(plan.status->status, kProgressing)->reason, kSetAvailable);
}

TEST(DeploymentPlan, WhatIsPausedMakesNoSetButKeepsItsSizeAndItsHistory) {
  const Deployment deployment = Settled([](Deployment& its) {
    its.spec.paused = true;
    its.spec.revisionHistoryLimit = 0;
    its.spec.template_ = FakeTemplate("web:newer");
  });
  const Plan plan = Planned(deployment, {OldSet(), FakeSet("new", {.size = 9, .revision = 2})});
  EXPECT_EQ(plan.ToString(), "resize new to 10; delete old; write the status");
  EXPECT_EQ(plan.deletions, std::vector{*OldSet()});
  EXPECT_EQ(*FindCondition(plan.status->status, kProgressing),
            MakeCondition(kProgressing, "Unknown", kPaused, "Deployment is paused", kNow));
  Deployment rolls_back = deployment;
  rolls_back.metadata.annotations[kRollBackTo] = "1";
  EXPECT_TRUE(Planned(rolls_back, {OldSet(), SettledSet()}).deletions.empty());
}

TEST(DeploymentPlan, WhatIsResumedGoesOnAndSaysSo) {
  const Deployment deployment = Settled([](Deployment& its) {
    its.spec.template_ = FakeTemplate("web:newer");
    its.status.conditions = {MakeCondition(kProgressing, "Unknown", kPaused, "", kNow)};
  });
  const SetRef newer =
      FakeSet("newer", {.size = 0, .age = 1, .revision = 3, .desired = 10, .most = 13});
  const Plan plan = Planned(deployment, {SettledSet(), newer});
  EXPECT_EQ(plan.ToString(), "resize newer to 3; write the status");
  EXPECT_EQ(*FindCondition(plan.status->status, kProgressing),
            MakeCondition(kProgressing, "Unknown", kResumed, "Deployment is resumed", kNow));
}

TEST(DeploymentPlan, WhatIsBeingDeletedIsOnlyReportedOn) {
  const Deployment deployment = Settled([](Deployment& its) {
    its.metadata.deletionTimestamp = api::Time(kNow);
    its.spec.replicas = 20;
    its.spec.paused = true;
  });
  EXPECT_EQ(Planned(deployment, {SettledSet(), OldSet(3)}).ToString(), "write the status");
  EXPECT_EQ(Planned(deployment, {}).ToString(), "write the status");
}

TEST(DeploymentPlan, OldSetsExpireWhenARolloutIsComplete) {
  const Change none_kept = [](Deployment& its) { its.spec.revisionHistoryLimit = 0; };
  EXPECT_EQ(Planned(Settled(none_kept), {SettledSet(), OldSet()}), Plan{.deletions = {*OldSet()}});
  // Complete is what has been written down, not what is about to be.
  EXPECT_EQ(Planned(Settled([&](Deployment& its) {
                      none_kept(its);
                      its.status.availableReplicas = 9;
                    }),
                    {SettledSet(), OldSet()})
                .ToString(),
            "write the status");
}

TEST(DeploymentPlan, ARolloutThatStandsStillIsCheckedAtItsDeadline) {
  const DeploymentCondition progressing =
      MakeCondition(kProgressing, "True", kSetUpdated, "", kNow - seconds(100));
  const Deployment deployment = Settled([&](Deployment& its) {
    its.status.conditions[1] = progressing;
    its.status.readyReplicas = its.status.availableReplicas = 8;
    its.status.unavailableReplicas = 2;
  });
  const SetRef set =
      FakeSet("new", {.size = 10, .available = 8, .revision = 2, .desired = 10, .most = 13});
  const Plan expected{.check_after = seconds(501)};
  EXPECT_EQ(Planned(deployment, {set}), expected);
  EXPECT_EQ(expected.ToString(), "check again after 501 s");
}

TEST(DeploymentPlan, RollsBackWhereTheOldAnnotationAsksForIt) {
  const Deployment deployment =
      Settled([](Deployment& its) { its.metadata.annotations[kRollBackTo] = "1"; });
  Plan expected;
  expected.roll_back = RollBack{.deployment = Settled(),
                                .event = {EventType::kNormal, "DeploymentRollback",
                                          R"(Rolled back deployment "web" to revision 1)"}};
  expected.roll_back->deployment.spec.template_ = FakeTemplate("web:old");
  EXPECT_EQ(Planned(deployment, {OldSet(), SettledSet()}), expected);
  EXPECT_EQ(expected.ToString(), "roll back");
}

TEST(DeploymentPlan, ARollBackComesAfterTheSetOfTheTemplateThatItLeaves) {
  const Deployment deployment = Settled([](Deployment& its) {
    its.metadata.annotations[kRollBackTo] = "0";
    its.spec.template_ = FakeTemplate("web:newer");
  });
  const Plan plan = Planned(deployment, {OldSet(), SettledSet()});
  ASSERT_TRUE(plan.create && plan.status && plan.roll_back);
  EXPECT_TRUE(plan.updates.empty());
  EXPECT_EQ(*plan.status->metadata.annotations.find(kRevision), "3");
  EXPECT_EQ(FindCondition(plan.status->status, kProgressing)->reason, kSetCreated);
  EXPECT_EQ(*plan.roll_back->deployment.metadata.annotations.find(kRevision), "3");
  EXPECT_EQ(plan.roll_back->deployment.spec.template_, FakeTemplate("web:new"));
}

TEST(DeploymentPlan, ADeploymentThatSelectsEverythingIsRefused) {
  Deployment deployment = FakeDeployment(10, [](Deployment& its) {
    its.spec.selector->matchLabels.clear();
    its.status.observedGeneration = 6;
  });
  Plan expected;
  expected.events = {{EventType::kWarning, "SelectingAll",
                      "This deployment is selecting all pods. A non-empty selector is required."}};
  expected.status = deployment;
  expected.status->status.observedGeneration = 7;
  EXPECT_EQ(Planned(deployment, {}), expected);
  EXPECT_EQ(expected.ToString(), "say SelectingAll; write the status");
  deployment.status.observedGeneration = 7;
  expected.status.reset();
  EXPECT_EQ(Planned(deployment, {}), expected);
}

TEST(DeploymentPlan, AStrategyThatThereIsNotIsAnError) {
  const Deployment deployment =
      FakeDeployment(10, [](Deployment& its) { its.spec.strategy.type = "Sideways"; });
  const auto plan = PlanFor({.deployment = deployment, .sets = {}, .now = kNow});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error(),
            Error(ErrorCode::kInvalid, "unexpected deployment strategy type: Sideways"));
}

class RecreatePlanTest : public testing::Test {
 protected:
  const Deployment deployment_ = Settled([](Deployment& its) {
    its.spec.strategy.type = kRecreate;
    its.spec.strategy.rollingUpdate.reset();
    its.spec.template_ = FakeTemplate("web:newer");
  });
  static SetRef Gone(std::int32_t pods) {
    return FakeSet("new", {.revision = 2}, [pods](ReplicaSet& set) { set.status.replicas = pods; });
  }
};

TEST_F(RecreatePlanTest, AllOldSetsGoFirst) {
  const Plan plan = Planned(deployment_, {SettledSet(), OldSet(2)}, {"new-uid", "old-uid"});
  EXPECT_EQ(plan.ToString(), "resize old to 0; resize new to 0; write the status");
  EXPECT_EQ(plan.updates[0],
            (Plan::SetWrite{.set = Resized(OldSet(2), 0, "10", "10"),
                            .events = {{EventType::kNormal, "ScalingReplicaSet",
                                        "Scaled down replica set old from 2 to 0"}}}));
}

TEST_F(RecreatePlanTest, WaitsUntilTheirPodsHaveGone) {
  EXPECT_EQ(Planned(deployment_, {Gone(1)}).ToString(), "write the status");
  EXPECT_EQ(Planned(deployment_, {Gone(0)}, {"new-uid"}).ToString(), "write the status");
}

TEST_F(RecreatePlanTest, ThenTheNewOneComesWithAllPods) {
  const Plan plan = Planned(deployment_, {Gone(0)});
  ASSERT_TRUE(plan.create);
  EXPECT_EQ(plan.create->set.spec.replicas, 10);
  EXPECT_EQ(plan.create->set.metadata.annotations,
            (api::Map<std::string>{{std::string(kDesiredReplicas), "10"},
                                   {std::string(kMaxReplicas), "10"},
                                   {std::string(kRevision), "3"}}));
}

TEST_F(RecreatePlanTest, ASetThatIsThereGrowsAtOnceThoughItHasPods) {
  const SetRef newer = FakeSet("newer", {.size = 4, .age = 1, .revision = 3});
  EXPECT_EQ(Planned(deployment_, {Gone(0), newer}, {"newer-uid"}).ToString(),
            "resize newer to 10; write the status");
  const SetRef grown = FakeSet(
      "newer", {.size = 10, .available = 10, .age = 1, .revision = 3, .desired = 10, .most = 10});
  EXPECT_EQ(Planned(deployment_, {Gone(0), grown}, {"newer-uid"}).updates.size(), 0U);
}

}  // namespace
}  // namespace flyball::controllers::deployment
