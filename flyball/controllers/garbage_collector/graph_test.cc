#include "flyball/controllers/garbage_collector/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/base/clock.h"

namespace flyball::controllers::garbage_collector {
namespace {

using meta::v1::ObjectMeta;
using meta::v1::OwnerReference;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// One hexadecimal digit is enough to tell the objects of a test apart.
std::string UidText(char digit) {
  return std::string("00000000-0000-4000-8000-00000000000") + digit;
}
PackedUid Uid(char digit) { return PackedUid::Of(UidText(digit)); }

OwnerReference Owner(char uid, const std::string& name = "owner", bool blocks = false,
                     const std::string& kind = "ReplicaSet") {
  OwnerReference reference;
  reference.apiVersion = "apps/v1";
  reference.kind = kind;
  reference.name = name;
  reference.uid = UidText(uid);
  if (blocks) reference.blockOwnerDeletion = true;
  return reference;
}

ObjectMeta Object(char uid, const std::string& name, std::vector<OwnerReference> owners = {}) {
  ObjectMeta object;
  object.namespace_ = "ns";
  object.name = name;
  object.uid = UidText(uid);
  object.ownerReferences = std::move(owners);
  return object;
}

ObjectMeta Terminating(ObjectMeta object, std::vector<std::string> finalizers = {}) {
  object.deletionTimestamp = api::Time(WallTime(std::chrono::seconds(1)));
  object.finalizers = std::move(finalizers);
  return object;
}

ObjectMeta In(const std::string& space, ObjectMeta object) {
  object.namespace_ = space;
  return object;
}

Identity ReplicaSet(char uid, const std::string& name = "owner", const std::string& space = "ns") {
  return {"ReplicaSet", "apps/v1", space, name, UidText(uid)};
}
Identity Pod(char uid, const std::string& name, const std::string& space = "ns") {
  return {"Pod", "v1", space, name, UidText(uid)};
}

/// One that has all there was at the start, unless a test says otherwise.
class GraphTest : public testing::Test {
 protected:
  GraphTest() { EXPECT_EQ(graph_.Settle(), Consequences()); }

  Consequences SeeSet(const ObjectMeta& object) {
    return graph_.Observe("apps/v1", "ReplicaSet", object);
  }
  Consequences SeePod(const ObjectMeta& object) { return graph_.Observe("v1", "Pod", object); }
  void ExpectEmpty() {
    EXPECT_EQ(graph_.nodes(), 0u);
    EXPECT_EQ(graph_.edges(), 0u);
  }

  Graph graph_;
};

TEST_F(GraphTest, KnowsWhatItHasSeen) {
  EXPECT_EQ(SeeSet(Object('1', "owner")), Consequences());
  EXPECT_EQ(SeePod(Object('2', "pod", {Owner('1')})), Consequences());
  EXPECT_EQ(graph_.Find(Uid('1')),
            (NodeState{.identity = ReplicaSet('1'), .has_dependents = true}));
  EXPECT_EQ(graph_.Find(Uid('2')), (NodeState{.identity = Pod('2', "pod")}));
  EXPECT_EQ(graph_.Find(Uid('3')), std::nullopt);
  EXPECT_THAT(graph_.Dependents(Uid('1')), ElementsAre(Pod('2', "pod")));
  EXPECT_THAT(graph_.Dependents(Uid('2')), IsEmpty());
  EXPECT_THAT(graph_.Dependents(Uid('3')), IsEmpty());
  EXPECT_EQ(graph_.nodes(), 2u);
  EXPECT_EQ(graph_.edges(), 1u);
}

TEST_F(GraphTest, AnUpdateThatChangesNothingHasNoConsequences) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "pod", {Owner('1'), Owner('3')}));
  EXPECT_EQ(SeePod(Object('2', "pod", {Owner('1'), Owner('3')})), Consequences());
  EXPECT_EQ(graph_.edges(), 2u);
}

