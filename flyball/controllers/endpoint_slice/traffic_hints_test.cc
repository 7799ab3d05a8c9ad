#include "flyball/controllers/endpoint_slice/traffic_hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fake.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using discovery::v1::Endpoint;
using testing::ElementsAre;
using testing::IsEmpty;

Endpoint On(const std::string& node, const std::string& zone) {
  Endpoint endpoint = FakeEndpoint(zone);
  endpoint.nodeName = node;
  return endpoint;
}

Endpoint For(Endpoint endpoint, const std::string& zone, const std::string& node = "") {
  endpoint.hints.emplace();
  if (!zone.empty()) endpoint.hints->forZones.emplace_back().name = zone;
  if (!node.empty()) endpoint.hints->forNodes.emplace_back().name = node;
  return endpoint;
}

SliceGroup SlicesToCreate(std::vector<Endpoint> endpoints) {
  SliceGroup group;
  group.changes.to_create.push_back(FakeSlice("", std::move(endpoints)));
  return group;
}

std::vector<std::string> Rewritten(const std::string& distribution, const Endpoint& endpoint) {
  SliceGroup slices;
  slices.unchanged = {RefTo(FakeSlice("x", {endpoint}))};
  GiveTrafficHints(distribution, slices);
  std::vector<std::string> hints;
  for (const auto& slice : slices.changes.to_update) hints.push_back(HintsOf(slice));
  return hints;
}

TEST(TrafficHints, AreForTheEndpointsOwnZone) {
  for (const char* const distribution : {"PreferClose", "PreferSameZone"}) {
    SliceGroup slices = SlicesToCreate({On("n", "west"), FakeEndpoint("east", false), On("m", "")});
    slices.changes.to_update.push_back(FakeSlice("x", {On("n", "east")}));
    GiveTrafficHints(distribution, slices);
    EXPECT_EQ(HintsOf(slices.changes.to_create[0]), "west - -");
    EXPECT_EQ(HintsOf(slices.changes.to_update[0]), "east");
  }
}

TEST(TrafficHints, AreForTheNodeTooIfThatIsAskedFor) {
  SliceGroup slices = SlicesToCreate({On("n", "west"), On("m", ""), FakeEndpoint("east")});
  GiveTrafficHints("PreferSameNode", slices);
  EXPECT_EQ(HintsOf(slices.changes.to_create[0]), "west@n @m east");
}

TEST(TrafficHints, ThatAreThereAreNotWrittenAgain) {
  EXPECT_THAT(Rewritten("PreferClose", For(On("n", "west"), "west")), IsEmpty());
  EXPECT_THAT(Rewritten("PreferClose", On("n", "")), IsEmpty());
  EXPECT_THAT(Rewritten("PreferClose", For(On("n", ""), "")), IsEmpty());
  EXPECT_THAT(Rewritten("PreferSameNode", For(On("n", "west"), "west", "n")), IsEmpty());
  EXPECT_THAT(Rewritten("PreferClose", FakeEndpoint("west", false)), IsEmpty());
}

TEST(TrafficHints, ThatAreNotRightAre) {
  EXPECT_THAT(Rewritten("PreferClose", On("n", "west")), ElementsAre("west"));
  EXPECT_THAT(Rewritten("PreferClose", For(On("n", "west"), "east")), ElementsAre("west"));
  EXPECT_THAT(Rewritten("PreferClose", For(On("n", "west"), "west", "n")), ElementsAre("west"));
  EXPECT_THAT(Rewritten("PreferSameNode", For(On("n", "west"), "west")), ElementsAre("west@n"));
  EXPECT_THAT(Rewritten("PreferClose", For(On("n", ""), "west")), ElementsAre("-"));
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice
