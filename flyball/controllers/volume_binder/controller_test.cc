#include "flyball/controllers/volume_binder/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "flyball/api/storage/v1.h"
#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/volume_binder/annotations.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::volume_binder {
namespace {

using sandbox::Requests;
using std::chrono::seconds;
using storage::v1::StorageClass;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kVolumePut = "PUT /api/v1/persistentvolumes/disk";
constexpr const char* kVolumeStatusPut = "PUT /api/v1/persistentvolumes/disk/status";
constexpr const char* kClaimPut = "PUT /api/v1/namespaces/team/persistentvolumeclaims/data";
constexpr const char* kClaimStatusPut =
    "PUT /api/v1/namespaces/team/persistentvolumeclaims/data/status";

class VolumeBinderTest : public ControllerFixture {
 protected:
  VolumeBinderTest() {
    CreateNamespace("team");
    CreateServiceAccount("team");
  }

  template <typename T>
  T Create(const T& object) {
    auto created = All<T>().Create(object);
    EXPECT_TRUE(created) << created.error().Describe();
    return *std::move(created);
  }
  PersistentVolume CreateVolume(const std::string& name = "disk",
                                const std::function<void(PersistentVolume&)>& change = nullptr) {
    PersistentVolume volume;
    volume.metadata.name = name;
    volume.spec.accessModes = {"ReadWriteOnce"};
    volume.spec.storageClassName = "slow";
    volume.spec.capacity["storage"] = *api::Quantity::Parse("1Gi");
    volume.spec.csi.emplace().driver = "example.com";
    volume.spec.csi->volumeHandle = name;
    if (change) change(volume);
    return Create(volume);
  }
  PersistentVolumeClaim CreateClaim(
      const std::string& name = "data",
      const std::function<void(PersistentVolumeClaim&)>& change = nullptr) {
    PersistentVolumeClaim claim = FakeClaim(name);
    if (change) change(claim);
    return Create(claim);
  }
  void CreateClass(const std::string& name, const std::string& binding = "Immediate",
                   bool is_default = false) {
    StorageClass storage_class;
    storage_class.metadata.name = name;
    storage_class.provisioner = "example.com/disks";
    storage_class.volumeBindingMode = binding;
    if (is_default) {
      storage_class.metadata.annotations["storageclass.kubernetes.io/is-default-class"] = "true";
    }
    Create(storage_class);
  }
  void RemoveClaim(const std::string& name = "data") {
    auto claim = All<PersistentVolumeClaim>().Get({"team", name});
    claim->metadata.finalizers.clear();
    EXPECT_TRUE(All<PersistentVolumeClaim>().Update(*claim));
    EXPECT_TRUE(All<PersistentVolumeClaim>().Delete({"team", name}));
  }
  void RemoveVolume(const std::string& name = "disk") {
    auto volume = All<PersistentVolume>().Get({"", name});
    volume->metadata.finalizers.clear();
    EXPECT_TRUE(All<PersistentVolume>().Update(*volume));
    EXPECT_TRUE(All<PersistentVolume>().Delete({"", name}));
  }
  /// "Bound disk".
  std::string ClaimIs(const std::string& name = "data") {
    const auto claim = All<PersistentVolumeClaim>().Get({"team", name});
    return claim ? claim->status.phase + " " + claim->spec.volumeName : "gone";
  }
  /// "Bound data".
  std::string VolumeIs(const std::string& name = "disk") {
    const auto volume = All<PersistentVolume>().Get({"", name});
    if (!volume) return "gone";
    return volume->status.phase + " " +
           (volume->spec.claimRef ? volume->spec.claimRef->name : std::string());
  }
  void Run(const std::function<void()>& test, Options options = {}) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all, options), test);
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(VolumeBinderTest, ABindingIsFourWrites) {
  Run([&] {
    CreateVolume();
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kVolumeStatusPut));
    CreateClaim();
    Pass(seconds(60));
    EXPECT_THAT(TakeRequests(),
                ElementsAre(kVolumePut, kVolumeStatusPut, kClaimPut, kClaimStatusPut));
    EXPECT_EQ(ClaimIs(), "Bound disk");
    EXPECT_EQ(VolumeIs(), "Bound data");
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(VolumeBinderTest, AVolumeThatComesLaterIsFoundInTime) {
  Run([&] {
    CreateClaim("data", [](auto& claim) { claim.spec.storageClassName = ""; });
    Pass(seconds(1));
    CreateVolume("disk", [](auto& volume) { volume.spec.storageClassName = ""; });
    Pass(seconds(20));
    EXPECT_EQ(ClaimIs(), "Bound disk");
  });
  EXPECT_THAT(events_.lines(), Each(HasSubstr("no storage class is set")));
}

TEST_F(VolumeBinderTest, ManyClaimsGetAVolumeEachWithoutAConflict) {
  Run([&] {
    for (int i = 0; i < 20; ++i) CreateVolume("disk-" + std::to_string(i));
    Pass(seconds(1));
    TakeRequests();
    for (int i = 0; i < 20; ++i) CreateClaim("data-" + std::to_string(i));
    Pass(seconds(1));
    std::set<std::string> bound;
    for (int i = 0; i < 20; ++i) bound.insert(ClaimIs("data-" + std::to_string(i)));
    EXPECT_EQ(bound.size(), 20U);
    EXPECT_THAT(bound, Each(HasSubstr("Bound disk-")));
    EXPECT_EQ(TakeRequests().size(), 80U);
  });
}

/// Each of the four writes fails once, before or after it was done.
class VolumeBinderBreaks : public VolumeBinderTest,
                           public testing::WithParamInterface<std::pair<int, bool>> {};

TEST_P(VolumeBinderBreaks, ABindingIsFinishedFromAnyWriteOn) {
  const auto [writes, done] = GetParam();
  CreateVolume();
  Run([&] {
    Pass(seconds(1));
    auto rule = faults_.On(Requests::Updates()).After(writes).Once();
    if (done) {
      rule.LoseAnswer();
    } else {
      rule.Refuse(500);
    }
    CreateClaim();
    Pass(seconds(180));
    EXPECT_EQ(ClaimIs(), "Bound disk");
    EXPECT_EQ(VolumeIs(), "Bound data");
  });
}

INSTANTIATE_TEST_SUITE_P(Writes, VolumeBinderBreaks,
                         testing::Values(std::pair(0, false), std::pair(0, true),
                                         std::pair(1, false), std::pair(1, true),
                                         std::pair(2, false), std::pair(2, true),
                                         std::pair(3, false), std::pair(3, true)));

TEST_F(VolumeBinderTest, AClaimThatIsDeletedReleasesItsVolume) {
  Run([&] {
    CreateVolume();
    CreateClaim();
    Pass(seconds(20));
    RemoveClaim();
    Pass(seconds(1));
    EXPECT_EQ(VolumeIs(), "Released data");
    // Another of the same name does not get what was another's.
    CreateClaim("data", [](auto& claim) { claim.spec.storageClassName = "other"; });
    Pass(seconds(60));
    EXPECT_EQ(VolumeIs(), "Released data");
    EXPECT_EQ(ClaimIs(), "Pending ");
  });
}

TEST_F(VolumeBinderTest, AVolumeIsNotReleasedForAClaimThatTheCacheHasNotHeardOf) {
  auto late = faults_.OnEvents(Requests::Watches().Of("persistentvolumeclaims")).Delay(seconds(30));
  Run([&] {
    Pass(seconds(1));
    const auto claim = CreateClaim();
    // As a provisioner makes it.
    CreateVolume("disk", [&](auto& volume) {
      auto& reference = volume.spec.claimRef.emplace();
      reference.namespace_ = "team";
      reference.name = "data";
      reference.uid = claim.metadata.uid;
    });
    Pass(seconds(20));
    EXPECT_EQ(VolumeIs(), "Pending data");
    Pass(seconds(120));
    EXPECT_EQ(VolumeIs(), "Bound data");
    EXPECT_EQ(ClaimIs(), "Bound disk");
  });
}

TEST_F(VolumeBinderTest, AClaimWhoseVolumeIsGoneIsLostAndSaysSoOnce) {
  Run([&] {
    CreateVolume();
    Pass(seconds(1));
    CreateClaim();
    Pass(seconds(20));
    RemoveVolume();
    Pass(seconds(60));
    EXPECT_EQ(ClaimIs(), "Lost disk");
  });
  EXPECT_THAT(events_.lines(), ElementsAre("Warning ClaimLost: Bound claim has lost its "
                                           "PersistentVolume. Data on the volume is lost!"));
}

TEST_F(VolumeBinderTest, AClaimIsNotLostForAVolumeThatTheCacheHasNotHeardOf) {
  auto late = faults_.OnEvents(Requests::Watches().Of("persistentvolumes")).Delay(seconds(30));
  Run([&] {
    Pass(seconds(1));
    CreateVolume();
    CreateClaim("data", [](auto& claim) {
      claim.spec.volumeName = "disk";
      claim.metadata.annotations[kBindCompleted] = "yes";
    });
    Pass(seconds(20));
    EXPECT_EQ(ClaimIs(), "Pending disk");
    Pass(seconds(120));
    EXPECT_EQ(ClaimIs(), "Bound disk");
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(VolumeBinderTest, AProvisionerIsToldAndWhatItMakesIsBound) {
  CreateClass("slow");
  Run([&] {
    const auto claim = CreateClaim();
    Pass(seconds(1));
    const auto told = All<PersistentVolumeClaim>().Get({"team", "data"});
    EXPECT_EQ(*AnnotationOf(*told, kProvisioner), "example.com/disks");
    EXPECT_THAT(TakeRequests(), ElementsAre(kClaimPut));
    CreateVolume("disk", [&](auto& volume) {
      volume.metadata.annotations[kProvisionedBy] = "example.com/disks";
      auto& reference = volume.spec.claimRef.emplace();
      reference.namespace_ = "team";
      reference.name = "data";
      reference.uid = claim.metadata.uid;
    });
    Pass(seconds(2));
    EXPECT_EQ(ClaimIs(), "Bound disk");
    EXPECT_EQ(VolumeIs(), "Bound data");
  });
  EXPECT_THAT(events_.lines(),
              Each(HasSubstr("Normal ExternalProvisioning: Waiting for a volume")));
}

TEST_F(VolumeBinderTest, WhereItIsTurnedOffNobodyIsTold) {
  CreateClass("slow");
  Run(
      [&] {
        CreateClaim();
        Pass(seconds(60));
        EXPECT_THAT(TakeRequests(), IsEmpty());
      },
      {.provisions = false});
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(VolumeBinderTest, AnErrorToTellAProvisionerIsSaid) {
  CreateClass("slow");
  faults_.On(Requests::Updates()).Once().Refuse(500);
  Run([&] {
    CreateClaim();
    Pass(seconds(120));
    EXPECT_TRUE(HasAnnotation(*All<PersistentVolumeClaim>().Get({"team", "data"}), kProvisioner));
  });
  EXPECT_THAT(events_.lines(),
              Contains(HasSubstr("Warning ProvisioningFailed: Error saving claim: ")));
}

TEST_F(VolumeBinderTest, AClaimWaitsForItsFirstConsumer) {
  CreateClass("slow", "WaitForFirstConsumer");
  CreateVolume();
  Run([&] {
    CreateClaim();
    Pass(seconds(2));
    EXPECT_THAT(events_.lines(),
                Each("Normal WaitForFirstConsumer: waiting for first consumer to be created before "
                     "binding"));
    Create(WithClaim(FakeStoragePod("web", ""), "data"));
    Pass(seconds(20));
    EXPECT_THAT(events_.lines(),
                Contains("Normal WaitForPodScheduled: waiting for pod web to be scheduled"));
    EXPECT_EQ(ClaimIs(), "Pending ");
    // As the scheduler does.
    EXPECT_TRUE(All<PersistentVolumeClaim>().Patch(
        {"team", "data"},
        {client::PatchType::kMerge,
         R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"node"}}})"}));
    Pass(seconds(1));
    EXPECT_THAT(events_.lines(), Contains(HasSubstr("ExternalProvisioning")));
  });
}

TEST_F(VolumeBinderTest, ItIsCountedHowLongAVolumeIsInTheMakingAndOnItsWayOut) {
  CreateClass("slow");
  Run([&] {
    const auto claim = CreateClaim();
    Pass(seconds(5));
    // As a provisioner does.
    CreateVolume("disk", [&](auto& volume) {
      volume.metadata.annotations[kProvisionedBy] = "example.com/disks";
      volume.spec.persistentVolumeReclaimPolicy = "Delete";
      auto& reference = volume.spec.claimRef.emplace();
      reference.namespace_ = "team";
      reference.name = "data";
      reference.uid = claim.metadata.uid;
    });
    Pass(seconds(1));
    EXPECT_EQ(ClaimIs(), "Bound disk");
    RemoveClaim();
    Pass(seconds(9));
    auto volume = All<PersistentVolume>().Get({"", "disk"});
    volume->metadata.finalizers.clear();
    EXPECT_TRUE(All<PersistentVolume>().Update(*volume));
    EXPECT_TRUE(All<PersistentVolume>().Delete({"", "disk"}));
    Pass(seconds(1));
  });
  const auto bucket = [](const std::string& operation, const std::string& up_to, int count) {
    return "volume_operation_total_seconds_bucket{operation_name=\"" + operation +
           "\",plugin_name=\"example.com/disks\",le=\"" + up_to + "\"} " + std::to_string(count) +
           "\n";
  };
  const std::string text = metrics_.Text();
  EXPECT_THAT(text, HasSubstr(bucket("provision", "2.5", 0)));
  EXPECT_THAT(text, HasSubstr(bucket("provision", "10", 1)));
  EXPECT_THAT(text, HasSubstr(bucket("delete", "5", 0)));
  EXPECT_THAT(text, HasSubstr(bucket("delete", "15", 1)));
  EXPECT_THAT(text, Not(HasSubstr("volume_operation_errors_total{")));
}

TEST_F(VolumeBinderTest, PathsThatNobodyDeletesAreCountedAndWhatHasNoDriverIsNot) {
  Run([&] {
    for (const std::string name : {"path", "share"}) {
      CreateVolume(name, [&](auto& volume) {
        volume.spec.csi.reset();
        volume.spec.persistentVolumeReclaimPolicy = "Delete";
        if (name == "path") volume.spec.hostPath.emplace().path = "/data";
        if (name == "share") {
          auto& share = volume.spec.nfs.emplace();
          share.server = "there";
          share.path = "/data";
        }
        auto& reference = volume.spec.claimRef.emplace();
        reference.namespace_ = "team";
        reference.name = reference.uid = "gone";
      });
    }
    Pass(seconds(1));
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("volume_operation_errors_total{operation_name=\"delete\","
                                         "plugin_name=\"kubernetes.io/host-path\"} "));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("plugin_name=\"N/A\"")));
}

TEST_F(VolumeBinderTest, AClaimGetsTheClassThatBecomesTheDefault) {
  Run([&] {
    CreateClaim("data", [](auto& claim) { claim.spec.storageClassName.reset(); });
    Pass(seconds(1));
    CreateClass("new", "Immediate", /*is_default=*/true);
    Pass(seconds(20));
    EXPECT_EQ(All<PersistentVolumeClaim>().Get({"team", "data"})->spec.storageClassName, "new");
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("retroactive_storageclass_total 1"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("retroactive_storageclass_errors_total 0"));
}

TEST_F(VolumeBinderTest, ABindingThatLostTheRaceIsTakenBack) {
  Run([&] {
    CreateVolume();
    const auto claim = CreateClaim();
    Pass(seconds(20));
    CreateVolume("late", [&](auto& volume) {
      volume.metadata.annotations[kBoundByController] = "yes";
      auto& reference = volume.spec.claimRef.emplace();
      reference.namespace_ = "team";
      reference.name = "data";
      reference.uid = claim.metadata.uid;
    });
    Pass(seconds(1));
    EXPECT_EQ(VolumeIs("late"), "Available ");
    EXPECT_EQ(ClaimIs(), "Bound disk");
  });
}

TEST_F(VolumeBinderTest, WhatNobodyCanReclaimHasFailedAndSaysSoOnce) {
  Run([&] {
    CreateVolume("disk", [](auto& volume) {
      volume.spec.csi.reset();
      volume.spec.hostPath.emplace().path = "/data";
      volume.spec.persistentVolumeReclaimPolicy = "Delete";
    });
    Pass(seconds(1));
    CreateClaim();
    Pass(seconds(20));
    RemoveClaim();
    Pass(seconds(60));
    EXPECT_EQ(VolumeIs(), "Failed data");
    EXPECT_EQ(All<PersistentVolume>().Get({"", "disk"})->status.message,
              "host_path deleter only supports /tmp/.+ but received provided /data");
  });
  EXPECT_THAT(events_.lines(),
              ElementsAre("Warning VolumeFailedDelete: host_path deleter only supports /tmp/.+ but "
                          "received provided /data"));
}

TEST_F(VolumeBinderTest, ModesThatDoNotGoTogetherAreToldOnBothSides) {
  Run([&] {
    const auto claim = CreateClaim("data", [](auto& c) { c.spec.volumeMode = "Block"; });
    CreateVolume("disk", [&](auto& volume) {
      auto& reference = volume.spec.claimRef.emplace();
      reference.namespace_ = "team";
      reference.name = "data";
      reference.uid = claim.metadata.uid;
    });
    Pass(seconds(1));
  });
  EXPECT_THAT(events_.lines(), Contains(HasSubstr("Cannot bind PersistentVolume to requested")));
  EXPECT_THAT(events_.lines(), Contains(HasSubstr("Cannot bind PersistentVolume \"disk\" to")));
}

}  // namespace
}  // namespace flyball::controllers::volume_binder
