#include "flyball/controllers/endpoint_slice/zone_hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fake.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using core::v1::Node;
using discovery::v1::Endpoint;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;

ZoneShares SharesOfNodes(const std::vector<Node>& nodes) {
  std::vector<cache::Ref<views::Node>> cached;
  for (const Node& node : nodes) cached.push_back(ViewOf(node));
  return SharesOf(cached);
}

const ZoneShares kHalves = std::map<std::string, double>{{"east", 0.5}, {"west", 0.5}};

/// So many ready endpoints in each zone.
std::vector<Endpoint> Endpoints(int east, int west) {
  std::vector<Endpoint> endpoints;
  for (int i = 0; i < east; ++i) endpoints.push_back(FakeEndpoint("east"));
  for (int i = 0; i < west; ++i) endpoints.push_back(FakeEndpoint("west"));
  return endpoints;
}

SliceGroup ToBeMade(std::vector<Endpoint> endpoints) {
  SliceGroup group;
  group.changes.to_create.push_back(FakeSlice("", std::move(endpoints)));
  return group;
}

common::SliceRef Hinted(const std::string& name, std::vector<Endpoint> endpoints) {
  for (Endpoint& endpoint : endpoints) {
    endpoint.hints.emplace().forZones.emplace_back().name = *endpoint.zone;
  }
  return RefTo(FakeSlice(name, std::move(endpoints)));
}

std::string WhyNot(const ZoneShares& shares, SliceGroup slices) {
  const auto given = GiveZoneHints(shares, slices);
  return given ? "" : given.error().message();
}

TEST(ZoneShares, GoByTheCpusOfNodesThatAreReady) {
  Node ill = FakeNode("ill", "east", "100");
  ill.status.conditions[0].status = "Unknown";
  Node control_plane = FakeNode("control", "north", "8");
  control_plane.metadata.labels["node-role.kubernetes.io/control-plane"] = "";
  Node master = FakeNode("master");
  master.metadata.labels["node-role.kubernetes.io/master"] = "";
  Node new_node = FakeNode("new");
  new_node.status.conditions.clear();
  EXPECT_THAT(SharesOfNodes({FakeNode("a", "west", "1500m"), FakeNode("b", "west", "500m"),
                             FakeNode("c", "east", "6"), ill, control_plane, master, new_node}),
              Optional(ElementsAre(Pair("east", DoubleEq(0.75)), Pair("west", DoubleEq(0.25)))));
}

TEST(ZoneShares, CannotBeToldWhereSomethingIsMissing) {
  EXPECT_EQ(SharesOfNodes({}), std::nullopt);
  EXPECT_EQ(SharesOfNodes({FakeNode("a", "west"), FakeNode("b", "west")}), std::nullopt);
  EXPECT_EQ(SharesOfNodes({FakeNode("a", "west"), FakeNode("b", "east"), FakeNode("c")}),
            std::nullopt);
  Node without = FakeNode("c", "east");
  without.status.allocatable.clear();
  EXPECT_EQ(SharesOfNodes({FakeNode("a", "west"), FakeNode("b", "east"), without}), std::nullopt);
}

TEST(ZoneShares, ChangeWithReadinessAndZone) {
  const Node node = FakeNode("a", "west");
  Node other = node;
  other.status.allocatable["cpu"] = *api::Quantity::Parse("64");
  EXPECT_FALSE(ChangesShares(*ViewOf(node), *ViewOf(other)));
  other.status.conditions[0].status = "False";
  EXPECT_TRUE(ChangesShares(*ViewOf(node), *ViewOf(other)));
  EXPECT_TRUE(ChangesShares(*ViewOf(node), *ViewOf(FakeNode("a", "east"))));
}

TEST(ZoneHints, AreForTheOwnZoneWhereSharesAreEven) {
  SliceGroup slices = ToBeMade(Endpoints(2, 2));
  const auto given = GiveZoneHints(kHalves, slices);
  ASSERT_TRUE(given) << given.error().Describe();
  EXPECT_EQ(*given, (ZoneCounts{{"east", 2}, {"west", 2}}));
  EXPECT_EQ(HintsOf(slices.changes.to_create[0]), "east east west west");
}

TEST(ZoneHints, GiveAZoneThatHasTooFewSomeOfAnother) {
  SliceGroup slices = ToBeMade(Endpoints(5, 1));
  const auto given = GiveZoneHints(kHalves, slices);
  ASSERT_TRUE(given) << given.error().Describe();
  EXPECT_EQ(*given, (ZoneCounts{{"east", 3}, {"west", 3}}));
  EXPECT_EQ(HintsOf(slices.changes.to_create[0]), "west west east east east west");
}

TEST(ZoneHints, GiveAZoneWithoutEndpointsSome) {
  SliceGroup slices = ToBeMade(Endpoints(4, 0));
  EXPECT_EQ(GiveZoneHints(kHalves, slices), (ZoneCounts{{"east", 2}, {"west", 2}}));
}