TEST_F(GraphTest, WhatAnOwnerLeavesBehindIsLookedAt) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "a", {Owner('1')}));
  SeePod(Object('3', "b", {Owner('1')}));
  const Consequences found = graph_.Remove(Uid('1'));
  EXPECT_THAT(found.to_delete, UnorderedElementsAre(Uid('2'), Uid('3')));
  EXPECT_EQ(graph_.Find(Uid('1')), std::nullopt);
  EXPECT_TRUE(graph_.IsKnownAbsent(ReplicaSet('1')));
  EXPECT_FALSE(graph_.IsKnownAbsent(ReplicaSet('1', "owner", "")));

  EXPECT_EQ(graph_.Remove(Uid('2')), Consequences());
  EXPECT_EQ(graph_.Remove(Uid('3')), Consequences());
  ExpectEmpty();
}

TEST_F(GraphTest, WhatNobodyReferredToIsNotRemembered) {
  SeeSet(Object('1', "owner"));
  EXPECT_EQ(graph_.Remove(Uid('1')), Consequences());
  EXPECT_FALSE(graph_.IsKnownAbsent(ReplicaSet('1')));
  EXPECT_EQ(graph_.Remove(Uid('1')), Consequences());
  ExpectEmpty();
}

TEST_F(GraphTest, OfOwnersThatAreNotThereTheLastAreRemembered) {
  for (std::size_t i = 0; i <= Graph::kAbsentOwners; ++i) {
    graph_.RememberAbsent(ReplicaSet('1', "owner-" + std::to_string(i)));
    EXPECT_TRUE(graph_.IsKnownAbsent(ReplicaSet('1', "owner-0"))) << "it is used all the time";
  }
  EXPECT_FALSE(graph_.IsKnownAbsent(ReplicaSet('1', "owner-1")));
}

TEST_F(GraphTest, AbsentOwnersAreRememberedByTheWholeTextOfTheirUid) {
  const auto named = [](const std::string& name, const std::string& uid) {
    return Identity{"ClusterRole", "rbac.authorization.k8s.io/v1", "", name, uid};
  };
  // Both lanes of an FNV-1a of the text have the bits of the UUID.
  graph_.RememberAbsent(named("role", "forged-128"));
  EXPECT_TRUE(graph_.IsKnownAbsent(named("role", "forged-128")));
  EXPECT_FALSE(graph_.IsKnownAbsent(named("role", "9f074a21-9c41-497c-9be3-e1b734c8b4f3")));

  graph_.RememberAbsent(named("role, uid: a", "b"));
  EXPECT_FALSE(graph_.IsKnownAbsent(named("role", "a, uid: b")));

  const std::string long_uid(Graph::kAbsentText, 'x');
  graph_.RememberAbsent(named("role", long_uid));
  EXPECT_FALSE(graph_.IsKnownAbsent(named("role", long_uid))) << "the server is asked again";
}

TEST_F(GraphTest, KeepsTheTextOfAUidThatIsNoUuid) {
  ObjectMeta owner = Object('1', "owner");
  owner.uid = "AGGREGATED/1";
  OwnerReference reference = Owner('1');
  reference.uid = owner.uid;
  SeePod(Object('2', "pod", {reference}));
  const PackedUid uid = PackedUid::Of(owner.uid);
  EXPECT_EQ(graph_.Find(uid)->identity.uid, "AGGREGATED/1") << "of a virtual node";
  SeeSet(owner);
  EXPECT_EQ(graph_.Find(uid)->identity.uid, "AGGREGATED/1");
  EXPECT_THAT(graph_.Dependents(uid), ElementsAre(Pod('2', "pod")));
  graph_.Remove(uid);
  graph_.Remove(Uid('2'));
  ExpectEmpty();
}

TEST_F(GraphTest, AnOwnerThatNobodyHasSeenIsVirtualAndLookedAtOnce) {
  EXPECT_THAT(SeePod(Object('2', "a", {Owner('1')})).to_delete, ElementsAre(Uid('1')));
  EXPECT_EQ(SeePod(Object('3', "b", {Owner('1')})), Consequences());
  EXPECT_EQ(graph_.Find(Uid('1')),
            (NodeState{.identity = ReplicaSet('1'), .is_virtual = true, .has_dependents = true}));
  EXPECT_EQ(SeeSet(Object('1', "owner")), Consequences());
  EXPECT_EQ(graph_.Find(Uid('1')),
            (NodeState{.identity = ReplicaSet('1'), .has_dependents = true}));
}

