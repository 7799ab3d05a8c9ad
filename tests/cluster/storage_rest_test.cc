#include "tests/cluster/storage_rest.h"

#include <string>

#include "gmock/gmock.h"

namespace flyball::cluster {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

class StorageRestTest : public testing::Test {
 protected:
  StorageRestTest() {
    scene_.driver = "driver";
    for (const auto& [name, mode] :
         {std::pair("quick", "Immediate"), std::pair("late", "WaitForFirstConsumer")}) {
      auto& made = scene_.classes.emplace_back();
      made.metadata.name = name;
      made.provisioner = "driver";
      made.volumeBindingMode = mode;
    }
  }
  PersistentVolumeClaim& AddClaim(const std::string& name, const std::string& storage_class,
                                  const std::string& phase = "Pending") {
    PersistentVolumeClaim& claim = scene_.claims.emplace_back();
    claim.metadata.name = name;
    claim.metadata.uid = "uid of " + name;
    claim.spec.storageClassName = storage_class;
    claim.spec.accessModes = {"ReadWriteOnce"};
    claim.spec.resources.requests["storage"] = *api::Quantity::Parse("2Gi");
    claim.status.phase = phase;
    return claim;
  }
  PersistentVolume& AddVolume(const std::string& name, const std::string& size,
                              const std::string& phase = "Available") {
    PersistentVolume& volume = scene_.volumes.emplace_back();
    volume.metadata.name = name;
    volume.spec.capacity["storage"] = *api::Quantity::Parse(size);
    volume.spec.accessModes = {"ReadWriteOnce"};
    volume.spec.persistentVolumeReclaimPolicy = "Delete";
    volume.metadata.annotations["pv.kubernetes.io/provisioned-by"] = "driver";
    volume.status.phase = phase;
    return volume;
  }
  /// A claim and its volume.
  void AddBound(const std::string& name) {
    AddClaim(name, "", "Bound").spec.volumeName = "disk of " + name;
    AddVolume("disk of " + name, "2Gi", "Bound").spec.claimRef.emplace().uid = "uid of " + name;
    scene_.volumes.back().spec.claimRef->name = name;
  }
  Pod& AddPod(const std::string& name, const std::vector<std::string>& claims,
              const std::string& node = "", const std::string& phase = "Pending") {
    Pod& pod = scene_.pods.emplace_back();
    pod.metadata.name = name;
    pod.spec.nodeName = node;
    pod.status.phase = phase;
    for (const std::string& claim : claims) {
      pod.spec.volumes.emplace_back().persistentVolumeClaim.emplace().claimName = claim;
    }
    return pod;
  }
  storage::v1::VolumeAttachment& Attach(const std::string& volume, const std::string& node) {
    auto& attachment = scene_.attachments.emplace_back();
    attachment.metadata.name = volume + " at " + node;
    attachment.spec.source.persistentVolumeName = volume;
    attachment.spec.nodeName = node;
    attachment.status.attached = true;
    return attachment;
  }
  std::vector<std::string> Unrest() const { return UnrestIn(scene_); }

