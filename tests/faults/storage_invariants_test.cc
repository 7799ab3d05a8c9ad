#include "tests/faults/storage_invariants.h"

#include "gmock/gmock.h"

namespace flyball::faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StorageInvariantsTest : public testing::Test {
 protected:
  void TellOfClaim(const std::string& name, const std::string& phase,
                   const std::string& volume = "") {
    core::v1::PersistentVolumeClaim claim;
    claim.metadata.name = name;
    claim.metadata.uid = "uid of " + name;
    claim.spec.volumeName = volume;
    claim.status.phase = phase;
    invariants_.TellOfClaim(claim.metadata.uid, claim);
  }
  void EndClaim(const std::string& name) {
    invariants_.TellOfClaim("uid of " + name, std::nullopt);
  }
  void TellOfVolume(const std::string& name, const std::string& phase,
                    const std::string& claim = "") {
    core::v1::PersistentVolume volume;
    volume.metadata.name = name;
    volume.status.phase = phase;
    if (!claim.empty()) {
      volume.spec.claimRef.emplace().uid = "uid of " + claim;
      volume.spec.claimRef->name = claim;
    }
    invariants_.TellOfVolume("uid of " + name, volume);
  }
  void TellOfPod(const std::string& name, const std::string& claim, const std::string& node) {
    core::v1::Pod pod;
    pod.metadata.name = name;
    pod.spec.nodeName = node;
    pod.spec.volumes.emplace_back().persistentVolumeClaim.emplace().claimName = claim;
    invariants_.TellOfPod("uid of " + name, pod);
  }

  std::vector<std::string> violations_;
  StorageInvariants invariants_{violations_};
};

TEST_F(StorageInvariantsTest, AClaimAndItsVolumeFromStartToEnd) {
  TellOfVolume("disk", "Available");
  TellOfClaim("data", "Pending");
  TellOfVolume("disk", "Available", "data");
  TellOfVolume("disk", "Bound", "data");
  TellOfClaim("data", "Bound", "disk");
  TellOfPod("web", "data", "node");
  TellOfPod("other", "other", "node");
  TellOfPod("waiting", "data", "");
  invariants_.TellOfPod("uid of web", std::nullopt);
  EndClaim("data");
  EndClaim("never there");
  TellOfVolume("disk", "Released", "data");
  invariants_.TellOfVolume("uid of disk", std::nullopt);
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(StorageInvariantsTest, AClaimInUseDoesNotGo) {
  TellOfClaim("data", "Bound", "disk");
  TellOfPod("web", "data", "node");
  EndClaim("data");
  EXPECT_THAT(violations_, ElementsAre("claim data goes, and pod web uses it"));
}

TEST_F(StorageInvariantsTest, AClaimThatWasMadeForAPodGoesWhenThatHasEnded) {
  core::v1::Pod pod;
  pod.metadata.name = "web";
  pod.metadata.uid = "uid of web";
  pod.spec.nodeName = "node";
  pod.spec.volumes.emplace_back().name = "data";
  pod.spec.volumes.back().ephemeral.emplace();
  core::v1::PersistentVolumeClaim claim;
  claim.metadata.name = "web-data";
  claim.metadata.ownerReferences.emplace_back().uid = pod.metadata.uid;
  invariants_.TellOfPod("uid of web", pod);
  invariants_.TellOfClaim("first", claim);
  invariants_.TellOfClaim("first", std::nullopt);
  EXPECT_THAT(violations_, ElementsAre("claim web-data goes, and pod web uses it"));
  pod.metadata.deletionTimestamp.emplace();
  pod.metadata.deletionGracePeriodSeconds = 0;
  invariants_.TellOfPod("uid of web", pod);
  invariants_.TellOfClaim("second", claim);
  invariants_.TellOfClaim("second", std::nullopt);
  EXPECT_EQ(violations_.size(), 1U);
}

TEST_F(StorageInvariantsTest, AClaimHasOneVolume) {
  TellOfVolume("disk", "Bound", "data");
  TellOfVolume("promised", "Available", "data");
  TellOfVolume("other", "Bound", "more");
  TellOfVolume("second", "Bound", "data");
  EXPECT_THAT(violations_,
              ElementsAre("volume second is bound to claim data, and so is volume disk"));
}

TEST_F(StorageInvariantsTest, AVolumeHasOneClaim) {
  TellOfClaim("data", "Bound", "disk");
  TellOfClaim("more", "Bound", "other");
  TellOfClaim("second", "Bound", "disk");
  EXPECT_THAT(violations_, ElementsAre("claim second is bound to disk, and so is claim data"));
}

TEST_F(StorageInvariantsTest, AClaimWhoseVolumeIsThereIsNotLost) {
  TellOfVolume("disk", "Bound", "data");
  TellOfVolume("taken", "Bound", "other");
  TellOfClaim("data", "Lost", "disk");
  TellOfClaim("second", "Lost", "taken");
  TellOfClaim("third", "Lost", "gone");
  EXPECT_THAT(violations_, ElementsAre("claim data is lost, and has volume disk"));
}

TEST_F(StorageInvariantsTest, AVolumeWhoseClaimIsThereIsNotReleased) {
  TellOfClaim("data", "Bound", "disk");
  TellOfClaim("elsewhere", "Bound", "another");
  TellOfVolume("disk", "Released", "data");
  TellOfVolume("spare", "Released", "elsewhere");
  TellOfVolume("left", "Released", "gone");
  EXPECT_THAT(violations_, ElementsAre("volume disk is released, and is that of claim data"));
}

}  // namespace
}  // namespace flyball::faults