TEST_F(GraphTest, AVirtualOwnerGoesWithItsLastDependent) {
  SeePod(Object('2', "a", {Owner('1')}));
  SeePod(Object('3', "b", {Owner('1')}));
  graph_.Remove(Uid('2'));
  EXPECT_TRUE(graph_.Find(Uid('1')));
  SeePod(Object('3', "b"));
  EXPECT_FALSE(graph_.Find(Uid('1')));
  EXPECT_EQ(graph_.nodes(), 1u);
}

TEST(GraphAtTheStart, OwnersThatNobodyHasSeenAreLookedAtWhenAllElseHasBeen) {
  Graph graph;
  EXPECT_EQ(graph.Observe("v1", "Pod", Object('2', "a", {Owner('1')})), Consequences());
  EXPECT_EQ(graph.Observe("v1", "Pod", Object('3', "b", {Owner('4')})), Consequences());
  EXPECT_EQ(graph.Observe("apps/v1", "ReplicaSet", Object('1', "owner")), Consequences());
  EXPECT_THAT(graph.Settle().to_delete, ElementsAre(Uid('4')));
}

TEST_F(GraphTest, AnOwnerThatIsNotThereLeavesItsDependentsBehind) {
  SeePod(Object('2', "a", {Owner('1')}));
  SeePod(Object('3', "b", {Owner('1')}));
  const Consequences found = graph_.FoundAbsent(ReplicaSet('1'));
  EXPECT_THAT(found.to_delete, UnorderedElementsAre(Uid('2'), Uid('3')));
  EXPECT_FALSE(graph_.Find(Uid('1')));
  EXPECT_TRUE(graph_.IsKnownAbsent(ReplicaSet('1')));
  EXPECT_EQ(graph_.FoundAbsent(ReplicaSet('1')), Consequences());
}

TEST_F(GraphTest, ADependentThatComesAfterItsOwnerHasGoneHasItLookedAtAgain) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "a", {Owner('1')}));
  graph_.Remove(Uid('1'));
  EXPECT_THAT(SeePod(Object('3', "b", {Owner('1')})).to_delete, ElementsAre(Uid('1')));
  EXPECT_TRUE(graph_.Find(Uid('1'))->is_virtual);
  // The other one is still there, and is not forgotten.
  EXPECT_THAT(graph_.FoundAbsent(ReplicaSet('1')).to_delete,
              UnorderedElementsAre(Uid('2'), Uid('3')));
}

TEST_F(GraphTest, AChangeOfOtherReferencesDoesNotBringAnOwnerBack) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "a", {Owner('1')}));
  graph_.Remove(Uid('1'));
  EXPECT_THAT(SeePod(Object('2', "a", {Owner('1'), Owner('3')})).to_delete, ElementsAre(Uid('3')));
  EXPECT_FALSE(graph_.Find(Uid('1')));
}

TEST_F(GraphTest, AnObjectThatIsSeenAfterItWasFoundAbsentIsThere) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "a", {Owner('1')}));
  graph_.FoundAbsent(ReplicaSet('1'));
  EXPECT_EQ(SeeSet(Object('1', "owner")), Consequences());
  EXPECT_EQ(graph_.Find(Uid('1')),
            (NodeState{.identity = ReplicaSet('1'), .has_dependents = true}));
}

TEST_F(GraphTest, AChangeOfOwnersMovesADependent) {
  SeeSet(Object('1', "one"));
  SeeSet(Object('2', "two"));
  SeePod(Object('3', "pod", {Owner('1', "one")}));
  EXPECT_EQ(SeePod(Object('3', "pod", {Owner('2', "two")})), Consequences());
  EXPECT_THAT(graph_.Dependents(Uid('1')), IsEmpty());
  EXPECT_THAT(graph_.Dependents(Uid('2')), ElementsAre(Pod('3', "pod")));
  EXPECT_EQ(graph_.Remove(Uid('1')), Consequences());
}

TEST_F(GraphTest, TwoReferencesToOneOwnerAreOneDependent) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "pod", {Owner('1'), Owner('1')}));
  SeePod(Object('2', "pod", {Owner('1')}));
  EXPECT_THAT(graph_.Dependents(Uid('1')), ElementsAre(Pod('2', "pod")));
  SeePod(Object('2', "pod"));
  EXPECT_THAT(graph_.Dependents(Uid('1')), IsEmpty());
}