TEST(ZoneHints, AreOnlyForEndpointsThatAreReady) {
  std::vector<Endpoint> endpoints = Endpoints(1, 1);
  endpoints.push_back(FakeEndpoint("", false));
  SliceGroup slices = ToBeMade(endpoints);
  EXPECT_TRUE(GiveZoneHints(kHalves, slices));
  EXPECT_EQ(HintsOf(slices.changes.to_create[0]), "east west -");
}

TEST(ZoneHints, ThatWillDoAreNotWrittenAgain) {
  SliceGroup slices = ToBeMade(Endpoints(1, 0));
  slices.unchanged = {Hinted("x", Endpoints(2, 3))};
  EXPECT_EQ(GiveZoneHints(kHalves, slices), (ZoneCounts{{"east", 3}, {"west", 3}}));
  EXPECT_EQ(slices.unchanged.size(), 1);
  EXPECT_THAT(slices.changes.to_update, IsEmpty());
}

TEST(ZoneHints, ThatAreTooManyOrOfAnotherZoneAreGivenAnew) {
  SliceGroup slices = ToBeMade({});
  slices.unchanged = {Hinted("x", Endpoints(6, 0)), Hinted("y", Endpoints(0, 2)),
                      Hinted("z", {FakeEndpoint("north"), FakeEndpoint("west")}),
                      RefTo(FakeSlice("bare", Endpoints(1, 0)))};
  EXPECT_TRUE(GiveZoneHints(kHalves, slices));
  std::vector<std::string> written;
  for (const auto& slice : slices.changes.to_update) written.push_back(slice.metadata.name);
  EXPECT_THAT(written, ElementsAre("z", "bare"));
}

TEST(ZoneHints, MustNotGiveAZoneMoreThanItsMost) {
  SliceGroup slices = ToBeMade({});
  slices.unchanged = {Hinted("x", Endpoints(4, 0)), Hinted("y", Endpoints(4, 0)),
                      Hinted("z", Endpoints(0, 2))};
  EXPECT_EQ(GiveZoneHints(kHalves, slices), (ZoneCounts{{"east", 5}, {"west", 5}}));
  ASSERT_EQ(slices.changes.to_update.size(), 1);
  EXPECT_EQ(slices.changes.to_update[0].metadata.name, "y");
  EXPECT_EQ(HintsOf(slices.changes.to_update[0]), "west west west east");
}

TEST(ZoneHints, SayWhyThereAreNone) {
  EXPECT_EQ(WhyNot(std::nullopt, ToBeMade(Endpoints(1, 1))),
            "Insufficient Node information: allocatable CPU or zone not specified on one or more "
            "nodes");
  EXPECT_EQ(WhyNot(std::map<std::string, double>(), ToBeMade(Endpoints(1, 1))),
            "Nodes only ready in one zone");
  EXPECT_EQ(WhyNot(kHalves, ToBeMade(Endpoints(1, 0))),
            "Insufficient number of endpoints (1 endpoints, 2 zones)");
  const ZoneShares uneven = std::map<std::string, double>{{"east", 0.55}, {"west", 0.45}};
  EXPECT_EQ(WhyNot(std::map<std::string, double>{{"a", 0.5}, {"b", 0.4}, {"c", 0.1}},
                   ToBeMade(Endpoints(2, 1))),
            "Unable to allocate minimum required endpoints to each zone without exceeding overload "
            "threshold (3 endpoints, 3 zones)");
  EXPECT_EQ(WhyNot(uneven, ToBeMade({FakeEndpoint("east"), FakeEndpoint("")})),
            "One or more endpoints do not have a zone specified");
}

TEST(ZoneHints, AreTakenAwayWhereThereAreAny) {
  SliceGroup slices = ToBeMade(Endpoints(1, 0));
  slices.changes.to_create[0].endpoints[0].hints.emplace();
  const auto bare = RefTo(FakeSlice("bare", Endpoints(1, 0)));
  slices.unchanged = {Hinted("x", Endpoints(1, 1)), bare};
  RemoveHints(slices);
  EXPECT_EQ(HintsOf(slices.changes.to_create[0]), "-");
  ASSERT_EQ(slices.changes.to_update.size(), 1);
  EXPECT_EQ(HintsOf(slices.changes.to_update[0]), "- -");
  EXPECT_THAT(slices.unchanged, ElementsAre(bare));
}

TEST(ZoneHints, OverloadAZoneThatHasFarLessThanItsShare) {
  EXPECT_FALSE(IsOverloaded({}, kHalves));
  EXPECT_FALSE(IsOverloaded({{"east", 5}, {"west", 5}}, kHalves));
  EXPECT_FALSE(IsOverloaded({{"east", 5}, {"west", 6}}, kHalves));
  EXPECT_TRUE(IsOverloaded({{"east", 3}, {"west", 7}}, kHalves));
  EXPECT_TRUE(IsOverloaded({{"east", 10}}, kHalves));
  EXPECT_TRUE(IsOverloaded({{"east", 10}}, std::nullopt));
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice
