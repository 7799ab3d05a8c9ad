#include "flyball/controllers/volume_protection/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"

namespace flyball::controllers::volume_protection {
namespace {

using core::v1::PersistentVolume;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kPut = "PUT /api/v1/persistentvolumes/disk";

class VolumeProtectionTest : public ControllerFixture {
 protected:
  void CreateVolume() {
    PersistentVolume volume;
    volume.metadata.name = "disk";
    volume.spec.accessModes = {"ReadWriteOnce"};
    volume.spec.capacity["storage"] = *api::Quantity::Parse("1Gi");
    volume.spec.hostPath.emplace().path = "/disk";
    const auto created = All<PersistentVolume>().Create(volume);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void SetPhase(const std::string& phase) {
    auto volume = All<PersistentVolume>().Get({"", "disk"});
    volume->status.phase = phase;
    EXPECT_TRUE(All<PersistentVolume>().UpdateStatus(*volume));
  }
  void Delete() { EXPECT_TRUE(All<PersistentVolume>().Delete({"", "disk"})); }
  bool IsThere() { return All<PersistentVolume>().Get({"", "disk"}).has_value(); }
};

TEST_F(VolumeProtectionTest, AVolumeGoesWhenItIsNoLongerBound) {
  Play(Make(deps()), [&] {
    CreateVolume();
    SetPhase("Bound");
    Pass(seconds(1));
    Delete();
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    EXPECT_THAT(TakeRequests(), IsEmpty());
    SetPhase("Released");
    Pass(seconds(1));
    EXPECT_FALSE(IsThere());
    EXPECT_THAT(TakeRequests(), ElementsAre(kPut));
  });
}

TEST_F(VolumeProtectionTest, AProtectionThatSomebodyTookAwayComesBack) {
  Play(Make(deps()), [&] {
    CreateVolume();
    auto volume = All<PersistentVolume>().Get({"", "disk"});
    volume->metadata.finalizers = {"example.com/other"};
    EXPECT_TRUE(All<PersistentVolume>().Update(*volume));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kPut));
    EXPECT_THAT(All<PersistentVolume>().Get({"", "disk"})->metadata.finalizers,
                ElementsAre("example.com/other", "kubernetes.io/pv-protection"));
  });
}

TEST_F(VolumeProtectionTest, OneThatIsBoundAtTheLastMomentStays) {
  Play(Make(deps()), [&] {
    CreateVolume();
    Pass(seconds(1));
    before_next_request_ = [&] { SetPhase("Bound"); };
    Delete();
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    // The one that came too late.
    EXPECT_THAT(TakeRequests(), ElementsAre(kPut));
  });
}

}  // namespace
}  // namespace flyball::controllers::volume_protection
