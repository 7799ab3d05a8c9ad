#include "flyball/controllers/common/pod_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/base/clock.h"
#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::common {
namespace {

using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

core::v1::Volume SecretVolume() {
  core::v1::Volume volume;
  volume.name = "secret";
  volume.secret.emplace().secretName = "it";
  return volume;
}

TEST(PodClaims, ThoseThatAPodNamesAndThoseThatAreMadeForIt) {
  Pod pod = FakeStoragePod("web");
  pod.spec.volumes.push_back(SecretVolume());
  pod = WithEphemeral(WithClaim(pod, "data"), "scratch");
  EXPECT_THAT(ClaimsOf(*ViewOf(pod)),
              ElementsAre(PodClaim{"data"}, PodClaim{"web-scratch", /*ephemeral=*/true}));
}

TEST(PodClaims, OtherVolumesAreNoClaims) {
  Pod pod = FakeStoragePod("web");
  pod.spec.volumes.push_back(SecretVolume());
  auto& inline_volume = pod.spec.volumes.emplace_back();
  inline_volume.name = "inline";
  inline_volume.csi.emplace().driver = "example.com";
  EXPECT_THAT(ClaimsOf(*ViewOf(pod)), IsEmpty());
}

TEST(PodClaims, AnEphemeralVolumeMeansNoClaimButItsOwn) {
  const Pod pod = WithEphemeral(FakeStoragePod("web"), "scratch");
  const auto view = ViewOf(pod);
  const PodClaim meant{"web-scratch", true};
  const auto foreign = FakeClaim("web-scratch");
  EXPECT_FALSE(Means(meant, *view, foreign));
  EXPECT_TRUE(Means(meant, *view, controllers::OwnedBy(foreign, pod)));
  EXPECT_FALSE(Means(meant, *view, controllers::OwnedBy(foreign, FakeStoragePod("other"))));
  EXPECT_TRUE(Means({"web-scratch"}, *view, foreign));
  EXPECT_FALSE(Means({"other"}, *view, foreign));
}

struct Ending {
  const char* phase;
  bool deleted;
  std::vector<std::string> containers;
  bool terminated;
};

core::v1::ContainerStatus StatusOf(const std::string& state) {
  core::v1::ContainerStatus status;
  status.name = "c";
  if (state == "running") status.state.running.emplace();
  if (state == "waiting") status.state.waiting.emplace();
  if (state == "terminated") status.state.terminated.emplace();
  return status;
}

TEST(PodClaims, APodIsDoneWhenItHasEndedOrIsToEndAndNothingRuns) {
  for (const Ending& ending : {
           Ending{"Running", false, {"terminated"}, false},
           Ending{"Succeeded", false, {"running"}, true},
           Ending{"Failed", false, {}, true},
           Ending{"Running", true, {"running"}, false},
           Ending{"Running", true, {"terminated", "running"}, false},
           Ending{"Running", true, {"terminated", "waiting"}, true},
           Ending{"Running", true, {""}, false},
           Ending{"Pending", true, {}, true},
       }) {
    Pod pod = FakeStoragePod("web");
    pod.status.phase = ending.phase;
    if (ending.deleted) pod.metadata.deletionTimestamp = api::Time(WallTime());
    for (const std::string& state : ending.containers) {
      pod.status.containerStatuses.push_back(StatusOf(state));
    }
    EXPECT_EQ(IsTerminated(*ViewOf(pod)), ending.terminated)
        << ending.phase << " " << testing::PrintToString(ending.containers);
  }
}

TEST(PodClaims, AContainerForDebuggingIsOneThatRunsToo) {
  Pod pod = FakeStoragePod("web");
  pod.metadata.deletionTimestamp = api::Time(WallTime());
  pod.status.ephemeralContainerStatuses.push_back(StatusOf("running"));
  EXPECT_FALSE(IsTerminated(*ViewOf(pod)));
  pod.status.ephemeralContainerStatuses = {StatusOf("terminated")};
  EXPECT_TRUE(IsTerminated(*ViewOf(pod)));
}

}  // namespace
}  // namespace flyball::controllers::common
