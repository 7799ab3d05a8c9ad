#include "flyball/controllers/attributes_class_protection/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/storage/v1.h"
#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/controller_fixture.h"

namespace flyball::controllers::attributes_class_protection {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using sandbox::Requests;
using std::chrono::seconds;
using storage::v1::VolumeAttributesClass;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kPut = "PUT /apis/storage.k8s.io/v1/volumeattributesclasses/gold";

class AttributesClassProtectionTest : public ControllerFixture {
 protected:
  AttributesClassProtectionTest() {
    CreateNamespace("team");
    VolumeAttributesClass gold;
    gold.metadata.name = "gold";
    gold.driverName = "example.com";
    gold.parameters = {{"iops", "9"}};
    const auto created = All<VolumeAttributesClass>().Create(gold);
    EXPECT_TRUE(created) << created.error().Describe();
  }

  void CreateClaim(const std::string& attributes) {
    PersistentVolumeClaim claim = FakeClaim("data");
    if (!attributes.empty()) claim.spec.volumeAttributesClassName = attributes;
    const auto created = All<PersistentVolumeClaim>().Create(claim);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void SetCurrent(std::optional<std::string> attributes) {
    auto claim = All<PersistentVolumeClaim>().Get({"team", "data"});
    claim->status.currentVolumeAttributesClassName = std::move(attributes);
    EXPECT_TRUE(All<PersistentVolumeClaim>().UpdateStatus(*claim));
  }
  void RemoveClaim() {
    auto claim = All<PersistentVolumeClaim>().Get({"team", "data"});
    claim->metadata.finalizers.clear();
    EXPECT_TRUE(All<PersistentVolumeClaim>().Update(*claim));
    EXPECT_TRUE(All<PersistentVolumeClaim>().Delete({"team", "data"}));
  }
  void CreateVolume() {
    PersistentVolume volume;
    volume.metadata.name = "disk";
    volume.spec.accessModes = {"ReadWriteOnce"};
    volume.spec.capacity["storage"] = *api::Quantity::Parse("1Gi");
    volume.spec.hostPath.emplace().path = "/disk";
    volume.spec.volumeAttributesClassName = "gold";
    const auto created = All<PersistentVolume>().Create(volume);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void RemoveVolume() {
    auto volume = All<PersistentVolume>().Get({"", "disk"});
    volume->metadata.finalizers.clear();
    EXPECT_TRUE(All<PersistentVolume>().Update(*volume));
    EXPECT_TRUE(All<PersistentVolume>().Delete({"", "disk"}));
  }
  void Delete() { EXPECT_TRUE(All<VolumeAttributesClass>().Delete({"", "gold"})); }
  bool IsThere() { return All<VolumeAttributesClass>().Get({"", "gold"}).has_value(); }
};

TEST_F(AttributesClassProtectionTest, OneThatNobodyNeedsGoes) {
  Play(Make(deps()), [&] {
    Delete();
    Pass(seconds(1));
    EXPECT_FALSE(IsThere());
    EXPECT_THAT(TakeRequests(), ElementsAre(kPut));
  });
}

TEST_F(AttributesClassProtectionTest, OneStaysUntilTheLastClaimAndVolumeAreGone) {
  CreateClaim("gold");
  CreateVolume();
  Play(Make(deps()), [&] {
    Delete();
    Pass(seconds(60));
    RemoveClaim();
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    EXPECT_THAT(TakeRequests(), IsEmpty());
    RemoveVolume();
    Pass(seconds(1));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(AttributesClassProtectionTest, OneThatAClaimStillHasStaysUntilItHasAnother) {
  CreateClaim("");
  SetCurrent("gold");
  Play(Make(deps()), [&] {
    Delete();
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    SetCurrent(std::nullopt);
    Pass(seconds(1));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(AttributesClassProtectionTest, AProtectionThatSomebodyTookAwayComesBack) {
  Play(Make(deps()), [&] {
    auto gold = All<VolumeAttributesClass>().Get({"", "gold"});
    gold->metadata.finalizers.clear();
    EXPECT_TRUE(All<VolumeAttributesClass>().Update(*gold));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kPut));
    EXPECT_THAT(All<VolumeAttributesClass>().Get({"", "gold"})->metadata.finalizers,
                ElementsAre("kubernetes.io/vac-protection"));
  });
}

TEST_F(AttributesClassProtectionTest, AClaimThatTheCacheHasNotHeardOfKeepsIt) {
  auto late = faults_.OnEvents(Requests::Watches().Of("persistentvolumeclaims")).Delay(seconds(30));
  Play(Make(deps()), [&] {
    Pass(seconds(1));
    CreateClaim("gold");
    Delete();
    Pass(seconds(200));
    EXPECT_TRUE(IsThere());
    EXPECT_THAT(TakeRequests(), IsEmpty());
    RemoveClaim();
    Pass(seconds(60));
    EXPECT_FALSE(IsThere());
  });
}

}  // namespace
}  // namespace flyball::controllers::attributes_class_protection
