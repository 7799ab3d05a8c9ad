#include "flyball/controllers/node_lifecycle/zone_plan.h"

#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/node_fake.h"

namespace flyball::controllers::node_lifecycle {
namespace {

using namespace std::string_literals;

std::string ZoneWith(const api::Map<std::string>& labels) {
  core::v1::Node node = MakeNode("a");
  node.metadata.labels = labels;
  return ZoneOf(*ViewOf(node));
}

TEST(Zones, ANodeIsInItsRegionAndZone) {
  EXPECT_EQ(ZoneWith({}), "");
  EXPECT_EQ(ZoneWith({{"topology.kubernetes.io/zone", "z"}}), ":\0:z"s);
  EXPECT_EQ(ZoneWith({{"topology.kubernetes.io/region", "r"}}), "r:\0:"s);
  EXPECT_EQ(
      ZoneWith({{"topology.kubernetes.io/region", "r"}, {"topology.kubernetes.io/zone", "z"}}),
      "r:\0:z"s);
}

TEST(Zones, LabelsOfOldGoBeforeThoseThatTookTheirPlaces) {
  EXPECT_EQ(ZoneWith({{"failure-domain.beta.kubernetes.io/zone", "old"},
                      {"topology.kubernetes.io/zone", "new"}}),
            ":\0:old"s);
  EXPECT_EQ(ZoneWith({{"failure-domain.beta.kubernetes.io/region", ""},
                      {"topology.kubernetes.io/region", "r"}}),
            "");
}

TEST(Zones, ANodeMayBeLeftOutOfTheCount) {
  core::v1::Node node = MakeNode("a");
  EXPECT_TRUE(CountsInZone(*ViewOf(node)));
  node.metadata.labels["node.kubernetes.io/exclude-disruption"] = "";
  EXPECT_FALSE(CountsInZone(*ViewOf(node)));
}

TEST(Zones, WhatIsNotReadyIsNotHealthy) {
  ZoneCount count;
  count.Add(Readiness::kReady);
  count.Add(Readiness::kUnknown);
  count.Add(Readiness::kNotReady);
  count.Add(Readiness::kUnsaid);
  EXPECT_EQ(count, (ZoneCount{.nodes = 4, .unhealthy = 3}));
  EXPECT_EQ(count.Health(), 25);
}

ZonePlan::Zone OneZone(std::size_t nodes, std::size_t unhealthy) {
  // Another that is well, so that not all is lost.
  const ZonePlan plan = PlanZones({{"a", {nodes, unhealthy}}, {"b", {1, 0}}}, {});
  EXPECT_FALSE(plan.all_disrupted);
  EXPECT_EQ(plan.zones.at("b"), (ZonePlan::Zone{ZoneState::kNormal, 0.1F}));
  return plan.zones.at("a");
}

TEST(Zones, AFewThatFailAreReplacedAtTheUsualRate) {
  EXPECT_EQ(OneZone(3, 0), (ZonePlan::Zone{ZoneState::kNormal, 0.1F}));
  EXPECT_EQ(OneZone(3, 2), (ZonePlan::Zone{ZoneState::kNormal, 0.1F}));
  EXPECT_EQ(OneZone(100, 54), (ZonePlan::Zone{ZoneState::kNormal, 0.1F}));
}

TEST(Zones, WhereMuchFailsASmallZoneIsLeftAloneAndALargeOneTakenSlowly) {
  EXPECT_EQ(OneZone(5, 3), (ZonePlan::Zone{ZoneState::kPartialDisruption, 0}));
  EXPECT_EQ(OneZone(50, 49), (ZonePlan::Zone{ZoneState::kPartialDisruption, 0}));
  EXPECT_EQ(OneZone(51, 49), (ZonePlan::Zone{ZoneState::kPartialDisruption, 0.01F}));
  EXPECT_EQ(OneZone(100, 55), (ZonePlan::Zone{ZoneState::kPartialDisruption, 0.01F}));
}

TEST(Zones, AZoneThatIsAllGoneIsReplacedAtTheUsualRate) {
  EXPECT_EQ(OneZone(1, 1), (ZonePlan::Zone{ZoneState::kFullDisruption, 0.1F}));
  EXPECT_EQ(OneZone(10, 10), (ZonePlan::Zone{ZoneState::kFullDisruption, 0.1F}));
}

TEST(Zones, WhereNothingIsLeftNothingIsDone) {
  const ZonePlan plan = PlanZones({{"a", {10, 10}}, {"b", {1, 1}}}, {});
  EXPECT_TRUE(plan.all_disrupted);
  EXPECT_EQ(plan.zones.at("a"), (ZonePlan::Zone{ZoneState::kFullDisruption, 0}));
  EXPECT_EQ(plan.zones.at("b"), (ZonePlan::Zone{ZoneState::kFullDisruption, 0}));
}

TEST(Zones, WithoutNodesNothingIsLost) { EXPECT_EQ(PlanZones({}, {}), ZonePlan()); }

TEST(Zones, PeopleSayWhatIsMuchAndWhatIsLarge) {
  const ZoneRules rules{.rate = 2, .secondary_rate = 1, .large = 3, .unhealthy = 0.75F};
  const ZonePlan plan = PlanZones({{"a", {4, 3}}, {"b", {3, 2}}, {"c", {6, 4}}}, rules);
  EXPECT_EQ(plan.zones.at("a"), (ZonePlan::Zone{ZoneState::kPartialDisruption, 1}));
  EXPECT_EQ(plan.zones.at("b"), (ZonePlan::Zone{ZoneState::kNormal, 2}));
  EXPECT_EQ(plan.zones.at("c"), (ZonePlan::Zone{ZoneState::kNormal, 2}));
}

TEST(Zones, StatesHaveUpstreamsNames) {
  EXPECT_EQ(ToString(ZoneState::kNormal), "Normal");
  EXPECT_EQ(ToString(ZoneState::kPartialDisruption), "PartialDisruption");
  EXPECT_EQ(ToString(ZoneState::kFullDisruption), "FullDisruption");
}

}  // namespace
}  // namespace flyball::controllers::node_lifecycle
