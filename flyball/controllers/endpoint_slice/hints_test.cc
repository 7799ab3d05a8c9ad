#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fixture.h"

/// The controller, as hints go.
namespace flyball::controllers::endpoint_slice {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class HintsTest : public EndpointSliceTest {
 protected:
  HintsTest() { CreateNode(FakeNode("far", "east")); }

  void CreatePods() {
    CreatePod("a", "10.1.0.1");
    CreatePod("b", "10.1.0.2", [](Pod& pod) { pod.spec.nodeName = "far"; });
  }
  std::string Hints() {
    Slice slice = Slices().at(0);
    std::ranges::sort(slice.endpoints, {}, [](const auto& its) { return its.addresses[0]; });
    return HintsOf(slice);
  }
  static void ByZone(Service& service) {
    service.metadata.annotations = {{"service.kubernetes.io/topology-mode", "Auto"}};
  }
};

TEST_F(HintsTest, AreGivenByZoneAndTakenAway) {
  CreatePods();
  PlayIt([&] {
    CreateService(ByZone);
    Settle();
    EXPECT_EQ(Hints(), "west east");
    SetReady("a", true);
    Settle();
    ChangeService([](Service& service) { service.metadata.annotations.clear(); });
    Settle();
    EXPECT_EQ(Hints(), "- -");
  });
  EXPECT_THAT(events_.lines(),
              ElementsAre("Normal TopologyAwareHintsEnabled: Topology Aware Hints has been "
                          "enabled, addressType: IPv4",
                          "Warning TopologyAwareHintsDisabled: Topology Aware Hints has been "
                          "disabled, addressType: IPv4"));
}

TEST_F(HintsTest, FollowTheNodes) {
  CreatePods();
  PlayIt([&] {
    CreateService(ByZone);
    Settle();
    core::v1::Node far = Must(All<core::v1::Node>().Get({"", "far"}));
    far.status.conditions[0].status = "Unknown";
    Must(All<core::v1::Node>().UpdateStatus(far));
    Settle();
    EXPECT_EQ(Hints(), "- -");
  });
  EXPECT_EQ(events_.lines().back(),
            "Warning TopologyAwareHintsDisabled: Insufficient Node information: allocatable CPU or "
            "zone not specified on one or more nodes, addressType: IPv4");
}

TEST_F(HintsTest, AreNotWrittenWhereTheyCannotBeGiven) {
  PlayIt([&] {
    CreateService(ByZone);
    CreatePod("a", "10.1.0.1");
    Settle();
    TakeSent();
    ChangeService([](Service& service) { service.metadata.annotations["another"] = "note"; });
    Settle();
    EXPECT_THAT(TakeRequests(), IsEmpty());
    EXPECT_EQ(Hints(), "-");
  });
  EXPECT_EQ(events_.lines().back(),
            "Warning TopologyAwareHintsDisabled: Insufficient number of endpoints (1 endpoints, 2 "
            "zones), addressType: IPv4");
}

TEST_F(HintsTest, AreGivenByDistribution) {
  CreatePods();
  PlayIt([&] {
    CreateService([](Service& service) { service.spec.trafficDistribution = "PreferSameNode"; });
    Settle();
    EXPECT_EQ(Hints(), "west@node east@far");
    ChangeService([](Service& service) { service.spec.trafficDistribution = "PreferClose"; });
    Settle();
    EXPECT_EQ(Hints(), "west east");
    TakeSent();
    ChangeService([](Service& service) { service.spec.trafficDistribution = "PreferSameZone"; });
    Settle();
    EXPECT_THAT(TakeRequests(), IsEmpty());
    ChangeService([](Service& service) { service.spec.trafficDistribution.reset(); });
    Settle();
    EXPECT_EQ(Hints(), "- -");
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice
