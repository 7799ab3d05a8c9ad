#include "flyball/controllers/volume_binder/claim_binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/volume_binder/internal/binder_fake.h"

namespace flyball::controllers::volume_binder {
namespace {

using testing::ElementsAre;

TEST(ClaimBinding, AVolumeSaysWhoseItIsAndThatNobodyAskedForIt) {
  const auto bound = BoundVolume(Free("a", "1Gi"), Claim("data", "1Gi"));
  PersistentVolume wanted = Free("a", "1Gi");
  auto& reference = wanted.spec.claimRef.emplace();
  reference.apiVersion = "v1";
  reference.kind = "PersistentVolumeClaim";
  reference.namespace_ = "team";
  reference.name = "data";
  reference.uid = "uid-of-data";
  reference.resourceVersion = "7";
  wanted.metadata.annotations[kBoundByController] = "yes";
  EXPECT_EQ(bound, wanted);
  EXPECT_EQ(BoundVolume(*bound, Claim("data", "1Gi")), std::nullopt);
}

TEST(ClaimBinding, AVolumeThatWasReservedStaysSo) {
  const auto claim = Claim("data", "1Gi");
  const auto bound = BoundVolume(MeantFor(Free("a", "1Gi"), claim), claim);
  EXPECT_EQ(bound->spec.claimRef->uid, "uid-of-data");
  EXPECT_FALSE(HasAnnotation(*bound, kBoundByController));
  EXPECT_EQ(Unbound(*bound).spec.claimRef->uid, "");
  EXPECT_EQ(Unbound(*bound).spec.claimRef->name, "data");
}

TEST(ClaimBinding, WhatIsTakenBackIsAsBefore) {
  const auto before = Free("a", "1Gi");
  EXPECT_EQ(Unbound(*BoundVolume(before, Claim("data", "1Gi"))), before);
  EXPECT_EQ(Unbound(before), before);
}

TEST(ClaimBinding, AClaimNamesItsVolume) {
  const auto bound = BoundClaim(Claim("data", "1Gi"), Free("a", "1Gi"));
  PersistentVolumeClaim wanted = Claim("data", "1Gi");
  wanted.spec.volumeName = "a";
  wanted.metadata.annotations[kBoundByController] = "yes";
  wanted.metadata.annotations[kBindCompleted] = "yes";
  EXPECT_EQ(bound, wanted);
  EXPECT_EQ(BoundClaim(*bound, Free("a", "1Gi")), std::nullopt);
  auto named = Claim("data", "1Gi");
  named.spec.volumeName = "a";
  EXPECT_FALSE(HasAnnotation(*BoundClaim(named, Free("a", "1Gi")), kBoundByController));
}

TEST(ClaimBinding, AClaimSaysWhatItHas) {
  auto volume = Free("a", "5Gi");
  volume.spec.accessModes = {"ReadWriteOnce", "ReadOnlyMany"};
  volume.spec.volumeAttributesClassName = "gold";
  const auto bound = *WithBoundStatus(Claim("data", "1Gi"), volume);
  EXPECT_EQ(bound->status.phase, "Bound");
  EXPECT_THAT(bound->status.accessModes, ElementsAre("ReadWriteOnce", "ReadOnlyMany"));
  EXPECT_EQ(bound->status.capacity, volume.spec.capacity);
  EXPECT_EQ(bound->status.currentVolumeAttributesClassName, "gold");
  EXPECT_EQ(*WithBoundStatus(*bound, volume), std::nullopt);

  // What is bound has its capacity and its attributes from its driver.
  volume.spec.capacity["storage"] = *api::Quantity::Parse("9Gi");
  volume.spec.volumeAttributesClassName = "silver";
  EXPECT_EQ(*WithBoundStatus(*bound, volume), std::nullopt);
  volume.spec.accessModes = {"ReadWriteOnce"};
  EXPECT_THAT((*WithBoundStatus(*bound, volume))->status.accessModes, ElementsAre("ReadWriteOnce"));
}

TEST(ClaimBinding, AFileSystemThatIsYetToGrowHasWhatItHad) {
  auto volume = Free("a", "5Gi");
  volume.metadata.annotations[kPreResizeCapacity] = "2Gi";
  EXPECT_EQ(
      (*WithBoundStatus(Claim("data", "1Gi"), volume))->status.capacity.find("storage")->ToString(),
      "2Gi");
  volume.metadata.annotations[kPreResizeCapacity] = "many";
  EXPECT_EQ(
      (*WithBoundStatus(Claim("data", "1Gi"), volume))->status.capacity.find("storage")->ToString(),
      "5Gi");
}

TEST(ClaimBinding, AClaimThatWasLostKeepsItsAttributesUnsaid) {
  auto claim = Claim("data", "1Gi");
  claim.status.phase = "Lost";
  claim.status.capacity["storage"] = *api::Quantity::Parse("5Gi");
  auto volume = Free("a", "5Gi");
  volume.spec.volumeAttributesClassName = "gold";
  const auto bound = *WithBoundStatus(claim, volume);
  EXPECT_EQ(bound->status.phase, "Bound");
  EXPECT_EQ(bound->status.currentVolumeAttributesClassName, std::nullopt);
}

TEST(ClaimBinding, AVolumeWithoutACapacityIsNotBound) {
  auto volume = Free("a", "5Gi");
  volume.spec.capacity.clear();
  const auto bound = WithBoundStatus(Claim("data", "1Gi"), volume);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().message(), "PersistentVolume \"a\" is without a storage capacity");
}

TEST(ClaimBinding, WithoutAVolumeAClaimHasNothing) {
  const auto claim = Claim("data", "1Gi");
  EXPECT_EQ(WithoutVolume(claim, "Pending"), std::nullopt);
  const auto bound = *WithBoundStatus(claim, Free("a", "1Gi"));
  const auto lost = WithoutVolume(*bound, "Lost");
  PersistentVolumeClaim wanted = claim;
  wanted.status.phase = "Lost";
  EXPECT_EQ(lost, wanted);
}

TEST(ClaimBinding, APhaseComesWithItsMessage) {
  EXPECT_EQ(WithPhase(Free("a", "1Gi"), "Available", "again"), std::nullopt);
  const auto failed = WithPhase(Free("a", "1Gi"), "Failed", "it burnt");
  EXPECT_EQ(failed->status.phase, "Failed");
  EXPECT_EQ(failed->status.message, "it burnt");
  EXPECT_EQ(WithPhase(*failed, "Available")->status.message, "");
}

TEST(ClaimBinding, AProvisionerIsToldByAnnotations) {
  const auto told = WithProvisioner(Claim("data", "1Gi"), "example.com");
  EXPECT_EQ(*AnnotationOf(*told, kProvisioner), "example.com");
  EXPECT_EQ(*AnnotationOf(*told, kBetaProvisioner), "example.com");
  EXPECT_EQ(WithProvisioner(*told, "example.com"), std::nullopt);
  EXPECT_EQ(*AnnotationOf(*WithProvisioner(*told, "other.com"), kProvisioner), "other.com");
}

TEST(Migration, AnAnnotationSaysWhoHasTakenOver) {
  auto claim = Claim("data", "1Gi");
  EXPECT_FALSE(AlignMigration(claim));
  claim.metadata.annotations[kBetaProvisioner] = "kubernetes.io/aws-ebs";
  EXPECT_TRUE(AlignMigration(claim));
  EXPECT_EQ(*AnnotationOf(claim, kMigratedTo), "ebs.csi.aws.com");
  EXPECT_FALSE(AlignMigration(claim));
  claim.metadata.annotations[kProvisioner] = "example.com";
  EXPECT_TRUE(AlignMigration(claim));
  EXPECT_FALSE(HasAnnotation(claim, kMigratedTo));
  EXPECT_FALSE(AlignMigration(claim));
}

TEST(Migration, FinalizersFollowWhoDeletes) {
  auto volume = Free("a", "1Gi");
  EXPECT_FALSE(AlignMigration(volume));
  EXPECT_FALSE(AlignFinalizers(volume));
  volume.metadata.annotations[kProvisionedBy] = "example.com";
  volume.spec.persistentVolumeReclaimPolicy = "Delete";
  EXPECT_FALSE(AlignFinalizers(volume));
  volume.metadata.annotations[kProvisionedBy] = "kubernetes.io/host-path";
  volume.metadata.finalizers = {std::string(kExternalFinalizer)};
  EXPECT_TRUE(AlignFinalizers(volume));
  EXPECT_THAT(volume.metadata.finalizers, ElementsAre(kInTreeFinalizer));
  EXPECT_FALSE(AlignFinalizers(volume));
  volume.spec.persistentVolumeReclaimPolicy = "Retain";
  EXPECT_TRUE(AlignFinalizers(volume));
  EXPECT_THAT(volume.metadata.finalizers, ElementsAre());
  volume.metadata.finalizers = {std::string(kInTreeFinalizer)};
  volume.metadata.annotations[kProvisionedBy] = "kubernetes.io/cinder";
  EXPECT_TRUE(AlignMigration(volume));
  EXPECT_TRUE(AlignFinalizers(volume));
  EXPECT_THAT(volume.metadata.finalizers, ElementsAre());
}

}  // namespace
}  // namespace flyball::controllers::volume_binder
