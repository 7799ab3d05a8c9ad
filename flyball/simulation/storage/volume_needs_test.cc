#include "flyball/simulation/storage/volume_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/simulation/storage/storage_fake.h"
#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using core::v1::PersistentVolume;
using testing::ElementsAre;
using testing::IsEmpty;

void TieTo(PersistentVolume& volume, const std::string& node) {
  auto& selector = volume.spec.nodeAffinity.emplace().required.emplace();
  auto& one = selector.nodeSelectorTerms.emplace_back().matchExpressions.emplace_back();
  one.key = "kubernetes.io/hostname";
  one.operator_ = "In";
  one.values = {node};
}

DelayedClaim Delayed(const std::string& name, const std::vector<PersistentVolume>& candidates,
                     const std::string& provisioner = "d.example.com") {
  DelayedClaim delayed{.claim = std::make_shared<core::v1::PersistentVolumeClaim>(ClaimNamed(name)),
                       .storage_class = std::make_shared<storage::v1::StorageClass>(
                           ClassNamed("standard", "WaitForFirstConsumer", provisioner))};
  for (const PersistentVolume& volume : candidates) {
    delayed.candidates.push_back(std::make_shared<PersistentVolume>(volume));
  }
  return delayed;
}

std::vector<std::string> Describe(const VolumeChoice& choice) {
  std::vector<std::string> lines;
  for (const auto& [claim, volume] : choice.bindings) {
    lines.push_back(claim->metadata.name + " gets " + volume->metadata.name);
  }
  for (const ClaimRef& claim : choice.provisions) {
    lines.push_back(claim->metadata.name + " is provisioned");
  }
  return lines;
}

class VolumeNeedsTest : public testing::Test {
 protected:
  const std::shared_ptr<const views::KubeletNode> n1_ = ViewOf(NodeNamed("n1"));
  const std::shared_ptr<const views::KubeletNode> n2_ = ViewOf(NodeNamed("n2"));
};

TEST_F(VolumeNeedsTest, ABoundVolumeIsWhereItIs) {
  PersistentVolume volume = VolumeNamed("v");
  VolumeNeeds needs;
  needs.bound.emplace_back(volume);
  EXPECT_THAT(ObjectionsTo(needs, *n1_), IsEmpty());
  TieTo(volume, "n2");
  needs.bound.emplace_back(volume);
  EXPECT_THAT(ObjectionsTo(needs, *n1_),
              ElementsAre("node(s) didn't match PersistentVolume's node affinity"));
  EXPECT_THAT(ObjectionsTo(needs, *n2_), IsEmpty());
  needs.missing = true;
  EXPECT_THAT(
      ObjectionsTo(needs, *n2_),
      ElementsAre("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"));
}

TEST_F(VolumeNeedsTest, AClaimGetsAVolumeThatIsThereOrOneIsMade) {
  PersistentVolume near = VolumeNamed("near");
  TieTo(near, "n1");
  VolumeNeeds needs;
  needs.delayed = {Delayed("a", {near}), Delayed("b", {near})};
  EXPECT_THAT(ObjectionsTo(needs, *n1_), IsEmpty());
  EXPECT_THAT(Describe(ChooseVolumes(needs, *n1_)), ElementsAre("a gets near", "b is provisioned"));
  EXPECT_THAT(Describe(ChooseVolumes(needs, *n2_)),
              ElementsAre("a is provisioned", "b is provisioned"));
}

TEST_F(VolumeNeedsTest, WhereNobodyMakesVolumesThereHasToBeOne) {
  PersistentVolume near = VolumeNamed("near");
  TieTo(near, "n1");
  VolumeNeeds needs;
  needs.delayed = {Delayed("a", {near}, "kubernetes.io/no-provisioner")};
  EXPECT_THAT(ObjectionsTo(needs, *n1_), IsEmpty());
  EXPECT_THAT(ObjectionsTo(needs, *n2_),
              ElementsAre("node(s) didn't find available persistent volumes to bind"));
}

