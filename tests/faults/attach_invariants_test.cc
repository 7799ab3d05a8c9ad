#include "tests/faults/attach_invariants.h"

#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"

namespace flyball::faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AttachInvariantsTest : public testing::Test {
 protected:
  AttachInvariantsTest() { TellOfVolume("ReadWriteOnce"); }

  void TellOfVolume(const std::string& mode) {
    core::v1::PersistentVolume volume;
    volume.metadata.name = "disk";
    volume.spec.accessModes = {mode};
    volume.spec.csi.emplace().driver = "d";
    volume.spec.csi->volumeHandle = "h";
    volume.spec.claimRef.emplace().name = "data";
    invariants_.TellOfVolume("uid of disk", volume);
  }
  void TellOfPod(const std::string& node, const std::string& phase) {
    core::v1::Pod pod;
    pod.metadata.name = "web";
    pod.spec.nodeName = node;
    pod.status.phase = phase;
    pod.spec.volumes.emplace_back().persistentVolumeClaim.emplace().claimName = "data";
    invariants_.TellOfPod("uid of web", pod);
  }
  void TellOfNode(bool told, bool uses, bool out_of_service = false) {
    core::v1::Node node;
    node.metadata.name = "a";
    if (told) node.status.volumesAttached.emplace_back().name = "kubernetes.io/csi/d^h";
    if (uses) node.status.volumesInUse = {"kubernetes.io/csi/d^h"};
    if (out_of_service) {
      node.spec.taints.emplace_back().key = "node.kubernetes.io/out-of-service";
    }
    invariants_.TellOfNode("a", node);
  }
  void Attach(const std::string& node, bool goes = false) {
    storage::v1::VolumeAttachment attachment;
    attachment.spec.nodeName = node;
    attachment.spec.source.persistentVolumeName = "disk";
    if (goes) attachment.metadata.deletionTimestamp = api::Time::FromUnix(1);
    invariants_.TellOfAttachment("uid on " + node, attachment);
  }
  void End(const std::string& node) {
    invariants_.TellOfAttachment("uid on " + node, std::nullopt);
  }

  std::vector<std::string> violations_;
  FakeClock clock_;
  AttachInvariants invariants_{violations_, clock_};
};

TEST_F(AttachInvariantsTest, AVolumeGoesFromNodeToNode) {
  TellOfPod("a", "Running");
  Attach("a");
  TellOfNode(true, true);
  TellOfPod("a", "Succeeded");
  TellOfNode(false, false);
  Attach("a", /*goes=*/true);
  TellOfNode(false, true);
  Attach("a", /*goes=*/true);
  End("a");
  Attach("b");
  invariants_.TellOfPod("uid of web", std::nullopt);
  invariants_.TellOfNode("a", std::nullopt);
  End("b");
  End("never there");
  invariants_.TellOfVolume("uid of disk", std::nullopt);
  Attach("c");
  End("c");
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(AttachInvariantsTest, OneNodeHasItAtATime) {
  Attach("a", /*goes=*/true);
  Attach("b");
  EXPECT_THAT(violations_, ElementsAre("disk is to be attached to b, and a has it"));
}

TEST_F(AttachInvariantsTest, UnlessSeveralMay) {
  TellOfVolume("ReadWriteMany");
  Attach("a");
  Attach("b");
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(AttachInvariantsTest, NothingIsDetachedUnderAPod) {
  TellOfPod("a", "Running");
  Attach("a");
  Attach("a", /*goes=*/true);
  EXPECT_THAT(violations_, ElementsAre("disk is to be detached from a, and web runs there"));
}

TEST_F(AttachInvariantsTest, NorUnderANode) {
  Attach("a");
  TellOfNode(true, true);
  End("a");
  EXPECT_THAT(violations_,
              ElementsAre("disk is to be detached from a, which is told that it has it",
                          "disk is to be detached from a, which uses it"));
}

TEST_F(AttachInvariantsTest, UnlessItIsOutOfService) {
  Attach("a");
  TellOfNode(false, true, /*out_of_service=*/true);
  End("a");
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(AttachInvariantsTest, OrIsWaitedForTooLong) {
  TellOfPod("a", "Running");
  Attach("a");
  TellOfNode(false, true);
  invariants_.TellOfPod("uid of web", std::nullopt);
  clock_.Advance(std::chrono::minutes(6));
  End("a");
  EXPECT_THAT(violations_, IsEmpty());
}

}  // namespace
}  // namespace flyball::faults
