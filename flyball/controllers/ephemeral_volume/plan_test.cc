#include "flyball/controllers/ephemeral_volume/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/base/clock.h"
#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::ephemeral_volume {
namespace {

using core::v1::Pod;
using testing::IsEmpty;
using testing::SizeIs;

PersistentVolumeClaim Template() {
  PersistentVolumeClaim claim = FakeClaim("");
  claim.metadata.labels = {{"type", "scratch"}};
  claim.metadata.annotations = {{"note", "here"}};
  return claim;
}

/// Finds nothing but these.
FindClaim In(std::vector<PersistentVolumeClaim> claims) {
  return [claims](const std::string& name) -> std::shared_ptr<const PersistentVolumeClaim> {
    for (const auto& claim : claims) {
      if (claim.metadata.name == name) return std::make_shared<PersistentVolumeClaim>(claim);
    }
    return nullptr;
  };
}

std::vector<Step> Plan(const Pod& pod, const std::vector<PersistentVolumeClaim>& claims = {}) {
  auto steps = PlanFor(*ViewOf(pod), In(claims));
  EXPECT_TRUE(steps);
  return *std::move(steps);
}

TEST(EphemeralVolumePlan, AClaimIsMadeOfTheTemplateAndOwnedByThePod) {
  const Pod pod = WithEphemeral(FakeStoragePod("web"), "scratch", Template());
  PersistentVolumeClaim wanted = OwnedBy(Template(), pod);
  wanted.metadata.name = "web-scratch";
  const auto steps = Plan(pod);
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0], (Step{.volume = "scratch", .claim = wanted}));
  EXPECT_EQ(steps[0].ToString(), "make web-scratch for volume scratch");
}

TEST(EphemeralVolumePlan, WhatIsThereIsNotMadeAgain) {
  const Pod pod = WithEphemeral(WithEphemeral(FakeStoragePod("web"), "a"), "b");
  const auto steps = Plan(pod, {OwnedBy(FakeClaim("web-a"), pod)});
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].volume, "b");
}

TEST(EphemeralVolumePlan, AClaimOfSomebodyElseIsAProblemAndEndsIt) {
  const Pod pod = WithEphemeral(WithEphemeral(WithEphemeral(FakeStoragePod("web"), "a"), "b"), "c");
  const auto steps = Plan(pod, {FakeClaim("web-b")});
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(steps[0].volume, "a");
  EXPECT_EQ(steps[1].problem, "PVC team/web-b was not created for pod team/web (pod is not owner)");
  EXPECT_EQ(steps[1].ToString(), "volume b: " + steps[1].problem);
}

TEST(EphemeralVolumePlan, OtherVolumesNeedNothing) {
  EXPECT_THAT(Plan(WithClaim(FakeStoragePod("web"), "data")), IsEmpty());
}

TEST(EphemeralVolumePlan, NothingIsMadeForAPodThatGoes) {
  Pod pod = WithEphemeral(FakeStoragePod("web"), "scratch");
  EXPECT_TRUE(Concerns(*ViewOf(pod)));
  pod.metadata.deletionTimestamp = api::Time(WallTime());
  EXPECT_FALSE(Concerns(*ViewOf(pod)));
  EXPECT_THAT(Plan(pod), IsEmpty());
  EXPECT_FALSE(Concerns(*ViewOf(WithClaim(FakeStoragePod("web"), "data"))));
}

}  // namespace
}  // namespace flyball::controllers::ephemeral_volume
