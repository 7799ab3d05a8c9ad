#include "flyball/simulation/storage/provision_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/simulation/storage/storage_fake.h"
#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

constexpr std::string_view kDriver = "d.example.com";

TEST(ProvisionPlan, AClaimIsProvisionedWhenTheBinderNamesTheDriver) {
  const auto at_once = ClassNamed("standard", "Immediate");
  auto claim = ClaimNamed("a");
  EXPECT_FALSE(IsToBeProvisioned(claim, at_once, kDriver));
  claim.metadata.annotations["volume.kubernetes.io/storage-provisioner"] = kDriver;
  EXPECT_TRUE(IsToBeProvisioned(claim, at_once, kDriver));
  EXPECT_FALSE(IsToBeProvisioned(claim, at_once, "e.example.com"));
  EXPECT_FALSE(
      IsToBeProvisioned(claim, ClassNamed("standard", "Immediate", "e.example.com"), kDriver));
  claim.metadata.deletionTimestamp.emplace();
  EXPECT_FALSE(IsToBeProvisioned(claim, at_once, kDriver));
  claim.metadata.deletionTimestamp.reset();
  claim.spec.volumeName = "v";
  EXPECT_FALSE(IsToBeProvisioned(claim, at_once, kDriver));
}

TEST(ProvisionPlan, OneThatWaitsForItsConsumerIsProvisionedForANode) {
  const auto waits = ClassNamed("standard", "WaitForFirstConsumer");
  auto claim = ClaimNamed("a");
  claim.metadata.annotations["volume.beta.kubernetes.io/storage-provisioner"] = kDriver;
  EXPECT_FALSE(IsToBeProvisioned(claim, waits, kDriver));
  claim.metadata.annotations["volume.kubernetes.io/selected-node"] = "node";
  EXPECT_TRUE(IsToBeProvisioned(claim, waits, kDriver));
}

TEST(ProvisionPlan, AVolumeIsWhatTheClaimAndItsClassAskFor) {
  auto storage_class = ClassNamed("standard", "Immediate");
  storage_class.mountOptions = {"noatime"};
  auto claim = ClaimNamed("a");
  claim.metadata.resourceVersion = "7";
  claim.metadata.annotations["simulation.flyball.dev/attach-delay"] = "1s";
  claim.spec.resources.requests["storage"] = Size("1500Mi");

  core::v1::PersistentVolume wanted;
  wanted.metadata.name = "pvc-uid-of-a";
  wanted.metadata.annotations = {
      {"pv.kubernetes.io/provisioned-by", "d.example.com"},
      {"simulation.flyball.dev/attach-delay", "1s"},
      {"volume.kubernetes.io/provisioner-deletion-secret-name", ""},
      {"volume.kubernetes.io/provisioner-deletion-secret-namespace", ""}};
  wanted.metadata.finalizers = {"external-provisioner.volume.kubernetes.io/finalizer"};
  wanted.spec.accessModes = {"ReadWriteOnce"};
  wanted.spec.capacity["storage"] = Size("1500Mi");
  wanted.spec.persistentVolumeReclaimPolicy = "Delete";
  wanted.spec.storageClassName = "standard";
  wanted.spec.mountOptions = {"noatime"};
  wanted.spec.volumeMode = "Filesystem";
  wanted.spec.claimRef = ReferenceToClaim(claim);
  auto& csi = wanted.spec.csi.emplace();
  csi.driver = kDriver;
  csi.volumeHandle = "pvc-uid-of-a";
  csi.fsType = "ext4";
  csi.volumeAttributes["storage.kubernetes.io/csiProvisionerIdentity"] = "simulation-d.example.com";
  EXPECT_EQ(VolumeFor(claim, storage_class, nullptr, kDriver), wanted);

  storage_class.reclaimPolicy = "Retain";
  const auto kept = VolumeFor(claim, storage_class, nullptr, kDriver);
  EXPECT_EQ(kept.spec.persistentVolumeReclaimPolicy, "Retain");
  EXPECT_THAT(kept.metadata.finalizers, testing::IsEmpty());
}

std::string Required(const core::v1::PersistentVolume& volume) {
  std::string text;
  if (!volume.spec.nodeAffinity) return "anywhere";
  for (const auto& term : volume.spec.nodeAffinity->required->nodeSelectorTerms) {
    for (const auto& one : term.matchExpressions) {
      text += one.key + " " + one.operator_;
      for (const std::string& value : one.values) text += " " + value;
      text += ";";
    }
  }
  return text;
}