TEST_F(GraphTest, AnObjectMayOwnItself) {
  SeeSet(Object('1', "owner", {Owner('1')}));
  EXPECT_THAT(graph_.Dependents(Uid('1')), ElementsAre(ReplicaSet('1')));
  EXPECT_THAT(graph_.Remove(Uid('1')).to_delete, ElementsAre(Uid('1')));
  ExpectEmpty();
}

TEST_F(GraphTest, ACircleComesApart) {
  SeeSet(Object('1', "one", {Owner('2', "two")}));
  SeeSet(Object('2', "two", {Owner('1', "one")}));
  EXPECT_THAT(graph_.Remove(Uid('1')).to_delete, ElementsAre(Uid('2')));
  EXPECT_EQ(graph_.Remove(Uid('2')), Consequences());
  ExpectEmpty();
}

TEST_F(GraphTest, DeletionInTheForegroundConcernsAllDependents) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "a", {Owner('1', "owner", true)}));
  SeePod(Object('3', "b", {Owner('1')}));
  const ObjectMeta going = Terminating(Object('1', "owner"), {"foregroundDeletion"});
  EXPECT_THAT(SeeSet(going).to_delete, UnorderedElementsAre(Uid('1'), Uid('2'), Uid('3')));
  EXPECT_EQ(graph_.Find(Uid('1')), (NodeState{.identity = ReplicaSet('1'),
                                              .being_deleted = true,
                                              .deleting_dependents = true,
                                              .has_dependents = true}));
  EXPECT_EQ(SeeSet(going), Consequences());

  EXPECT_EQ(graph_.BlockersOf(Uid('1')), (Blockers{.any = true, .to_delete = {Uid('2')}}));
  SeePod(Terminating(Object('2', "a", {Owner('1', "owner", true)})));
  EXPECT_EQ(graph_.BlockersOf(Uid('1')), (Blockers{.any = true}));
  EXPECT_THAT(graph_.Remove(Uid('2')).to_delete, ElementsAre(Uid('1')));
  EXPECT_EQ(graph_.BlockersOf(Uid('1')), Blockers());
  EXPECT_EQ(graph_.BlockersOf(Uid('9')), Blockers());
}

TEST_F(GraphTest, AnOwnerThatWaitsIsToldWhenADependentBlocksItNoMore) {
  SeeSet(Terminating(Object('1', "owner"), {"foregroundDeletion"}));
  SeeSet(Object('2', "other"));
  const auto blocking = [](bool first, bool second) {
    return Object('3', "pod", {Owner('1', "owner", first), Owner('2', "other", second)});
  };
  SeePod(blocking(true, true));
  EXPECT_EQ(SeePod(blocking(true, false)), Consequences()) << "nobody deletes the other";
  EXPECT_THAT(SeePod(blocking(false, false)).to_delete, ElementsAre(Uid('1')));
  SeePod(blocking(true, false));
  EXPECT_THAT(SeePod(Object('3', "pod", {Owner('2', "other")})).to_delete, ElementsAre(Uid('1')));
}

TEST_F(GraphTest, WhatIsBeingDeletedWhenItIsFirstSeenIsDealtWith) {
  EXPECT_THAT(SeeSet(Terminating(Object('1', "a"), {"foregroundDeletion"})).to_delete,
              ElementsAre(Uid('1')));
  EXPECT_THAT(SeeSet(Terminating(Object('2', "b"), {"orphan"})).to_orphan, ElementsAre(Uid('2')));
  EXPECT_EQ(SeeSet(Terminating(Object('3', "c"), {"example.com/mine"})), Consequences());
  EXPECT_TRUE(graph_.Find(Uid('3'))->being_deleted);
}

TEST_F(GraphTest, AVirtualOwnerThatIsSeenGoingConcernsItsDependents) {
  SeePod(Object('2', "pod", {Owner('1')}));
  EXPECT_THAT(SeeSet(Terminating(Object('1', "owner"), {"foregroundDeletion"})).to_delete,
              UnorderedElementsAre(Uid('1'), Uid('2')));
}

