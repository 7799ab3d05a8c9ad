#include "tests/faults/ordinal_invariants.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::faults {
namespace {

using apps::v1::StatefulSet;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

template <typename T>
sandbox::RecordPtr Stored(const T& object) {
  api::AnyObject any(T::kType);
  *static_cast<T*>(any.get()) = object;
  return std::make_shared<const sandbox::Record>(std::make_shared<const sandbox::Kind>(T::kType),
                                                 any);
}

class OrdinalInvariantsTest : public testing::Test {
 protected:
  StatefulSet Db(std::int32_t replicas) {
    StatefulSet set;
    set.metadata.namespace_ = "ns";
    set.metadata.name = "db";
    set.metadata.uid = "db";
    set.spec.replicas = replicas;
    set.spec.volumeClaimTemplates.emplace_back().metadata.name = "data";
    return set;
  }
  Pod PodAt(int ordinal, bool ready = true) {
    Pod pod;
    pod.metadata.namespace_ = "ns";
    pod.metadata.name = "db-" + std::to_string(ordinal);
    pod.metadata.uid = pod.metadata.name;
    auto& owner = pod.metadata.ownerReferences.emplace_back();
    owner.uid = "db";
    owner.controller = true;
    if (ready) {
      auto& condition = pod.status.conditions.emplace_back();
      condition.type = "Ready";
      condition.status = "True";
    }
    return pod;
  }
  template <typename T>
  void See(const std::string& resource, const T& object) {
    invariants_.Tell({.resource = resource, .before = nullptr, .after = Stored(object)});
  }
  void SeeSet(const StatefulSet& set) { See("apps/statefulsets", set); }
  void SeeSetGone(const StatefulSet& set) {
    invariants_.Tell({.resource = "apps/statefulsets", .before = Stored(set), .after = nullptr});
  }
  void SeePods(int count) {
    for (int i = 0; i < count; ++i) See("pods", PodAt(i));
  }
  void SeePodGone(int ordinal) {
    invariants_.Tell({.resource = "pods", .before = Stored(PodAt(ordinal)), .after = nullptr});
  }
  void SeeClaimGone(const std::string& name) {
    PersistentVolumeClaim claim;
    claim.metadata.namespace_ = "ns";
    claim.metadata.name = name;
    claim.metadata.uid = name;
    invariants_.Tell(
        {.resource = "persistentvolumeclaims", .before = Stored(claim), .after = nullptr});
  }

  OrdinalInvariants invariants_;
};

TEST_F(OrdinalInvariantsTest, PodsAreMadeInOrder) {
  SeeSet(Db(3));
  See("pods", PodAt(0, /*ready=*/false));
  See("pods", PodAt(1));
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pod db-1 is made before number 0 has been ready"));
}

TEST_F(OrdinalInvariantsTest, InParallelInAnyOrder) {
  StatefulSet set = Db(3);
  set.spec.podManagementPolicy = "Parallel";
  SeeSet(set);
  See("pods", PodAt(2));
  See("pods", PodAt(0));
  EXPECT_THAT(invariants_.violations(), IsEmpty());
}

TEST_F(OrdinalInvariantsTest, NobodyMakesMoreThanAreAskedFor) {
  SeeSet(Db(2));
  SeePods(3);
  EXPECT_THAT(invariants_.violations(), ElementsAre("pod db-2 is made, and nobody asks for it"));
}

TEST_F(OrdinalInvariantsTest, TheHighestGoesFirst) {
  SeeSet(Db(3));
  SeePods(3);
  SeeSet(Db(1));
  SeePodGone(1);
  EXPECT_THAT(invariants_.violations(), ElementsAre("pod db-1 is deleted before db-2"));
}

TEST_F(OrdinalInvariantsTest, NoMoreGoThanMayBeUnavailableButForThoseThatPeopleDelete) {
  SeeSet(Db(3));
  SeePods(3);
  SeePodGone(2);
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  invariants_.PeopleDelete({"ns", "db-1"});
  SeePodGone(1);
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  SeePodGone(0);
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pod db-0 is deleted: 0 others are ready, and 2 are to be"));
}

TEST_F(OrdinalInvariantsTest, WhatIsBelowThePartitionStaysAsItIs) {
  StatefulSet set = Db(3);
  set.spec.updateStrategy.rollingUpdate.emplace().partition = 2;
  SeeSet(set);
  SeePods(3);
  SeePodGone(2);
  See("pods", PodAt(2));
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  SeePodGone(1);
  EXPECT_THAT(invariants_.violations(), ElementsAre("pod db-1 is deleted: the partition is at 2"));
}

TEST_F(OrdinalInvariantsTest, WhatPeopleDeleteIsTheirsOnce) {
  StatefulSet set = Db(1);
  set.spec.updateStrategy.type = "OnDelete";
  SeeSet(set);
  SeePods(1);
  invariants_.PeopleDelete({"ns", "db-0"});
  SeePodGone(0);
  See("pods", PodAt(0));
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  SeePodGone(0);
  EXPECT_THAT(invariants_.violations(), testing::SizeIs(1));
}

TEST_F(OrdinalInvariantsTest, WhatASetAskedForCountsUntilTheNextCheckpoint) {
  SeeSet(Db(3));
  SeeSet(Db(1));
  SeePods(2);
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  invariants_.Checkpoint();
  See("pods", PodAt(2));
  EXPECT_THAT(invariants_.violations(), ElementsAre("pod db-2 is made, and nobody asks for it"));
}

TEST_F(OrdinalInvariantsTest, ClaimsOfASetThatWasReplacedGoByThePolicyOfTheNewOne) {
  SeeSet(Db(3));
  SeeSetGone(Db(3));
  StatefulSet next = Db(3);
  next.metadata.uid = "next";
  next.spec.persistentVolumeClaimRetentionPolicy.emplace().whenScaled = "Delete";
  SeeSet(next);
  next.spec.replicas = 2;
  SeeSet(next);
  SeeClaimGone("data-db-2");
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  invariants_.Checkpoint();
  SeeClaimGone("data-db-1");
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("claim data-db-1 is deleted, which its set keeps"));
}

TEST_F(OrdinalInvariantsTest, ClaimsStayIfTheSetGoesAndOrphansThem) {
  for (const bool orphans : {false, true}) {
    StatefulSet set = Db(2);
    set.metadata.uid = orphans ? "orphaning" : "plain";
    set.spec.persistentVolumeClaimRetentionPolicy.emplace().whenDeleted = "Delete";
    if (orphans) set.metadata.finalizers = {"orphan"};
    set.metadata.deletionTimestamp.emplace();
    SeeSet(set);
    SeeSetGone(set);
    SeeClaimGone(orphans ? "data-db-1" : "data-db-0");
    invariants_.Checkpoint();
  }
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("claim data-db-1 is deleted, which its set keeps"));
}

TEST_F(OrdinalInvariantsTest, ClaimsGoOnlyIfThePolicySaysSo) {
  SeeSet(Db(1));
  SeeClaimGone("data-db-1");
  SeeClaimGone("data-other-1");
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("claim data-db-1 is deleted, which its set keeps"));
  StatefulSet set = Db(1);
  set.spec.persistentVolumeClaimRetentionPolicy.emplace().whenScaled = "Delete";
  SeeSet(set);
  SeeClaimGone("data-db-2");
  EXPECT_THAT(invariants_.violations(), testing::SizeIs(1));
  SeeClaimGone("data-db-0");
  EXPECT_THAT(invariants_.violations(), testing::SizeIs(2));
}

}  // namespace
}  // namespace flyball::faults
