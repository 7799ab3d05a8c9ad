#include "flyball/controllers/stateful_set/update_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/stateful_set/internal/stateful_set_fake.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using testing::ElementsAre;
using testing::IsEmpty;

StatefulSet Rolling(StatefulSet set, std::int32_t partition, api::IntOrString most) {
  set.spec.updateStrategy.rollingUpdate->partition = partition;
  set.spec.updateStrategy.rollingUpdate->maxUnavailable = std::move(most);
  return set;
}
StatefulSet Rolling(StatefulSet set, std::int32_t partition, std::int32_t most) {
  return Rolling(std::move(set), partition, api::IntOrString(most));
}

/// A pod for each, from ordinal 0.
std::vector<PodRef> PodsOf(const StatefulSet& set, const std::vector<Fares>& fares) {
  std::vector<PodRef> pods;
  for (const Fares& each : fares) {
    pods.push_back(PodAt(set, RangeOf(set).start + static_cast<std::int64_t>(pods.size()), each));
  }
  return pods;
}

UpdatePlan DecideUpdate(const StatefulSet& set, const std::vector<PodRef>& pods) {
  return PlanUpdate(set, ReplicaSlotsOf(set, pods), "new", kNow).value();
}

TEST(StatefulSetUpdate, PodsMakeWayFromTheHighestOrdinalDown) {
  struct Case {
    std::vector<Fares> pods;
    std::vector<std::string> outdated;
  };
  const std::vector<Case> cases = {
      {{{}, {}, {}}, {}},
      {{Old(), Old(), Old()}, {"db-2"}},
      {{Old(), Old(), {}}, {"db-1"}},
      {{Old(), {}, Old()}, {"db-2"}},
      // Not while another is not available.
      {{Old(), Old(), kNotReady}, {}},
      {{Old(), Old(), kGoing}, {}},
      {{Old(kNotReady), Old(), Old()}, {}},
  };
  const StatefulSet set = Db(3);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(NamesOf(DecideUpdate(set, PodsOf(set, cases[i].pods)).outdated), cases[i].outdated)
        << i;
  }
}

TEST(StatefulSetUpdate, ThoseBelowThePartitionStay) {
  StatefulSet set = Rolling(Db(3), 2, 3);
  const std::vector<Fares> old(3, Old());
  EXPECT_THAT(NamesOf(DecideUpdate(set, PodsOf(set, old)).outdated), ElementsAre("db-2"));
  set = Rolling(Db(3), 7, 3);
  EXPECT_THAT(NamesOf(DecideUpdate(set, PodsOf(set, old)).outdated), IsEmpty());
  // It counts from the first ordinal.
  set = Rolling(Db(3), 1, 3);
  set.spec.ordinals.emplace().start = 10;
  EXPECT_THAT(NamesOf(DecideUpdate(set, PodsOf(set, old)).outdated), ElementsAre("db-12", "db-11"));
}