TEST(ProvisionPlan, AVolumeIsTiedToItsNodeIfTheClassAsksForThat) {
  auto storage_class = ClassNamed("standard", "WaitForFirstConsumer");
  const auto node = ViewOf(NodeNamed("n1"));
  EXPECT_EQ(Required(VolumeFor(ClaimNamed("a"), storage_class, node.get(), kDriver)), "anywhere");
  storage_class.parameters["simulation.flyball.dev/topology"] = "kubernetes.io/hostname";
  EXPECT_EQ(Required(VolumeFor(ClaimNamed("a"), storage_class, node.get(), kDriver)),
            "kubernetes.io/hostname In n1;");
  // Of a label that the node does not have nothing is known.
  storage_class.parameters["simulation.flyball.dev/topology"] = "zone";
  EXPECT_EQ(Required(VolumeFor(ClaimNamed("a"), storage_class, node.get(), kDriver)), "anywhere");
}

TEST(ProvisionPlan, WithoutANodeAVolumeIsWhereItsClassAllows) {
  auto storage_class = ClassNamed("standard", "Immediate");
  auto& label = storage_class.allowedTopologies.emplace_back().matchLabelExpressions.emplace_back();
  label.key = "zone";
  label.values = {"a", "b"};
  EXPECT_EQ(Required(VolumeFor(ClaimNamed("a"), storage_class, nullptr, kDriver)), "zone In a b;");
}

core::v1::PersistentVolume Released() {
  auto volume = VolumeNamed("v");
  volume.metadata.annotations["pv.kubernetes.io/provisioned-by"] = kDriver;
  volume.metadata.finalizers = {"external-provisioner.volume.kubernetes.io/finalizer"};
  volume.status.phase = "Released";
  return volume;
}

TEST(ProvisionPlan, AReleasedVolumeIsDeletedIfItIsNotToBeKept) {
  auto volume = Released();
  EXPECT_TRUE(IsToBeDeleted(volume, kDriver));
  EXPECT_FALSE(IsToBeDeleted(volume, "e.example.com"));
  volume.metadata.deletionTimestamp.emplace();
  EXPECT_TRUE(IsToBeDeleted(volume, kDriver));
  volume.metadata.finalizers = {"example.com/other"};
  EXPECT_FALSE(IsToBeDeleted(volume, kDriver)) << "it has been deleted already";
  volume = Released();
  volume.status.phase = "Bound";
  EXPECT_FALSE(IsToBeDeleted(volume, kDriver));
  volume = Released();
  volume.spec.persistentVolumeReclaimPolicy = "Retain";
  EXPECT_FALSE(IsToBeDeleted(volume, kDriver));
  volume = Released();
  volume.metadata.annotations.clear();
  EXPECT_FALSE(IsToBeDeleted(volume, kDriver)) << "somebody made it by hand";
}

TEST(ProvisionPlan, TheFinalizerFollowsThePolicy) {
  auto volume = Released();
  EXPECT_FALSE(WithFinalizerAligned(volume, kDriver));
  volume.spec.persistentVolumeReclaimPolicy = "Retain";
  const auto kept = WithFinalizerAligned(volume, kDriver);
  ASSERT_TRUE(kept);
  EXPECT_THAT(kept->metadata.finalizers, testing::IsEmpty());
  EXPECT_FALSE(WithFinalizerAligned(*kept, kDriver));
  auto again = *kept;
  again.spec.persistentVolumeReclaimPolicy = "Delete";
  EXPECT_FALSE(WithFinalizerAligned(again, kDriver)) << "nobody has it";
  again.status.phase = "Bound";
  ASSERT_TRUE(WithFinalizerAligned(again, kDriver));
  EXPECT_FALSE(WithFinalizerAligned(again, "e.example.com"));
}

TEST(ProvisionPlan, NoRoomIsAMatterOfTheNode) {
  EXPECT_TRUE(IsOfTheNode("rpc error: code = ResourceExhausted desc = full"));
  EXPECT_FALSE(IsOfTheNode("rpc error: code = Internal desc = broken"));
}

}  // namespace
}  // namespace flyball::simulation
