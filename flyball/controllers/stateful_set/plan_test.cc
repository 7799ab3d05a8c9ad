#include "flyball/controllers/stateful_set/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/stateful_set/internal/stateful_set_fake.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using testing::ElementsAre;
using testing::IsEmpty;

Plan Decide(const StatefulSet& set, const std::vector<PodRef>& pods, const Gates& gates = {}) {
  const ReplicaSlots replica_slots = ReplicaSlotsOf(set, pods);
  const FindClaim find = Claims().Find();
  return PlanFor({.set = set, .replica_slots = replica_slots, .find_claim = find, .now = kNow},
                 {.current = "old", .update = "new"}, gates);
}

StatefulSet OnDelete(std::int32_t replicas) {
  StatefulSet set = Db(replicas);
  set.spec.updateStrategy.type = "OnDelete";
  set.spec.updateStrategy.rollingUpdate.reset();
  return set;
}
StatefulSet Recreating(std::int32_t replicas) {
  StatefulSet set = OnDelete(replicas);
  set.spec.updateStrategy.type = "Recreate";
  return set;
}

TEST(StatefulSetPlan, NothingIsDoneForASetThatGoes) {
  StatefulSet set = Db(3);
  set.metadata.deletionTimestamp = api::Time(kNow);
  const Plan plan = Decide(set, {PodAt(set, 0, kFailed), PodAt(set, 7)});
  EXPECT_FALSE(plan.Acts());
  EXPECT_EQ(plan.ToString(), "");
}

TEST(StatefulSetPlan, PodsAreUpdatedWhenAllThatAreAskedForAreThere) {
  const StatefulSet set = Db(2);
  EXPECT_EQ(Decide(set, {PodAt(set, 0, Old()), PodAt(set, 1, Old())}).ToString(),
            "delete, for the update, db-1");
  EXPECT_EQ(Decide(set, {PodAt(set, 0, Old())}).ToString(),
            "create pod 1; wait for db-1 to come up");
  EXPECT_EQ(
      Decide(set, {PodAt(set, 0, Old()), PodAt(set, 1, Old()), PodAt(set, 2, Old())}).ToString(),
      "delete, since nobody asks for it, db-2; wait for db-2 to end");
}

TEST(StatefulSetPlan, InParallelAllHappensAtOnce) {
  StatefulSet set = Parallel(Db(3));
  set.spec.updateStrategy.rollingUpdate->maxUnavailable = api::IntOrString(2);
  EXPECT_EQ(
      Decide(set, {PodAt(set, 0, Old()), PodAt(set, 1, Old()), PodAt(set, 3, Old())}).ToString(),
      "create pod 2; delete, since nobody asks for it, db-3; delete, for the update, db-1");
}

TEST(StatefulSetPlan, PodsThatAreUpdatedOnDeletionStayUntilSomebodyDeletesThem) {
  const StatefulSet set = OnDelete(2);
  const Plan plan = Decide(set, {PodAt(set, 0, Old()), PodAt(set, 1, Old())});
  EXPECT_FALSE(plan.Acts());
  EXPECT_EQ(plan.unavailable, std::nullopt);
}

TEST(StatefulSetPlan, TheUnavailableAreCountedWhereTheSetIsUpdated) {
  const StatefulSet set = Parallel(Db(3));
  EXPECT_EQ(Decide(set, {PodAt(set, 0), PodAt(set, 1, kNotReady)}).unavailable, 2);
}

TEST(StatefulSetPlan, WhatCannotBeReadIsAnErrorAfterAllElse) {
  StatefulSet set = Db(1);
  set.spec.updateStrategy.rollingUpdate->maxUnavailable = api::IntOrString("many");
  EXPECT_EQ(Decide(set, {}).failure, std::nullopt);
  EXPECT_TRUE(Decide(set, {PodAt(set, 0)}).failure.has_value());
}

TEST(StatefulSetPlan, WithoutTheGateMaxUnavailableIsNotLookedAt) {
  StatefulSet set = Db(2);
  set.spec.updateStrategy.rollingUpdate->maxUnavailable = api::IntOrString(2);
  const Plan plan =
      Decide(set, {PodAt(set, 0, Old()), PodAt(set, 1, Old())}, {.max_unavailable = false});
  EXPECT_THAT(NamesOf(plan.outdated), ElementsAre("db-1"));
  EXPECT_EQ(plan.unavailable, std::nullopt);
}

TEST(StatefulSetPlan, ASetThatRecreatesHasAllOldPodsGoBeforeNewOnesCome) {
  const Gates gates{.recreate = true};
  const StatefulSet set = Recreating(3);
  EXPECT_TRUE(HasUnknownStrategy(set, {}));
  EXPECT_FALSE(HasUnknownStrategy(set, gates));
  EXPECT_FALSE(HasUnknownStrategy(Db(3), {}));

  Plan plan =
      Decide(set, {PodAt(set, 0, Old()), PodAt(set, 1, Old(kGoing)), PodAt(set, 5, Old())}, gates);
  EXPECT_EQ(plan.ToString(), "delete, to recreate it, db-0; delete, to recreate it, db-5");
  EXPECT_EQ(plan.progress, Progress{.message = "Deleting old revision pods"});

  plan = Decide(set, {PodAt(set, 1, Old(kGoing))}, gates);
  EXPECT_FALSE(plan.Acts());
  EXPECT_EQ(plan.progress, Progress{.message = "Deleting old revision pods"});

  plan = Decide(set, {PodAt(set, 0)}, gates);
  EXPECT_EQ(plan.ToString(), "create pod 1; wait for db-1 to come up");
  EXPECT_EQ(plan.progress, Progress{.message = "Waiting for new-revision pods to be created"});
}

}  // namespace
}  // namespace flyball::controllers::stateful_set
