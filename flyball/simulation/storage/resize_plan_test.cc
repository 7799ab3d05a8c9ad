#include "flyball/simulation/storage/resize_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/simulation/storage/storage_fake.h"

namespace flyball::simulation {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kResizeDriver = "d.example.com";
const WallTime kNow = WallTime() + std::chrono::hours(1);

std::vector<std::string> Conditions(const PersistentVolumeClaim& claim) {
  std::vector<std::string> types;
  for (const auto& condition : claim.status.conditions) {
    types.push_back(condition.type + " " + condition.status +
                    (condition.message.empty() ? "" : ": " + condition.message));
  }
  return types;
}

class ResizePlanTest : public testing::Test {
 protected:
  ResizePlanTest() { Bind(claim_, volume_); }
  ResizePlan Plan() { return PlanResize(claim_, volume_, kResizeDriver); }

  PersistentVolumeClaim claim_ = ClaimNamed("a");
  PersistentVolume volume_ = VolumeNamed("v");
};

TEST_F(ResizePlanTest, AClaimThatHasWhatItAsksForIsLeftAlone) { EXPECT_EQ(Plan(), ResizePlan()); }

TEST_F(ResizePlanTest, OnlyBoundClaimsOfTheDriverGrow) {
  claim_.spec.resources.requests["storage"] = Size("2Gi");
  EXPECT_EQ(Plan(), (ResizePlan{ResizeStep::kAnnounce, Size("2Gi")}));
  EXPECT_EQ(PlanResize(claim_, volume_, "e.example.com"), ResizePlan());
  PersistentVolume other = volume_;
  other.spec.claimRef->uid = "another";
  EXPECT_EQ(PlanResize(claim_, other, kResizeDriver), ResizePlan());
  claim_.status.phase = "Lost";
  EXPECT_EQ(Plan(), ResizePlan());
}

TEST_F(ResizePlanTest, FromTheAnnouncementToTheEnd) {
  claim_.spec.resources.requests["storage"] = Size("2Gi");
  claim_ = Announced(claim_, Size("2Gi"), kNow);
  EXPECT_THAT(Conditions(claim_), ElementsAre("Resizing True"));
  EXPECT_EQ(Plan(), (ResizePlan{ResizeStep::kExpand, Size("2Gi")}));

  // Who asks for more meanwhile gets it afterwards.
  claim_.spec.resources.requests["storage"] = Size("3Gi");
  EXPECT_EQ(Plan(), (ResizePlan{ResizeStep::kExpand, Size("2Gi")}));
  volume_ = Expanded(volume_, claim_, Size("2Gi"));
  EXPECT_EQ(volume_.spec.capacity["storage"], Size("2Gi"));
  EXPECT_EQ(*volume_.metadata.annotations.find(kPreResizeCapacity), "1Gi");

  EXPECT_EQ(Plan(), (ResizePlan{ResizeStep::kHandOver, Size("2Gi")}));
  EXPECT_FALSE(AwaitsNode(claim_));
  claim_ = HandedOver(claim_, kNow);
  EXPECT_TRUE(AwaitsNode(claim_));
  EXPECT_THAT(Conditions(claim_),
              ElementsAre("FileSystemResizePending True: Waiting for user to (re-)start a pod to "
                          "finish file system resize of volume on node."));
  EXPECT_EQ(Plan(), ResizePlan()) << "that is a node's";

  claim_ = Finished(claim_, Size("2Gi"));
  EXPECT_THAT(Conditions(claim_), IsEmpty());
  EXPECT_EQ(claim_.status.capacity["storage"], Size("2Gi"));
  EXPECT_TRUE(claim_.status.allocatedResourceStatuses.empty());
  EXPECT_EQ(Plan(), (ResizePlan{ResizeStep::kAnnounce, Size("3Gi")}));
  claim_.spec.resources.requests["storage"] = Size("2Gi");
  EXPECT_EQ(Plan().step, ResizeStep::kTidy);
  volume_.metadata.annotations.clear();
  EXPECT_EQ(Plan(), ResizePlan());
}

TEST_F(ResizePlanTest, OfABlockDeviceThereIsNothingForANode) {
  volume_.spec.volumeMode = "Block";
  claim_.spec.resources.requests["storage"] = Size("2Gi");
  claim_ = Announced(claim_, Size("2Gi"), kNow);
  volume_ = Expanded(volume_, claim_, Size("2Gi"));
  EXPECT_TRUE(volume_.metadata.annotations.empty());
  EXPECT_EQ(Plan(), (ResizePlan{ResizeStep::kFinish, Size("2Gi")}));
}

TEST_F(ResizePlanTest, WhatCannotBeIsSaidAndLessMayBeAskedFor) {
  claim_.spec.resources.requests["storage"] = Size("2Gi");
  claim_ = Announced(claim_, Size("2Gi"), kNow);
  const auto broken = FailedToExpand(claim_, "rpc error: code = Internal desc = x", kNow);
  EXPECT_THAT(Conditions(broken),
              ElementsAre("Resizing True",
                          "ControllerResizeError True: failed to expand pvc with rpc error: code = "
                          "Internal desc = x"));
  EXPECT_EQ(PlanResize(broken, volume_, kResizeDriver),
            (ResizePlan{ResizeStep::kExpand, Size("2Gi")}));

  claim_ = FailedToExpand(claim_, "rpc error: code = OutOfRange desc = x", kNow);
  EXPECT_EQ(Plan(), (ResizePlan{ResizeStep::kExpand, Size("2Gi")}));
  claim_.spec.resources.requests["storage"] = Size("1500Mi");
  EXPECT_EQ(Plan(), (ResizePlan{ResizeStep::kAnnounce, Size("1500Mi")}));
}

TEST_F(ResizePlanTest, ConditionsOfOthersStay) {
  auto& other = claim_.status.conditions.emplace_back();
  other.type = "ModifyingVolume";
  other.status = "True";
  claim_ = Announced(claim_, Size("2Gi"), kNow);
  EXPECT_THAT(Conditions(claim_), ElementsAre("ModifyingVolume True", "Resizing True"));
  const auto later = Announced(claim_, Size("2Gi"), kNow + std::chrono::hours(1));
  EXPECT_EQ(later.status.conditions[1].lastTransitionTime, api::Time(kNow));
  EXPECT_THAT(Conditions(Finished(claim_, Size("2Gi"))), ElementsAre("ModifyingVolume True"));
}

}  // namespace
}  // namespace flyball::simulation
