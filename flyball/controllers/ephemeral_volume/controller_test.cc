#include "flyball/controllers/ephemeral_volume/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::ephemeral_volume {
namespace {

using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using sandbox::Requests;
using std::chrono::seconds;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kPost = "POST /api/v1/namespaces/team/persistentvolumeclaims";

class EphemeralVolumeTest : public ControllerFixture {
 protected:
  EphemeralVolumeTest() {
    CreateNamespace("team");
    CreateServiceAccount("team");
  }

  void CreatePod(const std::string& name) {
    const auto created = All<Pod>().Create(WithEphemeral(FakeStoragePod(name), "scratch"));
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void RemoveClaim(const std::string& name) {
    auto claim = All<PersistentVolumeClaim>().Get({"team", name});
    claim->metadata.finalizers.clear();
    EXPECT_TRUE(All<PersistentVolumeClaim>().Update(*claim));
    EXPECT_TRUE(All<PersistentVolumeClaim>().Delete({"team", name}));
  }
  std::string OwnerOf(const std::string& name) {
    const auto claim = All<PersistentVolumeClaim>().Get({"team", name});
    if (!claim) return "no claim";
    const auto& owners = claim->metadata.ownerReferences;
    return owners.empty() ? "nobody" : owners[0].kind + " " + owners[0].name;
  }
  void Run(const std::function<void()>& test) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all, {}), test);
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(EphemeralVolumeTest, APodGetsItsClaim) {
  Run([&] {
    CreatePod("web");
    Pass(seconds(60));
    EXPECT_THAT(TakeRequests(), ElementsAre(kPost));
    EXPECT_EQ(OwnerOf("web-scratch"), "Pod web");
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
  EXPECT_THAT(metrics_.Text(), HasSubstr("ephemeral_volume_controller_create_total 1"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("ephemeral_volume_controller_create_failures_total 0"));
}

TEST_F(EphemeralVolumeTest, APodFromBeforeGetsItsClaimToo) {
  CreatePod("web");
  Run([&] {
    Pass(seconds(1));
    EXPECT_EQ(OwnerOf("web-scratch"), "Pod web");
  });
}

TEST_F(EphemeralVolumeTest, AClaimThatWasDeletedIsMadeAnew) {
  Run([&] {
    CreatePod("web");
    Pass(seconds(1));
    RemoveClaim("web-scratch");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kPost, kPost));
    EXPECT_EQ(OwnerOf("web-scratch"), "Pod web");
  });
}

TEST_F(EphemeralVolumeTest, AClaimOfSomebodyElseIsLeftAlone) {
  EXPECT_TRUE(All<PersistentVolumeClaim>().Create(FakeClaim("web-scratch")));
  Run([&] {
    CreatePod("web");
    Pass(seconds(60));
    EXPECT_EQ(OwnerOf("web-scratch"), "nobody");
    EXPECT_THAT(TakeRequests(), IsEmpty());
    // Later and later.
    EXPECT_LT(events_.lines().size(), 20U);
    RemoveClaim("web-scratch");
    Pass(seconds(1));
    EXPECT_EQ(OwnerOf("web-scratch"), "Pod web");
  });
  EXPECT_THAT(events_.lines(),
              Each("Warning FailedBinding: ephemeral volume scratch: PVC team/web-scratch was not "
                   "created for pod team/web (pod is not owner)"));
}

TEST_F(EphemeralVolumeTest, WhoCannotMakeItSaysSoAndTriesAgain) {
  faults_.On(Requests::Creates()).Once().Refuse(500);
  Run([&] {
    CreatePod("web");
    Pass(seconds(120));
    EXPECT_EQ(OwnerOf("web-scratch"), "Pod web");
  });
  EXPECT_THAT(events_.lines(), ElementsAre(HasSubstr("Warning FailedBinding: ephemeral volume "
                                                     "scratch: create PVC web-scratch: ")));
  EXPECT_THAT(metrics_.Text(), HasSubstr("ephemeral_volume_controller_create_failures_total 1"));
}

TEST_F(EphemeralVolumeTest, AnotherPodOfTheSameNameDoesNotTakeOverTheClaim) {
  Run([&] {
    CreatePod("web");
    Pass(seconds(1));
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    EXPECT_TRUE(All<Pod>().Delete({"team", "web"}, now));
    CreatePod("web");
    Pass(seconds(1));
    EXPECT_THAT(events_.lines(), Contains(HasSubstr("(pod is not owner)")));
    // As garbage collection does.
    RemoveClaim("web-scratch");
    Pass(seconds(1));
    EXPECT_EQ(OwnerOf("web-scratch"), "Pod web");
  });
}

}  // namespace
}  // namespace flyball::controllers::ephemeral_volume
