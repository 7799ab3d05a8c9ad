#include "flyball/controllers/stateful_set/order_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "flyball/controllers/stateful_set/internal/stateful_set_fake.h"
#include "flyball/controllers/stateful_set/plan.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using testing::ElementsAre;
using testing::IsEmpty;

OrderPlan DecideOrder(const StatefulSet& set, const std::vector<PodRef>& pods,
                      const Claims& claims = {}) {
  const ReplicaSlots replica_slots = ReplicaSlotsOf(set, pods);
  const FindClaim find = claims.Find();
  return PlanOrder({.set = set, .replica_slots = replica_slots, .find_claim = find, .now = kNow});
}

/// In words, as people are shown it.
std::string Words(const StatefulSet& set, const std::vector<PodRef>& pods,
                  const Claims& claims = {}) {
  return Plan{.order = DecideOrder(set, pods, claims)}.ToString();
}

std::vector<std::int64_t> OrdinalsIn(const ReplicaSlots& replica_slots, bool present) {
  std::vector<std::int64_t> ordinals;
  for (const Slot& slot : replica_slots.replicas) {
    if ((slot.pod != nullptr) == present) ordinals.push_back(slot.ordinal);
  }
  return ordinals;
}

TEST(StatefulSetRoster, PodsAreInTheirPlacesAndOthersCondemned) {
  StatefulSet set = Db(3);
  set.spec.ordinals.emplace().start = 1;
  core::v1::Pod nameless = PodValue(set, 2);
  nameless.metadata.name = "db-99999999999";
  const ReplicaSlots replica_slots =
      ReplicaSlotsOf(set, std::vector<PodRef>{PodAt(set, 4), PodAt(set, 3), PodAt(set, 0),
                                              PodAt(set, 7), PodAt(set, 1), ViewOf(nameless)});
  EXPECT_THAT(OrdinalsIn(replica_slots, true), ElementsAre(1, 3));
  EXPECT_THAT(OrdinalsIn(replica_slots, false), ElementsAre(2));
  EXPECT_EQ(replica_slots.missing, 1);
  EXPECT_THAT(NamesOf(replica_slots.condemned), ElementsAre("db-7", "db-4", "db-0"));
  EXPECT_THAT(NamesOf(replica_slots.Pods()), ElementsAre("db-1", "db-3", "db-7", "db-4", "db-0"));
}

TEST(StatefulSetRoster, OfTwoWithOneOrdinalTheOneThatIsCalledRightHasThePlace) {
  const StatefulSet set = Db(1);
  core::v1::Pod other = PodValue(set, 0);
  other.metadata.name = "db-00";
  for (const auto& pods :
       {std::vector{PodAt(set, 0), ViewOf(other)}, std::vector{ViewOf(other), PodAt(set, 0)}}) {
    EXPECT_THAT(NamesOf(ReplicaSlotsOf(set, pods).Pods()), ElementsAre("db-0"));
  }
  EXPECT_THAT(NamesOf(ReplicaSlotsOf(set, std::vector{ViewOf(other)}).Pods()),
              ElementsAre("db-00"));
}

TEST(StatefulSetRoster, WhoAsksForTooManyPodsCostsNoMemory) {
  const StatefulSet set = Db(std::numeric_limits<std::int32_t>::max());
  const ReplicaSlots replica_slots =
      ReplicaSlotsOf(set, std::vector{PodAt(set, 1), PodAt(set, 5000)});
  EXPECT_EQ(replica_slots.replicas.size(), kMostMissing + 2);
  EXPECT_EQ(replica_slots.replicas.front().ordinal, 0);
  EXPECT_EQ(replica_slots.replicas.back().ordinal, 5000);
  EXPECT_EQ(replica_slots.missing, std::numeric_limits<std::int32_t>::max() - 2);
}

TEST(StatefulSetOrder, PodsAreMadeOneAfterTheOtherWhenThoseBeforeAreAvailable) {
  const StatefulSet set = Db(3);
  struct Case {
    std::vector<PodRef> pods;
    std::string plan;
  };
  const std::vector<Case> cases = {
      {{}, "create pod 0; wait for db-0 to come up"},
      {{PodAt(set, 0)}, "create pod 1; wait for db-1 to come up"},
      {{PodAt(set, 0, kPending)}, "wait for db-0 to be ready"},
      {{PodAt(set, 0, kNotReady)}, "wait for db-0 to be ready"},
      {{PodAt(set, 0, kGoing)}, "wait for db-0 to end"},
      {{PodAt(set, 0, {.phase = "Pending"})}, "wait for db-0 to be ready"},
      {{PodAt(set, 1), PodAt(set, 2)}, "create pod 0; wait for db-0 to come up"},
      {{PodAt(set, 0), PodAt(set, 2)}, "create pod 1; wait for db-1 to come up"},
      {{PodAt(set, 0, kNotReady), PodAt(set, 2)}, "wait for db-0 to be ready"},
      {{PodAt(set, 0), PodAt(set, 1), PodAt(set, 2)}, ""},
      {{PodAt(set, 0), PodAt(set, 1), PodAt(set, 2, kNotReady)}, "wait for db-2 to be ready"},
  };
  for (const Case& each : cases) EXPECT_EQ(Words(set, each.pods), each.plan);
}

