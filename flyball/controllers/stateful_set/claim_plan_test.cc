#include "flyball/controllers/stateful_set/claim_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/stateful_set/internal/stateful_set_fake.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using core::v1::PersistentVolumeClaim;
using meta::v1::OwnerReference;
using testing::ElementsAre;
using testing::IsEmpty;

const OwnerReference kSet = Controls("StatefulSet", "db", "uid-of-db");
const OwnerReference kPod = Controls("Pod", "db-0", "uid-of-db-0");
const OwnerReference kEarlierSet = Controls("StatefulSet", "db", "uid-of-the-last-db");
const OwnerReference kEarlierPod = Controls("Pod", "db-0", "uid-of-the-last-db-0");
const OwnerReference kStranger = Controls("Backup", "nightly", "uid-of-nightly");

OwnerReference Owns(OwnerReference owner) {
  owner.controller.reset();
  return owner;
}

const Member kMember{.ordinal = 0, .name = "db-0", .uid = "uid-of-db-0"};

/// A set with a claim whose pod 0 is asked for, or is not.
StatefulSet Policy(const std::string& when_scaled, const std::string& when_deleted,
                   bool asked_for = true) {
  return WithClaim(Db(asked_for ? 1 : 0), when_scaled, when_deleted);
}

TEST(StatefulSetClaimPlan, ClaimsThatAreNotThereAreMade) {
  const StatefulSet set = WithClaim(WithClaim(Db()), "", "", "logs");
  Claims claims;
  claims.Add("logs-db-1");
  const Member member = MemberAt(set, 1);
  EXPECT_EQ(PlanMissingClaims(set, member, claims.Find()),
            ClaimPlan{.create = {ClaimsFor(set, 1)[0]}});
  claims.Add("data-db-1");
  EXPECT_EQ(PlanMissingClaims(set, member, claims.Find()), ClaimPlan());
}

TEST(StatefulSetClaimPlan, AClaimThatGoesIsNotMadeAgainAndCannotBeUsed) {
  const StatefulSet set = WithClaim(Db());
  Claims claims;
  claims.Add("data-db-1").metadata.deletionTimestamp = api::Time(kNow);
  EXPECT_EQ(PlanMissingClaims(set, MemberAt(set, 1), claims.Find()),
            ClaimPlan{.going = {"data-db-1"}});
}

