#include "flyball/controllers/volume_expander/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/storage/v1.h"
#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::volume_expander {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using sandbox::Requests;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kWaits =
    "Normal ExternalExpanding: waiting for an external controller to expand this PVC";
constexpr const char* kMigrated =
    "Normal ExternalExpanding: CSI migration enabled for kubernetes.io/gce-pd; waiting for "
    "external "
    "resizer to expand the pvc";
constexpr const char* kPatch = "PATCH /api/v1/namespaces/team/persistentvolumeclaims/data/status";

class VolumeExpanderTest : public ControllerFixture {
 protected:
  VolumeExpanderTest() {
    CreateNamespace("team");
    storage::v1::StorageClass slow;
    slow.metadata.name = "slow";
    slow.provisioner = "example.com";
    slow.allowVolumeExpansion = true;
    EXPECT_TRUE(All<storage::v1::StorageClass>().Create(slow));
  }

  void CreateBound(bool migrated = false, const std::string& has = "1Gi") {
    PersistentVolumeClaim claim = FakeClaim("data");
    claim.spec.volumeName = "disk";
    auto created = All<PersistentVolumeClaim>().Create(claim);
    ASSERT_TRUE(created) << created.error().Describe();
    CreateVolume(created->metadata.uid, migrated);
    created->status.phase = "Bound";
    created->status.capacity["storage"] = *api::Quantity::Parse(has);
    EXPECT_TRUE(All<PersistentVolumeClaim>().UpdateStatus(*created));
  }
  void CreateVolume(const std::string& claim_uid, bool migrated) {
    PersistentVolume volume;
    volume.metadata.name = "disk";
    volume.spec.accessModes = {"ReadWriteOnce"};
    volume.spec.capacity["storage"] = *api::Quantity::Parse("1Gi");
    if (migrated) {
      volume.spec.gcePersistentDisk.emplace().pdName = "disk";
    } else {
      volume.spec.csi.emplace().driver = "example.com";
      volume.spec.csi->volumeHandle = "disk";
    }
    auto& reference = volume.spec.claimRef.emplace();
    reference.namespace_ = "team";
    reference.name = "data";
    reference.uid = claim_uid;
    const auto created = All<PersistentVolume>().Create(volume);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void Ask(const std::string& size) {
    auto claim = All<PersistentVolumeClaim>().Get({"team", "data"});
    claim->spec.resources.requests["storage"] = *api::Quantity::Parse(size);
    const auto asked = All<PersistentVolumeClaim>().Update(*claim);
    EXPECT_TRUE(asked) << asked.error().Describe();
  }
  void Run(const std::function<void()>& test) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all), test);
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(VolumeExpanderTest, WhoAsksForMoreIsToldWhoIsWaitedFor) {
  Run([&] {
    CreateBound();
    Pass(seconds(1));
    EXPECT_THAT(events_.lines(), IsEmpty());
    Ask("2Gi");
    Pass(seconds(60));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kWaits));
}

TEST_F(VolumeExpanderTest, OneFromBeforeIsToldAtTheStart) {
  CreateBound();
  Ask("2Gi");
  Run([&] { Pass(seconds(1)); });
  EXPECT_THAT(events_.lines(), ElementsAre(kWaits));
}

TEST_F(VolumeExpanderTest, ADriverThatHasTakenOverIsTold) {
  Run([&] {
    CreateBound(/*migrated=*/true);
    Ask("2Gi");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kPatch));
    EXPECT_EQ(*All<PersistentVolumeClaim>()
                   .Get({"team", "data"})
                   ->metadata.annotations.find("volume.kubernetes.io/storage-resizer"),
              "pd.csi.storage.gke.io");
    Ask("3Gi");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kMigrated, kMigrated));
}

TEST_F(VolumeExpanderTest, WhoCannotTellItSaysSoAndTriesAgain) {
  Run([&] {
    CreateBound(/*migrated=*/true);
    Pass(seconds(1));
    auto refused = faults_.On(Requests::Patches()).Once().Refuse(500);
    Ask("2Gi");
    Pass(seconds(120));
    EXPECT_THAT(TakeRequests(), ElementsAre(kPatch, kPatch));
  });
  EXPECT_THAT(events_.lines(),
              Contains(HasSubstr("Warning ExternalExpanding: error setting resizer annotation to "
                                 "pvc team/data, with error patchPVCStatus failed to patch PVC "
                                 "\"data\": ")));
}

TEST_F(VolumeExpanderTest, AVolumeThatTheCacheHasNotHeardOfIsWaitedFor) {
  auto late = faults_.OnEvents(Requests::Watches().Of("persistentvolumes")).Delay(seconds(5));
  Run([&] {
    Pass(seconds(1));
    CreateBound();
    Ask("2Gi");
    Pass(seconds(2));
    EXPECT_THAT(events_.lines(), IsEmpty());
    Pass(seconds(30));
    EXPECT_THAT(events_.lines(), ElementsAre(kWaits));
  });
}

}  // namespace
}  // namespace flyball::controllers::volume_expander