TEST_F(GraphTest, OrphaningBeginsOnceAndComesFirst) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "pod", {Owner('1')}));
  const ObjectMeta both = Terminating(Object('1', "owner"), {"orphan", "foregroundDeletion"});
  EXPECT_EQ(SeeSet(both), (Consequences{.to_orphan = {Uid('1')}}));
  EXPECT_EQ(SeeSet(both), Consequences());
  EXPECT_THAT(SeeSet(Terminating(Object('1', "owner"), {"foregroundDeletion"})).to_delete,
              UnorderedElementsAre(Uid('1'), Uid('2')));
}

TEST_F(GraphTest, KnowsWhetherADependentWaitsForItsOwn) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "pod", {Owner('1')}));
  EXPECT_FALSE(graph_.HasWaitingDependent(Uid('1')));
  SeePod(Terminating(Object('2', "pod", {Owner('1')}), {"foregroundDeletion"}));
  EXPECT_TRUE(graph_.HasWaitingDependent(Uid('1')));
  EXPECT_FALSE(graph_.HasWaitingDependent(Uid('2')));
  EXPECT_FALSE(graph_.HasWaitingDependent(Uid('3')));
}

// What references say of an owner may be wrong.

TEST_F(GraphTest, AReferenceIntoAnotherNamespaceIsReportedAndLookedAt) {
  SeeSet(Object('1', "owner"));
  EXPECT_EQ(
      SeePod(In("other", Object('2', "pod", {Owner('1')}))),
      (Consequences{.to_delete = {Uid('2')},
                    .misplaced = {{Pod('2', "pod", "other"), ReplicaSet('1', "owner", "other")}}}));
}

TEST_F(GraphTest, AReferenceIntoAnotherNamespaceIsReportedWhenTheOwnerIsSeen) {
  SeePod(In("other", Object('2', "pod", {Owner('1')})));
  SeePod(Object('3', "pod", {Owner('1')}));
  EXPECT_EQ(
      SeeSet(Object('1', "owner")),
      (Consequences{.to_delete = {Uid('2')},
                    .misplaced = {{Pod('2', "pod", "other"), ReplicaSet('1', "owner", "other")}}}));
}

TEST_F(GraphTest, NothingIsReportedOfAnOwnerThatNobodyHasSeen) {
  SeePod(In("other", Object('2', "pod", {Owner('1')})));
  EXPECT_EQ(SeePod(Object('3', "pod", {Owner('1')})), (Consequences{.to_delete = {Uid('3')}}));
}

TEST_F(GraphTest, OneReportIsEnoughForAnObject) {
  SeeSet(Object('1', "one"));
  SeeSet(Object('2', "two"));
  EXPECT_EQ(
      SeePod(In("other", Object('3', "pod", {Owner('1', "one"), Owner('2', "two")}))),
      (Consequences{.to_delete = {Uid('3')},
                    .misplaced = {{Pod('3', "pod", "other"), ReplicaSet('1', "one", "other")}}}));
}

TEST_F(GraphTest, AReferenceByAnotherNameIsLookedAt) {
  SeeSet(Object('1', "owner"));
  EXPECT_EQ(SeePod(Object('2', "pod", {Owner('1', "wrong")})),
            (Consequences{.to_delete = {Uid('2')}}));
  EXPECT_EQ(SeePod(Object('3', "pod", {Owner('1', "owner", false, "StatefulSet")})),
            (Consequences{.to_delete = {Uid('3')}}));
  EXPECT_EQ(SeePod(Object('4', "pod", {Owner('5', "wrong")})),
            (Consequences{.to_delete = {Uid('5')}}));
  EXPECT_EQ(SeeSet(Object('5', "right")), (Consequences{.to_delete = {Uid('4')}}));
}

TEST_F(GraphTest, WhatIsInNoNamespaceMayOwnWhatIsInAny) {
  graph_.Observe("apps/v1", "ReplicaSet", In("", Object('1', "owner")));
  EXPECT_EQ(SeePod(Object('2', "pod", {Owner('1')})), Consequences());
  EXPECT_EQ(SeePod(In("", Object('3', "pod", {Owner('1')}))), Consequences());

  EXPECT_THAT(SeePod(Object('5', "pod", {Owner('4')})).to_delete, ElementsAre(Uid('4')));
  EXPECT_EQ(graph_.Observe("apps/v1", "ReplicaSet", In("", Object('4', "owner"))), Consequences());
}

