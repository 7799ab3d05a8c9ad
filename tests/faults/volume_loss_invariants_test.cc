#include "tests/faults/volume_loss_invariants.h"

#include "gmock/gmock.h"

namespace flyball::faults {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using testing::ElementsAre;
using testing::IsEmpty;

class VolumeLossInvariantsTest : public testing::Test {
 protected:
  static PersistentVolume Volume(const std::string& name, const std::string& policy) {
    PersistentVolume volume;
    volume.metadata.name = name;
    volume.spec.persistentVolumeReclaimPolicy = policy;
    volume.spec.claimRef.emplace().uid = "uid of data";
    return volume;
  }
  void Tell(const PersistentVolume& volume) {
    invariants_.TellOfVolume("uid of " + volume.metadata.name, volume);
  }
  void EndVolume(const std::string& name) {
    invariants_.TellOfVolume("uid of " + name, std::nullopt);
  }
  void TellOfClaim(const std::string& volume) {
    PersistentVolumeClaim claim;
    claim.metadata.name = "data";
    claim.spec.volumeName = volume;
    invariants_.TellOfClaim("uid of data", claim);
  }
  void EndClaim() { invariants_.TellOfClaim("uid of data", std::nullopt); }

  std::vector<std::string> violations_;
  VolumeLossInvariants invariants_{violations_};
};

TEST_F(VolumeLossInvariantsTest, AVolumeGoesAfterItsClaim) {
  TellOfClaim("disk");
  PersistentVolume volume = Volume("disk", "Delete");
  Tell(volume);
  EndClaim();
  volume.metadata.deletionTimestamp.emplace();
  Tell(volume);
  EndVolume("disk");
  EndVolume("never there");
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(VolumeLossInvariantsTest, OneThatIsToBeKeptDoesNotGoByItself) {
  PersistentVolume volume = Volume("disk", "Retain");
  Tell(volume);
  volume.metadata.deletionTimestamp.emplace();
  Tell(volume);
  EndVolume("disk");
  EXPECT_THAT(violations_, ElementsAre("volume disk goes, and its policy is Retain"));
}

TEST_F(VolumeLossInvariantsTest, WhatItWasToBeBeforeItWentCounts) {
  PersistentVolume volume = Volume("disk", "Delete");
  Tell(volume);
  volume.spec.persistentVolumeReclaimPolicy = "Retain";
  Tell(volume);
  EndVolume("disk");
  EXPECT_THAT(violations_, ElementsAre("volume disk goes, and its policy is Retain"));
}

TEST_F(VolumeLossInvariantsTest, OneDoesNotGoWhileItsClaimIsThere) {
  TellOfClaim("disk");
  Tell(Volume("disk", "Delete"));
  EndVolume("disk");
  EXPECT_THAT(violations_, ElementsAre("volume disk goes, and is that of claim data"));
}

TEST_F(VolumeLossInvariantsTest, NorWhileItsClaimIsAboutToHaveIt) {
  TellOfClaim("");
  Tell(Volume("disk", "Delete"));
  EndVolume("disk");
  EXPECT_THAT(violations_, ElementsAre("volume disk goes, and is that of claim data"));
}

TEST_F(VolumeLossInvariantsTest, OneWhoseClaimGotAnotherMayGo) {
  TellOfClaim("other");
  Tell(Volume("disk", "Delete"));
  EndVolume("disk");
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(VolumeLossInvariantsTest, PeopleMayDeleteAny) {
  TellOfClaim("disk");
  Tell(Volume("disk", "Retain"));
  invariants_.PeopleDelete("uid of disk");
  EndVolume("disk");
  EXPECT_THAT(violations_, IsEmpty());
}

}  // namespace
}  // namespace flyball::faults