TEST(StatefulSetOrder, APodIsMadeWhenThoseBeforeHaveBeenReadyForLongEnough) {
  StatefulSet set = Db(2);
  set.spec.minReadySeconds = 10;
  EXPECT_EQ(Words(set, {PodAt(set, 0, {.ready_for = std::chrono::seconds(9)})}),
            "wait for db-0 to be available");
  EXPECT_EQ(Words(set, {PodAt(set, 0, {.ready_for = std::chrono::seconds(10)})}),
            "create pod 1; wait for db-1 to come up");
}

TEST(StatefulSetOrder, PodsThatHaveEndedAreRemovedAndMadeAgainWhenTheyAreGone) {
  const StatefulSet set = Db(2);
  for (const char* const phase : {"Failed", "Succeeded"}) {
    const Fares ended{.phase = phase, .ready = false};
    EXPECT_EQ(Words(set, {PodAt(set, 0, ended), PodAt(set, 1)}),
              "delete, since it has ended, db-0; wait for db-0 to go");
  }
  EXPECT_EQ(Words(set, {PodAt(set, 0, {.phase = "Failed", .going = true}), PodAt(set, 1)}),
            "wait for db-0 to go");
}

TEST(StatefulSetOrder, InParallelNobodyWaits) {
  const StatefulSet set = Parallel(Db(5));
  EXPECT_EQ(Words(set, {PodAt(set, 1, kPending), PodAt(set, 2, kFailed), PodAt(set, 4, kGoing),
                        PodAt(set, 5), PodAt(set, 6, kGoing), PodAt(set, 7, kNotReady)}),
            "create pod 0; delete, since it has ended, db-2; create pod 3; "
            "delete, since nobody asks for it, db-7; delete, since nobody asks for it, db-5");
}

TEST(StatefulSetOrder, PodsThatNobodyAsksForGoOneByOneTheLastFirst) {
  const StatefulSet set = Db(1);
  struct Case {
    std::vector<PodRef> pods;
    std::string plan;
  };
  const std::vector<Case> cases = {
      {{PodAt(set, 0), PodAt(set, 1), PodAt(set, 2)},
       "delete, since nobody asks for it, db-2; wait for db-2 to end"},
      {{PodAt(set, 0), PodAt(set, 1), PodAt(set, 2, kGoing)}, "wait for db-2 to end"},
      // Not before all that stay are well.
      {{PodAt(set, 0, kNotReady), PodAt(set, 1)}, "wait for db-0 to be ready"},
      // The one that is unwell may go, if it is the only one.
      {{PodAt(set, 0), PodAt(set, 1), PodAt(set, 2, kNotReady)},
       "delete, since nobody asks for it, db-2; wait for db-2 to end"},
      {{PodAt(set, 0), PodAt(set, 1, kNotReady), PodAt(set, 2)},
       "delete, since nobody asks for it, db-2; wait for db-2 to end"},
      {{PodAt(set, 0), PodAt(set, 1, kNotReady), PodAt(set, 2, kNotReady)},
       "wait for db-2 to be ready"},
  };
  for (const Case& each : cases) EXPECT_EQ(Words(set, each.pods), each.plan);
}

TEST(StatefulSetOrder, ACondemnedPodThatIsReadyButNotRunningIsWaitedFor) {
  const StatefulSet set = Db(1);
  for (const char* const phase : {"Pending", "Failed", "Succeeded", "Unknown", ""}) {
    const Fares ready{.phase = phase};
    EXPECT_EQ(Words(set, {PodAt(set, 0), PodAt(set, 1, ready)}), "wait for db-1 to be ready")
        << phase;
    // A pod below it that is not available is the one that may be needed.
    EXPECT_EQ(Words(set, {PodAt(set, 0), PodAt(set, 1, kNotReady), PodAt(set, 2, ready)}),
              "wait for db-2 to be ready")
        << phase;
    EXPECT_EQ(Words(Parallel(set), {PodAt(set, 0), PodAt(set, 1, ready)}),
              "delete, since nobody asks for it, db-1")
        << phase;
  }
}

TEST(StatefulSetOrder, PodsBelowTheFirstOrdinalAreCondemnedToo) {
  StatefulSet set = Db(1);
  set.spec.ordinals.emplace().start = 2;
  EXPECT_EQ(Words(set, {PodAt(set, 0), PodAt(set, 1), PodAt(set, 2)}),
            "delete, since nobody asks for it, db-1; wait for db-1 to end");
}

TEST(StatefulSetOrder, ClaimsAreMadeBeforeTheirPod) {
  const StatefulSet set = WithClaim(Db(1));
  EXPECT_EQ(Words(set, {}), "create claim data-db-0; create pod 0; wait for db-0 to come up");
  Claims claims;
  claims.Add("data-db-0");
  EXPECT_EQ(Words(set, {}, claims), "create pod 0; wait for db-0 to come up");
}

TEST(StatefulSetOrder, APodThatIsPendingMayNeedAClaimThatSomebodyDeleted) {
  const StatefulSet set = WithClaim(Db(1));
  EXPECT_EQ(Words(set, {PodAt(set, 0, kPending)}),
            "create claim data-db-0; wait for db-0 to be ready");
  EXPECT_EQ(Words(set, {PodAt(set, 0)}), "");
}

TEST(StatefulSetOrder, APodWaitsForClaimsThatGoWithTheLastOne) {
  Claims claims;
  claims.Add("data-db-1", {Controls("Pod", "db-1", "uid-of-the-last")});
  const StatefulSet set = WithClaim(Db(3), "Delete", "Retain");
  EXPECT_EQ(Words(set, {PodAt(set, 0)}, claims),
            "wait for the claims of the last db-1 to go with it");
  EXPECT_EQ(Words(Parallel(set), {PodAt(set, 0)}, claims), "create claim data-db-2; create pod 2");
}

TEST(StatefulSetOrder, ClaimsOfPodsThatAreToGoAreTheirsBeforeTheyDo) {
  const StatefulSet set = WithClaim(Db(1), "Delete", "Delete");
  Claims claims;
  for (const char* const name : {"data-db-0", "data-db-1", "data-db-2"}) {
    claims.Add(name, {Controls("StatefulSet", "db", "uid-of-db")});
  }
  const OrderPlan plan = DecideOrder(set, {PodAt(set, 0), PodAt(set, 1), PodAt(set, 2)}, claims);
  EXPECT_THAT(plan.replicas, IsEmpty());
  EXPECT_THAT(NamesOf(plan.condemned), ElementsAre("db-2"));
  std::vector<std::string> owners;
  for (const auto& adjustment : plan.condemned_claims) {
    for (const auto& owner : adjustment.claim.metadata.ownerReferences) {
      owners.push_back(adjustment.claim.metadata.name + " " + owner.uid);
    }
  }
  EXPECT_THAT(owners, ElementsAre("data-db-2 uid-of-db-2", "data-db-1 uid-of-db-1"));
}

TEST(StatefulSetOrder, WhatIsNotAsItShouldBeIsMended) {
  const StatefulSet set = WithClaim(Db(2), "Retain", "Delete");
  Claims claims;
  claims.Add("data-db-0", {Controls("StatefulSet", "db", "uid-of-db")});
  claims.Add("data-db-1", {Controls("StatefulSet", "db", "uid-of-db")});
  const auto repaired = [&](const core::v1::Pod& pod) {
    return DecideOrder(set, {PodAt(set, 0), ViewOf(pod)}, claims).replicas;
  };
  EXPECT_THAT(repaired(PodValue(set, 1)), IsEmpty());

  core::v1::Pod pod = PodValue(set, 1);
  pod.metadata.labels.erase(kPodNameLabel);
  auto tasks = repaired(pod);
  ASSERT_EQ(tasks.size(), 1);
  EXPECT_TRUE(tasks[0].repair && tasks[0].patch && tasks[0].claims == ClaimPlan());

  pod = PodValue(set, 1);
  pod.spec.volumes.clear();
  tasks = repaired(pod);
  ASSERT_EQ(tasks.size(), 1);
  EXPECT_TRUE(tasks[0].repair && tasks[0].patch && tasks[0].claims == ClaimPlan());

  claims.Add("data-db-1");
  tasks = repaired(PodValue(set, 1));
  ASSERT_EQ(tasks.size(), 1);
  EXPECT_TRUE(tasks[0].repair && !tasks[0].patch);
  ASSERT_EQ(tasks[0].claims.adjust.size(), 1);
  EXPECT_EQ(tasks[0].claims.adjust[0].claim.metadata.name, "data-db-1");
}

TEST(StatefulSetOrder, APodThatIsNotReadyIsNotMendedBeforeItIs) {
  const StatefulSet set = Db(1);
  core::v1::Pod pod = PodValue(set, 0, kNotReady);
  pod.metadata.labels.erase(kPodNameLabel);
  EXPECT_EQ(Words(set, {ViewOf(pod)}), "wait for db-0 to be ready");
  EXPECT_EQ(Words(Parallel(set), {ViewOf(pod)}), "mend db-0");
}

TEST(StatefulSetOrder, AVolumeThatAPodLacksHasItsClaimMade) {
  const StatefulSet set = WithClaim(Db(1));
  EXPECT_EQ(Words(set, {PodAt(Db(1), 0)}), "create claim data-db-0; mend db-0");
}

}  // namespace
}  // namespace flyball::controllers::stateful_set
