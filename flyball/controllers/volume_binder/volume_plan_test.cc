#include "flyball/controllers/volume_binder/volume_plan.h"

#include <gtest/gtest.h>

#include "flyball/controllers/volume_binder/internal/binder_fake.h"

namespace flyball::controllers::volume_binder {
namespace {

using common::Normal;
using common::Warning;

using Deletion = VolumePlan::Deletion;

PersistentVolumeClaim Naming(const std::string& volume) {
  PersistentVolumeClaim claim = Claim("data", "1Gi");
  claim.spec.volumeName = volume;
  return claim;
}
VolumeFacts With(const PersistentVolumeClaim& claim) {
  return {.claim = std::make_shared<PersistentVolumeClaim>(claim), .name_in_use = true};
}
/// One whose claim is gone.
PersistentVolume Left(const std::string& policy, const std::string& phase = "Bound") {
  PersistentVolume volume = BoundTo(Claim("data", "1Gi"), Free("a", "1Gi"));
  volume.spec.persistentVolumeReclaimPolicy = policy;
  volume.spec.csi.emplace().driver = "example.com";
  volume.status.phase = phase;
  return volume;
}
VolumePlan FailsToDelete(const std::string& why, const std::string& phase = "Released") {
  return {.phase = phase,
          .reclaimed_phase = "Failed",
          .deletion = Deletion::kFails,
          .reclaim_events = {Warning("VolumeFailedDelete", why)}};
}

TEST(VolumePlan, OneThatIsNobodysIsAvailable) {
  PersistentVolume volume = Free("a", "1Gi");
  EXPECT_EQ(PlanFor(volume, {}), VolumePlan());
  volume.status.phase = "Pending";
  EXPECT_EQ(PlanFor(volume, {}), (VolumePlan{.phase = "Available"}));
  EXPECT_EQ(PlanFor(volume, {}).ToString(), "it is Available");
  EXPECT_EQ(PlanFor(MeantFor(volume, Claim("data", "1Gi")), {}),
            (VolumePlan{.phase = "Available"}));
  EXPECT_EQ(PlanFor(Free("a", "1Gi"), {}).ToString(), "leave it");
}

TEST(VolumePlan, OneWhoseClaimNamesItIsBound) {
  const PersistentVolume volume = BoundTo(Naming("a"), Free("a", "1Gi"));
  EXPECT_EQ(PlanFor(volume, With(Naming("a"))), (VolumePlan{.phase = "Bound"}));
}

TEST(VolumePlan, AClaimThatNamesNothingYetGoesOn) {
  PersistentVolume volume = BoundTo(Naming(""), Free("a", "1Gi"));
  EXPECT_EQ(PlanFor(volume, With(Naming(""))), (VolumePlan{.wake_claim = true}));
  EXPECT_EQ(PlanFor(volume, With(Naming(""))).ToString(), "have its claim looked at");
  volume.spec.volumeMode = "Block";
  const VolumePlan plan = PlanFor(volume, With(Naming("")));
  EXPECT_EQ(plan, (VolumePlan{.events = {Warning("VolumeMismatch",
                                                 "Cannot bind PersistentVolume to requested "
                                                 "PersistentVolumeClaim \"data\" due to "
                                                 "incompatible volumeMode.")},
                              .claim_events = {Warning("VolumeMismatch",
                                                       "Cannot bind PersistentVolume \"a\" to "
                                                       "requested PersistentVolumeClaim due to "
                                                       "incompatible volumeMode.")}}));
  EXPECT_EQ(plan.ToString(), "say VolumeMismatch, say VolumeMismatch of its claim");
}

TEST(VolumePlan, ABindingThatCameTooLateIsTakenBack) {
  PersistentVolume volume = BoundTo(Naming("b"), Free("a", "1Gi"));
  EXPECT_EQ(PlanFor(volume, With(Naming("b"))), (VolumePlan{.unbind = true}));
  EXPECT_EQ(PlanFor(volume, With(Naming("b"))).ToString(), "take back its binding");
  // One that was made for the claim is needed by nobody.
  volume.metadata.annotations[kProvisionedBy] = "example.com";
  volume.spec.persistentVolumeReclaimPolicy = "Delete";
  EXPECT_EQ(PlanFor(volume, With(Naming("b"))),
            (VolumePlan{.phase = "Released", .deletion = Deletion::kByDriver}));
  volume.spec.persistentVolumeReclaimPolicy = "Retain";
  EXPECT_EQ(PlanFor(volume, With(Naming("b"))), (VolumePlan{.unbind = true}));
}

TEST(VolumePlan, OneWhoseClaimIsGoneIsReleased) {
  EXPECT_EQ(PlanFor(Left("Retain"), {}), (VolumePlan{.phase = "Released"}));
  EXPECT_EQ(PlanFor(Left("Retain", "Released"), {}), VolumePlan());
  EXPECT_EQ(PlanFor(Left("Retain", "Failed"), {}), VolumePlan());
}

TEST(VolumePlan, WhatADriverDeletesIsItsToDelete) {
  PersistentVolume volume = Left("Delete");
  const VolumePlan released{.phase = "Released", .deletion = Deletion::kByDriver};
  EXPECT_EQ(PlanFor(volume, {}), released);
  EXPECT_EQ(PlanFor(volume, {}).ToString(), "it is Released, leave it to its driver");
  volume.metadata.annotations[kProvisionedBy] = "example.com";
  EXPECT_EQ(PlanFor(volume, {}), released);
  volume.metadata.annotations[kProvisionedBy] = "kubernetes.io/gce-pd";
  volume.metadata.annotations[kMigratedTo] = "pd.csi.storage.gke.io";
  EXPECT_EQ(PlanFor(volume, {}), (VolumePlan{.phase = "Released"}));
}

TEST(VolumePlan, WhatNobodyCanDeleteHasFailed) {
  PersistentVolume volume = Left("Delete");
  volume.spec.csi.reset();
  EXPECT_EQ(PlanFor(volume, {}),
            FailsToDelete("error getting deleter volume plugin for volume \"a\": no volume plugin "
                          "matched"));
  EXPECT_EQ(PlanFor(volume, {}).ToString(), "it is Released, it is Failed, say VolumeFailedDelete");
  volume.spec.nfs.emplace().server = "there";
  EXPECT_EQ(PlanFor(volume, {}),
            FailsToDelete("error getting deleter volume plugin for volume \"a\": no deletable "
                          "volume plugin matched"));
  volume.status.phase = "Released";
  EXPECT_EQ(PlanFor(volume, {}).phase, "");
  volume.status.phase = "Failed";
  EXPECT_EQ(PlanFor(volume, {}), (VolumePlan{.deletion = Deletion::kFails}));
  EXPECT_EQ(PlanFor(volume, {}).ToString(), "leave it");
}

TEST(VolumePlan, DriversThatAreNotThereAnyMoreDeleteNothing) {
  const auto why = [](const char* provisioner) {
    PersistentVolume volume = Left("Delete", "Released");
    volume.metadata.annotations[kProvisionedBy] = provisioner;
    volume.spec.hostPath.emplace().path = "/data";
    return PlanFor(volume, {}).reclaim_events.at(0).message;
  };
  EXPECT_EQ(why("kubernetes.io/glusterfs"),
            "no volume plugin matched name: kubernetes.io/glusterfs");
  EXPECT_EQ(why("kubernetes.io/nfs"), "no deletable volume plugin matched");
  EXPECT_EQ(why("kubernetes.io/host-path"),
            "host_path deleter only supports /tmp/.+ but received provided /data");
}

TEST(VolumePlan, PathsOfTheManagersMachineAreLeftAlone) {
  const auto why = [](const char* path) {
    PersistentVolume volume = Left("Delete", "Released");
    volume.spec.csi.reset();
    volume.spec.hostPath.emplace().path = path;
    return PlanFor(volume, {}).reclaim_events.at(0).message;
  };
  EXPECT_EQ(why("/data"), "host_path deleter only supports /tmp/.+ but received provided /data");
  EXPECT_EQ(why("/tmp/"), "host_path deleter only supports /tmp/.+ but received provided /tmp/");
  EXPECT_EQ(why("/tmp/x"), "host_path deleter is not supported: delete /tmp/x by hand");
}

TEST(VolumePlan, NothingIsRecycled) {
  PersistentVolume volume = Left("Recycle", "Released");
  EXPECT_EQ(PlanFor(volume, {}),
            (VolumePlan{.reclaimed_phase = "Failed",
                        .reclaim_events = {Warning("VolumeFailedRecycle",
                                                   "No recycler plugin found for the volume!")}}));
  volume.spec.csi.reset();
  volume.spec.nfs.emplace().server = "there";
  EXPECT_EQ(PlanFor(volume, {}).reclaim_events,
            std::vector{Warning("VolumeFailedRecycle",
                                "Recycle failed: recycling is not supported, empty the volume by "
                                "hand")});
  const VolumeFacts used{.pods = [] { return std::vector<std::string>{"team/a", "team/b"}; }};
  EXPECT_EQ(PlanFor(volume, used),
            (VolumePlan{.reclaim_events = {Normal("VolumeFailedRecycle",
                                                  "Volume is used by pods: team/a,team/b")}}));
}

TEST(VolumePlan, APolicyThatNobodyKnowsIsAFailure) {
  EXPECT_EQ(PlanFor(Left("Burn", "Released"), {}).reclaim_events,
            std::vector{Warning("VolumeUnknownReclaimPolicy",
                                "Volume has unrecognized PersistentVolumeReclaimPolicy")});
}

}  // namespace
}  // namespace flyball::controllers::volume_binder