  StorageScene scene_;
};

TEST_F(StorageRestTest, AClaimForWhichThereIsAVolumeIsToBeBound) {
  AddClaim("data", "");
  AddVolume("small", "1Gi");
  EXPECT_THAT(Unrest(), IsEmpty());
  AddVolume("disk", "4Gi");
  EXPECT_THAT(Unrest(), ElementsAre("claim data is Pending, and can be bound"));
  scene_.volumes.back().spec.storageClassName = "quick";
  EXPECT_THAT(Unrest(), IsEmpty());
  scene_.volumes.back().spec.storageClassName = "";
  scene_.volumes.back().spec.accessModes = {"ReadWriteMany"};
  EXPECT_THAT(Unrest(), IsEmpty());
}

TEST_F(StorageRestTest, AVolumeThatIsMeantForAnotherIsNotFree) {
  AddClaim("data", "");
  auto& reference = AddVolume("disk", "4Gi").spec.claimRef.emplace();
  reference.name = "other";
  EXPECT_THAT(Unrest(), IsEmpty());
  reference.name = "data";
  EXPECT_THAT(Unrest(), ElementsAre("claim data is Pending, and can be bound"));
}

TEST_F(StorageRestTest, AClaimThatNamesItsVolumeGetsNoOther) {
  AddClaim("data", "").spec.volumeName = "disk";
  AddVolume("other", "2Gi");
  EXPECT_THAT(Unrest(), IsEmpty());
  AddVolume("disk", "1Gi");
  EXPECT_THAT(Unrest(), IsEmpty());
  scene_.volumes.back().spec.capacity["storage"] = *api::Quantity::Parse("2Gi");
  EXPECT_THAT(Unrest(), ElementsAre("claim data is Pending, and can be bound"));
}

TEST_F(StorageRestTest, AClassMakesVolumesAtOnceOrWhenAPodWantsThem) {
  AddClaim("now", "quick");
  AddClaim("later", "late");
  EXPECT_THAT(Unrest(), ElementsAre("claim now is Pending, and can be bound"));
  AddPod("web", {"later"});
  EXPECT_THAT(Unrest(), ElementsAre("claim now is Pending, and can be bound",
                                    "claim later is Pending, and can be bound"));
  scene_.pods.back().spec.volumes.emplace_back().persistentVolumeClaim.emplace().claimName = "none";
  EXPECT_THAT(Unrest(), ElementsAre("claim now is Pending, and can be bound"));
}

TEST_F(StorageRestTest, ABoundClaimAndItsVolumeAgree) {
  AddBound("data");
  EXPECT_THAT(Unrest(), IsEmpty());
  scene_.volumes.back().status.phase = "Available";
  EXPECT_THAT(Unrest(), ElementsAre("claim data is bound, and its volume is not",
                                    "volume disk of data is had and Available"));
  scene_.volumes.clear();
  EXPECT_THAT(Unrest(), ElementsAre("claim data is bound to a volume that is not its own"));
  scene_.claims.back().status.phase = "Lost";
  EXPECT_THAT(Unrest(), IsEmpty());
}

TEST_F(StorageRestTest, WhatIsToGoGoes) {
  AddBound("data");
  AddPod("web", {"data"}, "a", "Running");
  scene_.claims.back().metadata.deletionTimestamp.emplace();
  scene_.volumes.back().metadata.deletionTimestamp.emplace();
  EXPECT_THAT(Unrest(), IsEmpty());
  scene_.pods.clear();
  EXPECT_THAT(Unrest(), ElementsAre("claim data goes"));
  scene_.claims.clear();
  EXPECT_THAT(Unrest(), ElementsAre("volume disk of data goes"));
}

TEST_F(StorageRestTest, AReleasedVolumeStaysIfItIsToBeKept) {
  AddBound("data");
  scene_.claims.clear();
  EXPECT_THAT(Unrest(), ElementsAre("volume disk of data has no claim, and is Bound"));
  scene_.volumes.back().status.phase = "Released";
  EXPECT_THAT(Unrest(), ElementsAre("volume disk of data has no claim, and is to be deleted"));
  scene_.volumes.back().spec.persistentVolumeReclaimPolicy = "Retain";
  EXPECT_THAT(Unrest(), IsEmpty());
}

TEST_F(StorageRestTest, APodRunsWhenItHasItsVolumes) {
  AddBound("data");
  AddPod("web", {"data"});
  EXPECT_THAT(Unrest(), ElementsAre("pod web is Pending, and has all its volumes"));
  scene_.pods.back().spec.nodeName = "a";
  EXPECT_THAT(Unrest(), ElementsAre("pod web is Pending, and has all its volumes"));
  AddPod("first", {"data"}, "b", "Running");
  Attach("disk of data", "b");
  EXPECT_THAT(Unrest(), IsEmpty());
  scene_.volumes.back().spec.accessModes = {"ReadWriteMany"};
  EXPECT_THAT(Unrest(), ElementsAre("pod web is Pending, and has all its volumes"));
}

TEST_F(StorageRestTest, AVolumeThatIsToGoIsNotAttached) {
  AddBound("data");
  AddPod("web", {"data"}, "a");
  Attach("disk of data", "a").status.attached = false;
  EXPECT_THAT(Unrest(), ElementsAre("pod web is Pending, and has all its volumes",
                                    "attachment disk of data at a is not attached"));
  scene_.volumes.back().metadata.deletionTimestamp.emplace();
  EXPECT_THAT(Unrest(), IsEmpty());
}

TEST_F(StorageRestTest, AVolumeIsAtANodeThatWantsIt) {
  AddBound("data");
  AddPod("web", {"data"}, "a", "Running");
  Attach("disk of data", "a").status.attached = false;
  Attach("disk of data", "b");
  Attach("gone", "a").metadata.deletionTimestamp.emplace();
  EXPECT_THAT(Unrest(), ElementsAre("attachment disk of data at a is not attached",
                                    "attachment disk of data at b is at b, which does not want it",
                                    "attachment gone at a goes"));
}

}  // namespace
}  // namespace flyball::cluster