TEST(StatefulSetUpdate, AsManyMakeWayAsMayBeUnavailable) {
  struct Case {
    api::IntOrString most;
    std::vector<Fares> pods;
    std::vector<std::string> outdated;
  };
  const std::vector<Fares> old(4, Old());
  const std::vector<Case> cases = {
      {api::IntOrString(2), old, {"db-3", "db-2"}},
      {api::IntOrString(9), old, {"db-3", "db-2", "db-1", "db-0"}},
      {api::IntOrString("50%"), old, {"db-3", "db-2"}},
      {api::IntOrString("10%"), old, {"db-3"}},  // at least one
      {api::IntOrString(2), {Old(), Old(), Old(), kNotReady}, {"db-2"}},
      {api::IntOrString(2), {Old(), Old(), kNotReady, kNotReady}, {}},
      {api::IntOrString(2), {Old(kNotReady), Old(), Old(), Old()}, {"db-3"}},
      // One of them may be unavailable already.
      {api::IntOrString(2), {Old(), Old(), Old(), Old(kNotReady)}, {"db-3"}},
      {api::IntOrString(2), {Old(), Old(), Old(), Old(kGoing)}, {"db-2"}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const StatefulSet set = Rolling(Db(4), 0, cases[i].most);
    EXPECT_EQ(NamesOf(DecideUpdate(set, PodsOf(set, cases[i].pods)).outdated), cases[i].outdated)
        << i;
  }
}

TEST(StatefulSetUpdate, InParallelThoseThatServeNobodyGoFirst) {
  struct Case {
    std::int32_t most;
    std::vector<Fares> pods;
    std::vector<std::string> outdated;
  };
  const std::vector<Case> cases = {
      {1, {Old(kNotReady), Old(), Old()}, {"db-0"}},
      {1, {Old(kNotReady), Old(kNotReady), Old()}, {"db-1", "db-0"}},
      {2, {Old(kNotReady), Old(), Old()}, {"db-0", "db-2"}},
      {2, {kNotReady, Old(), Old()}, {"db-2"}},
      {1, {kNotReady, Old(), Old()}, {}},
      {1, {Old(kGoing), Old(), Old()}, {}},
      {2, {Old(), Old(), Old()}, {"db-2", "db-1"}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const StatefulSet set = Rolling(Parallel(Db(3)), 0, cases[i].most);
    EXPECT_EQ(NamesOf(DecideUpdate(set, PodsOf(set, cases[i].pods)).outdated), cases[i].outdated)
        << i;
  }
}

TEST(StatefulSetUpdate, ThoseThatAreMissingAreUnavailable) {
  const StatefulSet set = Rolling(Parallel(Db(5)), 0, 3);
  const UpdatePlan plan = DecideUpdate(set, PodsOf(set, {Old(), Old(), kNotReady}));
  EXPECT_EQ(plan.unavailable, 3);
  EXPECT_THAT(plan.outdated, IsEmpty());
}

TEST(StatefulSetUpdate, ReadyIsNotEnoughIfItHasToBeForAWhile) {
  StatefulSet set = Db(2);
  set.spec.minReadySeconds = 10;
  Fares fresh;
  fresh.ready_for = std::chrono::seconds(9);
  EXPECT_THAT(DecideUpdate(set, PodsOf(set, {Old(), fresh})).outdated, IsEmpty());
  fresh.ready_for = std::chrono::seconds(10);
  EXPECT_THAT(NamesOf(DecideUpdate(set, PodsOf(set, {Old(), fresh})).outdated),
              ElementsAre("db-0"));
}

TEST(StatefulSetUpdate, WhatIsNeitherANumberNorAPercentageIsAnError) {
  const StatefulSet set = Rolling(Db(3), 0, api::IntOrString("many"));
  EXPECT_FALSE(MaxUnavailable(set));
  EXPECT_FALSE(PlanUpdate(set, ReplicaSlotsOf(set, PodsOf(set, {{}})), "new", kNow));
}

TEST(StatefulSetUpdate, OnePodMayBeUnavailableWhereNothingIsSaid) {
  EXPECT_EQ(MaxUnavailable(Db(3)), 1);
  StatefulSet on_delete = Db(3);
  on_delete.spec.updateStrategy.rollingUpdate.reset();
  EXPECT_EQ(MaxUnavailable(on_delete), 1);
}

TEST(StatefulSetUpdate, WithoutTheGateOneAtATimeMakesWay) {
  struct Case {
    std::vector<Fares> pods;
    std::vector<std::string> outdated;
  };
  const std::vector<Case> cases = {
      {{Old(), Old(), Old()}, {"db-2"}},
      {{Old(), Old(), {}}, {"db-1"}},
      {{Old(), Old(), kNotReady}, {}},
      {{Old(), Old(), kGoing}, {}},
      {{Old(kNotReady), Old(), Old()}, {"db-2"}},  // whatever those below are
      {{Old(), Old()}, {}},                        // the last one is missing
      {{{}, {}, {}}, {}},
  };
  const StatefulSet set = Rolling(Parallel(Db(3)), 0, 3);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ReplicaSlots replica_slots = ReplicaSlotsOf(set, PodsOf(set, cases[i].pods));
    EXPECT_EQ(NamesOf(PlanUpdateOneByOne(set, replica_slots, "new", kNow).outdated),
              cases[i].outdated)
        << i;
  }
}

TEST(StatefulSetUpdate, PodsBelowThePartitionAreMadeOfTheCurrentRevision) {
  StatefulSet set = Rolling(Db(3), 2, 1);
  EXPECT_TRUE(StaysAtCurrent(set, 1));
  EXPECT_FALSE(StaysAtCurrent(set, 2));
  set.spec.ordinals.emplace().start = 5;
  EXPECT_TRUE(StaysAtCurrent(set, 6));
  EXPECT_FALSE(StaysAtCurrent(set, 7));
  // Where nothing is said, as many as have it.
  set = Db(3);
  set.spec.updateStrategy.rollingUpdate.reset();
  set.status.currentReplicas = 1;
  EXPECT_TRUE(StaysAtCurrent(set, 0));
  EXPECT_FALSE(StaysAtCurrent(set, 1));
  set.spec.updateStrategy.type = kOnDelete;
  EXPECT_FALSE(StaysAtCurrent(set, 0));
}

}  // namespace
}  // namespace flyball::controllers::stateful_set