TEST(StatefulSetClaimPlan, ClaimsBelongToWhomThePolicySays) {
  struct Case {
    StatefulSet set;
    std::vector<OwnerReference> before;
    std::vector<OwnerReference> after;
  };
  const std::vector<Case> cases = {
      // What is to stay belongs to nobody.
      {WithClaim(Db()), {}, {}},
      {WithClaim(Db()), {kSet}, {}},
      {Policy("Retain", "Retain"), {}, {}},
      {Policy("Retain", "Retain"), {kSet, kPod}, {}},
      {Policy("Retain", "Retain", false), {kPod}, {}},
      // To the set.
      {Policy("Retain", "Delete"), {}, {kSet}},
      {Policy("Retain", "Delete"), {kSet}, {kSet}},
      {Policy("Retain", "Delete"), {kPod}, {kSet}},
      {Policy("Retain", "Delete", false), {}, {kSet}},
      // To a pod that is to go.
      {Policy("Delete", "Retain"), {}, {}},
      {Policy("Delete", "Retain"), {kPod}, {}},
      {Policy("Delete", "Retain"), {kSet}, {}},
      {Policy("Delete", "Retain", false), {}, {kPod}},
      {Policy("Delete", "Retain", false), {kPod}, {kPod}},
      {Policy("Delete", "Retain", false), {kSet}, {kPod}},
      // To either.
      {Policy("Delete", "Delete"), {}, {kSet}},
      {Policy("Delete", "Delete"), {kPod}, {kSet}},
      {Policy("Delete", "Delete"), {kSet}, {kSet}},
      {Policy("Delete", "Delete", false), {kSet}, {kPod}},
      {Policy("Delete", "Delete", false), {kPod}, {kPod}},
      // What nobody understands deletes nothing.
      {Policy("Never", "Delete"), {kSet}, {}},
      {Policy("Delete", "Never", false), {}, {}},
      // An owner that does not control it is made to.
      {Policy("Retain", "Delete"), {Owns(kSet)}, {kSet}},
      {Policy("Delete", "Retain", false), {Owns(kPod)}, {kPod}},
      // Others that own it, and do not control it, stay.
      {Policy("Retain", "Delete"), {Owns(kStranger)}, {Owns(kStranger), kSet}},
      {Policy("Retain", "Retain"), {Owns(kStranger), kSet}, {Owns(kStranger)}},
      // One that another controls is theirs.
      {Policy("Retain", "Delete"), {kStranger}, {kStranger}},
      {Policy("Retain", "Delete"), {kStranger, kSet}, {kStranger}},
      {Policy("Retain", "Retain"), {kStranger}, {kStranger}},
      {Policy("Retain", "Retain"), {kStranger, kSet}, {kStranger}},
      // One of an earlier set or pod goes with that.
      {Policy("Retain", "Delete"), {kEarlierSet}, {kEarlierSet}},
      {Policy("Delete", "Delete"), {kEarlierPod}, {kEarlierPod}},
      {Policy("Retain", "Retain"), {kEarlierSet}, {kEarlierSet}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& each = cases[i];
    Claims claims;
    PersistentVolumeClaim expected = claims.Add("data-db-0", each.before);
    expected.metadata.ownerReferences = each.after;
    const bool right = each.before == each.after;
    EXPECT_EQ(ClaimOwnersMatch(each.set, kMember, claims.Find()), right) << i;
    std::vector<PersistentVolumeClaim> written;
    for (const auto& adjustment : PlanClaimOwners(each.set, kMember, claims.Find())) {
      if (adjustment.write) written.push_back(adjustment.claim);
    }
    EXPECT_EQ(written, right ? std::vector<PersistentVolumeClaim>() : std::vector{expected}) << i;
  }
}

TEST(StatefulSetClaimPlan, PeopleAreToldOfClaimsThatAnotherControls) {
  const auto contested = [](const StatefulSet& set, std::vector<OwnerReference> owners) {
    Claims claims;
    claims.Add("data-db-0", std::move(owners));
    std::vector<bool> told;
    for (const auto& adjustment : PlanClaimOwners(set, kMember, claims.Find())) {
      told.push_back(adjustment.contested);
    }
    return told;
  };
  EXPECT_THAT(contested(Policy("Retain", "Delete"), {kStranger}), ElementsAre(true));
  EXPECT_THAT(contested(Policy("Delete", "Retain"), {kStranger, kSet}), ElementsAre(true));
  EXPECT_THAT(contested(Policy("Delete", "Delete"), {kEarlierPod}), ElementsAre(true));
  EXPECT_THAT(contested(Policy("Delete", "Delete"), {kEarlierSet}), ElementsAre(true));
  EXPECT_THAT(contested(Policy("Retain", "Delete"), {Owns(kStranger)}), ElementsAre(false));
  EXPECT_THAT(contested(Policy("Retain", "Retain"), {kStranger}), IsEmpty());
}

TEST(StatefulSetClaimPlan, AClaimThatIsNotThereHasNoOwnersToSet) {
  const StatefulSet set = Policy("Delete", "Delete");
  EXPECT_TRUE(ClaimOwnersMatch(set, kMember, Claims().Find()));
  EXPECT_THAT(PlanClaimOwners(set, kMember, Claims().Find()), IsEmpty());
}

TEST(StatefulSetClaimPlan, APodWaitsForClaimsThatGoWithItsPredecessor) {
  Claims claims;
  claims.Add("data-db-0", {kEarlierPod});
  const StatefulSet deletes = Policy("Delete", "Retain");
  EXPECT_TRUE(HasStaleClaim(deletes, MemberAt(deletes, 0), claims.Find()));
  EXPECT_FALSE(HasStaleClaim(deletes, MemberAt(deletes, 1), claims.Find()));
  const StatefulSet retains = Policy("Retain", "Delete");
  EXPECT_FALSE(HasStaleClaim(retains, MemberAt(retains, 0), claims.Find()));
  claims.Add("data-db-0", {kSet});
  EXPECT_FALSE(HasStaleClaim(deletes, MemberAt(deletes, 0), claims.Find()));
}

}  // namespace
}  // namespace flyball::controllers::stateful_set
