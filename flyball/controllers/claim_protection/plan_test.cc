#include "flyball/controllers/claim_protection/plan.h"

#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::claim_protection {
namespace {

using common::Protection;
using core::v1::Pod;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 17)};

PersistentVolumeClaim Bound() {
  PersistentVolumeClaim claim = FakeClaim("data");
  claim.metadata.finalizers = {std::string(kFinalizer)};
  claim.status.phase = "Bound";
  return claim;
}
PersistentVolumeClaim Deleted() {
  PersistentVolumeClaim claim = Bound();
  claim.metadata.deletionTimestamp = api::Time(kNow);
  return claim;
}
PersistentVolumeClaim Saying(const std::string& unused) {
  PersistentVolumeClaim claim = Bound();
  auto& condition = claim.status.conditions.emplace_back();
  condition.type = "Unused";
  condition.status = unused;
  return claim;
}
Pod Ended(Pod pod) {
  pod.status.phase = "Succeeded";
  return pod;
}
Pod ShutDown(Pod pod) {
  pod.metadata.deletionTimestamp = api::Time(kNow);
  pod.metadata.deletionGracePeriodSeconds = 0;
  return pod;
}
Usage UsageBy(const Pod& pod, const PersistentVolumeClaim& claim = Bound()) {
  return claim_protection::UsageBy(*ViewOf(pod), claim);
}

constexpr Usage kNone;
constexpr Usage kBoth{.keeps = true, .referred = true};

TEST(ClaimUsage, APodOnANodeKeepsItsClaimWhetherItHasEndedOrNot) {
  const Pod pod = WithClaim(FakeStoragePod("web"), "data");
  EXPECT_EQ(UsageBy(pod), kBoth);
  EXPECT_EQ(UsageBy(Ended(pod)), (Usage{.keeps = true}));
  EXPECT_EQ(UsageBy(ShutDown(pod)), (Usage{.keeps = true}));
  EXPECT_EQ(UsageBy(WithClaim(FakeStoragePod("web"), "other")), kNone);
  EXPECT_EQ(UsageBy(FakeStoragePod("web")), kNone);
}

TEST(ClaimUsage, APodWithoutANodeKeepsNothing) {
  const Pod pod = WithClaim(FakeStoragePod("web", ""), "data");
  EXPECT_EQ(UsageBy(pod), (Usage{.referred = true}));
  EXPECT_EQ(UsageBy(Ended(pod)), kNone);
}

TEST(ClaimUsage, AnEphemeralVolumeUsesTheClaimThatWasMadeForIt) {
  const Pod pod = WithEphemeral(FakeStoragePod("web"), "scratch");
  PersistentVolumeClaim claim = Bound();
  claim.metadata.name = "web-scratch";
  EXPECT_EQ(UsageBy(pod, claim), kNone);
  claim = OwnedBy(claim, pod);
  EXPECT_EQ(UsageBy(pod, claim), kBoth);
  // Or the pod would wait for the claim and the claim for the pod.
  EXPECT_EQ(UsageBy(ShutDown(pod), claim), kNone);
}

TEST(ClaimUsage, OfSeveralPodsOneIsEnough) {
  Usage usage;
  usage |= UsageBy(WithClaim(FakeStoragePod("waiting", ""), "data"));
  usage |= UsageBy(Ended(WithClaim(FakeStoragePod("ended"), "data")));
  usage |= kNone;
  EXPECT_EQ(usage, kBoth);
}

TEST(ClaimUsage, ChangesWithThePodsNodeAndItsEnd) {
  const Pod pod = WithClaim(FakeStoragePod("web"), "data");
  const auto changes = [&](const Pod& now) { return ChangesUsage(*ViewOf(pod), *ViewOf(now)); };
  EXPECT_FALSE(changes(pod));
  EXPECT_TRUE(changes(WithClaim(FakeStoragePod("web", ""), "data")));
  EXPECT_TRUE(changes(Ended(pod)));
  EXPECT_TRUE(changes(ShutDown(pod)));
  Pod labelled = pod;
  labelled.metadata.labels["a"] = "b";
  EXPECT_FALSE(changes(labelled));
}

TEST(ClaimProtectionPlan, AClaimThatGoesStaysWhileAPodKeepsIt) {
  EXPECT_EQ(PlanFor(Deleted(), kBoth, kNow), Plan());
  EXPECT_EQ(PlanFor(Deleted(), {.keeps = true}, kNow), Plan());
  EXPECT_EQ(PlanFor(Deleted(), {.referred = true}, kNow),
            (Plan{.protection = Protection::kRemove}));
  EXPECT_EQ(PlanFor(Deleted(), kNone, kNow).ToString(), "let it go");
}