// Issue 98040 of upstream's.
TEST_F(GraphTest, AnOwnerThatOneWithoutNamespaceSpokeOfFirstIsDoubtful) {
  EXPECT_THAT(SeePod(In("", Object('2', "pod", {Owner('1')}))).to_delete, ElementsAre(Uid('1')));
  EXPECT_EQ(SeePod(Object('3', "pod", {Owner('1')})), (Consequences{.to_delete = {Uid('3')}}));
}

TEST_F(GraphTest, AVirtualOwnerIsLookedForUnderAllItsNames) {
  SeePod(Object('2', "pod", {Owner('1', "b")}));
  SeePod(Object('3', "pod", {Owner('1', "c")}));
  SeePod(Object('4', "pod", {Owner('1', "a")}));
  EXPECT_EQ(graph_.FoundAbsent(ReplicaSet('1', "b")), (Consequences{.to_delete = {Uid('2')}}));
  EXPECT_TRUE(graph_.IsKnownAbsent(ReplicaSet('1', "b")));
  EXPECT_EQ(graph_.Find(Uid('1'))->identity, ReplicaSet('1', "c"));
  EXPECT_EQ(graph_.FoundAbsent(ReplicaSet('1', "c")), (Consequences{.to_delete = {Uid('3')}}));
  EXPECT_EQ(graph_.Find(Uid('1'))->identity, ReplicaSet('1', "a")) << "from the start again";
  graph_.Remove(Uid('2'));
  graph_.Remove(Uid('3'));
  EXPECT_EQ(graph_.FoundAbsent(ReplicaSet('1', "a")), (Consequences{.to_delete = {Uid('4')}}));
  EXPECT_FALSE(graph_.Find(Uid('1')));
}

TEST_F(GraphTest, NamesAreTriedByKindAndThenByNamespace) {
  SeePod(Object('2', "pod", {Owner('1', "x", false, "B")}));
  SeePod(In("a", Object('3', "pod", {Owner('1', "x", false, "B")})));
  SeePod(Object('4', "pod", {Owner('1', "x", false, "C")}));
  SeePod(In("z", Object('5', "pod", {Owner('1', "x", false, "B")})));
  std::vector<std::string> tried;
  for (int i = 0; i < 4; ++i) {
    const Identity identity = graph_.Find(Uid('1'))->identity;
    tried.push_back(identity.kind + " " + identity.namespace_);
    graph_.FoundAbsent(identity);
  }
  EXPECT_THAT(tried, ElementsAre("B ns", "B z", "C ns", "B a"));
}

TEST_F(GraphTest, AKindThatIsInNoNamespaceIsLookedForOnce) {
  SeePod(Object('2', "pod", {Owner('1')}));
  SeePod(In("other", Object('3', "pod", {Owner('1')})));
  EXPECT_THAT(graph_.FoundAbsent(ReplicaSet('1', "owner", "")).to_delete,
              UnorderedElementsAre(Uid('2'), Uid('3')));
  EXPECT_FALSE(graph_.Find(Uid('1')));

  SeePod(Object('5', "pod", {Owner('4', "a")}));
  SeePod(Object('6', "pod", {Owner('4', "b")}));
  EXPECT_EQ(graph_.FoundAbsent(ReplicaSet('4', "a", "")), (Consequences{.to_delete = {Uid('5')}}));
  EXPECT_EQ(graph_.Find(Uid('4'))->identity, ReplicaSet('4', "b", ""));
}

TEST_F(GraphTest, AnOwnerThatWasSeenStaysWhateverOthersCallIt) {
  SeeSet(Object('1', "owner"));
  SeePod(Object('2', "right", {Owner('1')}));
  SeePod(Object('3', "wrong", {Owner('1', "wrong")}));
  EXPECT_EQ(graph_.FoundAbsent(ReplicaSet('1', "wrong")), (Consequences{.to_delete = {Uid('3')}}));
  EXPECT_TRUE(graph_.IsKnownAbsent(ReplicaSet('1', "wrong")));
  EXPECT_EQ(graph_.FoundAbsent(ReplicaSet('1', "nobody says")), Consequences());
  EXPECT_EQ(graph_.Find(Uid('1'))->identity, ReplicaSet('1'));
  EXPECT_THAT(graph_.FoundAbsent(ReplicaSet('1')).to_delete,
              UnorderedElementsAre(Uid('2'), Uid('3')));
}

