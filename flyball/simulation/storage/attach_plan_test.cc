#include "flyball/simulation/storage/attach_plan.h"

#include <gtest/gtest.h>

#include "flyball/simulation/storage/storage_fake.h"

namespace flyball::simulation {
namespace {

TEST(AttachPlan, TheFinalizerIsCalledAfterTheDriver) {
  EXPECT_EQ(AttacherFinalizer("d.example.com"), "external-attacher/d-example-com");
  EXPECT_EQ(AttacherFinalizer("a/b_"), "external-attacher/a-b-X");
}

TEST(AttachPlan, ANodeIsKnownByItsCsiNode) {
  EXPECT_EQ(NodeIdOf(nullptr, "n1", "d").error().message(),
            "csinode.storage.k8s.io \"n1\" not found");
  storage::v1::CSINode node;
  EXPECT_EQ(NodeIdOf(&node, "n1", "d").error().message(), "CSINode n1 does not contain driver d");
  auto& driver = node.spec.drivers.emplace_back();
  driver.name = "d";
  driver.nodeID = "id";
  EXPECT_EQ(NodeIdOf(&node, "n1", "d"), "id");
}

TEST(AttachPlan, WhatIsGoingIsNotAttached) {
  EXPECT_EQ(MayBeAttached(nullptr, "v", "d").error().message(), "persistentvolume \"v\" not found");
  auto volume = VolumeNamed("v");
  EXPECT_TRUE(MayBeAttached(&volume, "v", "d.example.com"));
  EXPECT_FALSE(MayBeAttached(&volume, "v", "e.example.com"));
  volume.metadata.deletionTimestamp.emplace();
  EXPECT_EQ(MayBeAttached(&volume, "v", "d.example.com").error().message(),
            "PersistentVolume \"v\" is marked for deletion");
}

TEST(AttachPlan, TheStatusSaysWhatCameOfIt) {
  const WallTime now = WallTime() + std::chrono::hours(1);
  storage::v1::VolumeAttachment attachment;
  const auto failed = FailedToAttach(attachment, "no", now);
  EXPECT_FALSE(failed.status.attached);
  EXPECT_EQ(failed.status.attachError->message, "no");
  EXPECT_EQ(failed.status.attachError->time, api::Time(now));
  const auto attached = Attached(failed, "h");
  EXPECT_TRUE(attached.status.attached);
  EXPECT_FALSE(attached.status.attachError);
  EXPECT_EQ(attached.status.attachmentMetadata,
            (api::Map<std::string>{{"devicePath", "/dev/simulated/h"}}));
  const auto stuck = FailedToDetach(attached, "busy", now);
  EXPECT_TRUE(stuck.status.attached);
  EXPECT_EQ(stuck.status.detachError->message, "busy");
}

}  // namespace
}  // namespace flyball::simulation