TEST(ClaimProtectionPlan, WhatOthersKeepIsTheirs) {
  PersistentVolumeClaim claim = Deleted();
  claim.metadata.finalizers = {"somebody/else"};
  EXPECT_EQ(PlanFor(claim, kNone, kNow), Plan());
  EXPECT_EQ(PlanFor(claim, kNone, kNow).ToString(), "leave it");
}

TEST(ClaimProtectionPlan, AClaimFromBeforeAdmissionIsProtected) {
  PersistentVolumeClaim claim = FakeClaim("data");
  claim.status.phase = "Pending";
  EXPECT_EQ(PlanFor(claim, kNone, kNow), (Plan{.protection = Protection::kAdd}));
  EXPECT_EQ(PlanFor(claim, kBoth, kNow).ToString(), "protect it");
}

TEST(ClaimProtectionPlan, OfABoundClaimItIsSaidWhetherItIsUsed) {
  const Plan unused = PlanFor(Bound(), kNone, kNow);
  ASSERT_TRUE(unused.unused);
  EXPECT_EQ(unused.unused->type, "Unused");
  EXPECT_EQ(unused.unused->status, "True");
  EXPECT_EQ(unused.unused->reason, "NoPodsUsingPVC");
  EXPECT_EQ(unused.unused->message, "No pods are currently referencing this PVC");
  EXPECT_EQ(unused.unused->lastTransitionTime, api::Time(kNow));
  EXPECT_EQ(unused.ToString(), "say that no pod uses it");

  const Plan used = PlanFor(Bound(), {.referred = true}, kNow);
  ASSERT_TRUE(used.unused);
  EXPECT_EQ(used.unused->status, "False");
  EXPECT_EQ(used.unused->reason, "PodUsingPVC");
  EXPECT_EQ(used.unused->message, "A pod is currently referencing this PVC");
}

TEST(ClaimProtectionPlan, WhatIsSaidIsNotSaidAgain) {
  EXPECT_EQ(PlanFor(Saying("True"), kNone, kNow), Plan());
  EXPECT_EQ(PlanFor(Saying("False"), kBoth, kNow), Plan());
  EXPECT_EQ(PlanFor(Saying("Unknown"), kBoth, kNow), Plan());
  EXPECT_TRUE(PlanFor(Saying("Unknown"), kNone, kNow).unused);
  EXPECT_TRUE(PlanFor(Saying("True"), kBoth, kNow).unused);
  EXPECT_TRUE(PlanFor(Saying("False"), kNone, kNow).unused);
}

TEST(ClaimProtectionPlan, NothingIsSaidOfAClaimThatIsNotBoundOrGoes) {
  PersistentVolumeClaim claim = Bound();
  claim.status.phase = "Pending";
  EXPECT_EQ(PlanFor(claim, kNone, kNow), Plan());
  claim.status.phase = "Lost";
  EXPECT_EQ(PlanFor(claim, kNone, kNow), Plan());
  EXPECT_FALSE(PlanFor(Deleted(), kNone, kNow).unused);
}

TEST(ClaimProtectionPlan, BothAtOnce) {
  PersistentVolumeClaim claim = Bound();
  claim.metadata.finalizers.clear();
  EXPECT_EQ(PlanFor(claim, kBoth, kNow).ToString(), "say that a pod uses it, protect it");
}

TEST(ClaimProtectionPlan, TheConditionTakesThePlaceOfTheOldOne) {
  PersistentVolumeClaim claim = Saying("True");
  claim.status.conditions.emplace_back().type = "Resizing";
  Say(*PlanFor(claim, kBoth, kNow).unused, claim);
  ASSERT_EQ(claim.status.conditions.size(), 2U);
  EXPECT_EQ(claim.status.conditions[0].status, "False");

  claim = Bound();
  Say(*PlanFor(claim, kBoth, kNow).unused, claim);
  ASSERT_EQ(claim.status.conditions.size(), 1U);
}

TEST(ClaimProtectionPlan, OnlyWhatMayBeChangedIsLookedAt) {
  EXPECT_TRUE(Concerns(Bound()));
  EXPECT_FALSE(Concerns(Saying("True")));
  PersistentVolumeClaim claim = Saying("True");
  claim.metadata.finalizers.clear();
  EXPECT_TRUE(Concerns(claim));
  claim = Saying("True");
  claim.metadata.deletionTimestamp = api::Time(kNow);
  EXPECT_TRUE(Concerns(claim));
}

}  // namespace
}  // namespace flyball::controllers::claim_protection