TEST_F(GraphTest, WhatDependentsCallAnOwnerStaysWhenItIsSeen) {
  SeePod(Object('2', "a", {Owner('1', "wrong")}));
  SeePod(Object('3', "b", {Owner('1', "right")}));
  SeeSet(Object('1', "right"));
  EXPECT_EQ(graph_.FoundAbsent(ReplicaSet('1', "wrong")), (Consequences{.to_delete = {Uid('2')}}));
}

// A kind that is not served any more.

TEST_F(GraphTest, OwnersOfAKindThatIsGoneAreUnknownAndNotAbsent) {
  SeeSet(Object('1', "owner"));
  SeeSet(Object('2', "alone"));
  SeePod(Object('3', "pod", {Owner('1')}));
  EXPECT_THAT(graph_.ForgetKind("apps/v1", "ReplicaSet").to_delete, ElementsAre(Uid('1')));
  EXPECT_TRUE(graph_.Find(Uid('1'))->is_virtual);
  EXPECT_FALSE(graph_.Find(Uid('2')));
  EXPECT_FALSE(graph_.IsKnownAbsent(ReplicaSet('1')));
  EXPECT_EQ(graph_.ForgetKind("apps/v1", "ReplicaSet"), Consequences());
}

TEST_F(GraphTest, AnOwnerDoesNotWaitForDependentsOfAKindThatIsGone) {
  SeeSet(Terminating(Object('1', "owner"), {"foregroundDeletion"}));
  SeePod(Object('2', "pod", {Owner('1', "owner", true), Owner('3')}));
  EXPECT_THAT(graph_.ForgetKind("v1", "Pod").to_delete, ElementsAre(Uid('1')));
  EXPECT_EQ(graph_.BlockersOf(Uid('1')), Blockers());
  EXPECT_FALSE(graph_.Find(Uid('3'))) << "only one of them spoke of it";
  EXPECT_EQ(graph_.nodes(), 1u);
}

TEST_F(GraphTest, ObjectsOfAKindThatIsGoneMayHaveOwnedEachOther) {
  SeeSet(Object('1', "one", {Owner('2', "two")}));
  SeeSet(Object('2', "two", {Owner('1', "one"), Owner('2', "two")}));
  SeeSet(Object('3', "self", {Owner('3', "self")}));
  graph_.ForgetKind("apps/v1", "ReplicaSet");
  ExpectEmpty();
}

TEST(GraphStore, TextsLastAsLongAsTheirUsers) {
  SharedTexts texts;
  const auto one = texts.Use("one");
  EXPECT_EQ(texts.Use("one"), one);
  const auto two = texts.Use("two");
  EXPECT_EQ(texts[one], "one");
  texts.Drop(one);
  EXPECT_EQ(texts[one], "one");
  texts.Drop(one);
  EXPECT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts.Use("three"), one) << "the place is used again";
  EXPECT_EQ(texts[two], "two");
}

TEST(GraphStore, FindsEachOfManyWhileTheyComeAndGo) {
  GraphStore store;
  // Every third is no UUID.
  const auto uid = [](std::uint64_t i) {
    const std::string number = std::to_string(1000 + i);
    return i % 3 == 0 ? "uid-" + number : "00000000-0000-4000-8000-00000000" + number;
  };
  std::vector<GraphStore::Index> at;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    at.push_back(store.Add({"Pod", "v1", "ns", "pod-" + std::to_string(i), uid(i)}));
  }
  for (std::uint64_t i = 0; i < 1000; i += 2) store.Erase(at[i]);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(store.Find(PackedUid::Of(uid(i))), i % 2 == 0 ? GraphStore::kNone : at[i]);
    if (i % 2 != 0) {
      EXPECT_EQ(store.IdentityOf(at[i]).uid, uid(i));
    }
  }
  EXPECT_EQ(store.nodes(), 500u);
  EXPECT_EQ(store.All().size(), 500u);
}

}  // namespace
}  // namespace flyball::controllers::garbage_collector