TEST_F(VolumeNeedsTest, WhatWasChosenForANodeStaysThere) {
  VolumeNeeds needs;
  needs.delayed = {Delayed("a", {})};
  needs.delayed[0].node = "n2";
  EXPECT_THAT(ObjectionsTo(needs, *n1_),
              ElementsAre("node(s) didn't find available persistent volumes to bind"));
  EXPECT_THAT(ObjectionsTo(needs, *n2_), IsEmpty());
}

TEST_F(VolumeNeedsTest, AClassIsMadeWhereItAllows) {
  auto storage_class = ClassNamed("standard", "WaitForFirstConsumer");
  auto& label = storage_class.allowedTopologies.emplace_back().matchLabelExpressions.emplace_back();
  label.key = "kubernetes.io/hostname";
  label.values = {"n2"};
  VolumeNeeds needs;
  needs.delayed = {Delayed("a", {})};
  needs.delayed[0].storage_class = std::make_shared<storage::v1::StorageClass>(storage_class);
  EXPECT_THAT(ObjectionsTo(needs, *n1_),
              ElementsAre("node(s) didn't find available persistent volumes to bind"));
  EXPECT_THAT(ObjectionsTo(needs, *n2_), IsEmpty());
}

TEST_F(VolumeNeedsTest, AVolumeFitsAClaimByWhatItIs) {
  const auto claim = ClaimNamed("a");
  EXPECT_TRUE(CouldHave(claim, VolumeNamed("v")));
  const auto without = [&](auto change) {
    PersistentVolume volume = VolumeNamed("v");
    change(volume);
    return CouldHave(claim, volume);
  };
  EXPECT_FALSE(without([](auto& volume) { volume.spec.capacity["storage"] = Size("1Mi"); }));
  EXPECT_FALSE(without([](auto& volume) { volume.spec.storageClassName = "fast"; }));
  EXPECT_FALSE(without([](auto& volume) { volume.spec.volumeMode = "Block"; }));
  EXPECT_FALSE(without([](auto& volume) { volume.spec.accessModes = {"ReadOnlyMany"}; }));
  EXPECT_FALSE(without([](auto& volume) { volume.status.phase = "Released"; }));
  EXPECT_FALSE(without([](auto& volume) { volume.metadata.deletionTimestamp.emplace(); }));
  const auto for_claim = [&](const std::string& name, const std::string& uid) {
    return without([&](auto& volume) {
      auto& reference = volume.spec.claimRef.emplace();
      reference.namespace_ = "ns";
      reference.name = name;
      reference.uid = uid;
    });
  };
  EXPECT_TRUE(for_claim("a", ""));
  EXPECT_TRUE(for_claim("a", "uid-of-a"));
  EXPECT_FALSE(for_claim("a", "another"));
  EXPECT_FALSE(for_claim("b", ""));
}

TEST_F(VolumeNeedsTest, AClaimMaySelectItsVolume) {
  auto claim = ClaimNamed("a");
  claim.spec.selector.emplace().matchLabels["tier"] = "gold";
  PersistentVolume volume = VolumeNamed("v");
  EXPECT_FALSE(CouldHave(claim, volume));
  volume.metadata.labels["tier"] = "gold";
  EXPECT_TRUE(CouldHave(claim, volume));
}

TEST_F(VolumeNeedsTest, OnlyAClassThatWaitsDelays) {
  auto claim = ClaimNamed("a");
  const auto waits = ClassNamed("standard", "WaitForFirstConsumer");
  const auto at_once = ClassNamed("standard", "Immediate");
  EXPECT_TRUE(IsDelayed(claim, &waits));
  EXPECT_FALSE(IsDelayed(claim, &at_once));
  EXPECT_FALSE(IsDelayed(claim, nullptr));
  claim.spec.volumeName = "v";
  EXPECT_FALSE(IsDelayed(claim, &waits));
}

}  // namespace
}  // namespace flyball::simulation
