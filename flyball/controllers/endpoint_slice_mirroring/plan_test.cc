#include "flyball/controllers/endpoint_slice_mirroring/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/controllers/common/controller_ref.h"

namespace flyball::controllers::endpoint_slice_mirroring {
namespace {

using core::v1::EndpointAddress;
using core::v1::EndpointSubset;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr const char* kServiceName = "kubernetes.io/service-name";
constexpr const char* kManagedBy = "endpointslice.kubernetes.io/managed-by";

EndpointSubset Subset(const std::vector<std::string>& ready,
                      const std::vector<std::string>& not_ready, std::int32_t port) {
  EndpointSubset subset;
  for (const std::string& ip : ready) subset.addresses.emplace_back().ip = ip;
  for (const std::string& ip : not_ready) subset.notReadyAddresses.emplace_back().ip = ip;
  if (port > 0) {
    auto& its = subset.ports.emplace_back();
    its.name = "p" + std::to_string(port);
    its.port = port;
    its.protocol = "TCP";
  }
  return subset;
}

Endpoints EndpointsOf(const std::vector<EndpointSubset>& subsets) {
  Endpoints endpoints;
  endpoints.metadata.namespace_ = "shop";
  endpoints.metadata.name = "db";
  endpoints.metadata.uid = "uid-db";
  endpoints.metadata.labels = {{"team", "a"}};
  endpoints.metadata.annotations = {
      {"endpoints.kubernetes.io/last-change-trigger-time", "2001-09-09T01:46:40Z"},
      {"kubectl.kubernetes.io/last-applied-configuration", "{}"},
      {"note", "mine"},
  };
  endpoints.subsets = subsets;
  return endpoints;
}

Plan PlanOf(const Endpoints& endpoints, const std::vector<SliceRef>& existing = {},
            std::size_t most = 1000) {
  return PlanFor(endpoints, existing, most);
}

/// A slice as the server has it after it was made.
SliceRef Stored(
    EndpointSlice slice, const std::string& name,
    const std::function<void(EndpointSlice&)>& change = [](EndpointSlice&) {}) {
  slice.metadata.name = name;
  slice.metadata.generateName = "db-";
  slice.metadata.uid = "uid-" + name;
  slice.metadata.resourceVersion = "5";
  change(slice);
  return std::make_shared<const EndpointSlice>(std::move(slice));
}
/// All that there ought to be, called db-0, db-1 and so on.
std::vector<SliceRef> MirrorsOf(const Endpoints& endpoints) {
  std::vector<SliceRef> slices;
  for (const EndpointSlice& slice : PlanOf(endpoints).changes.to_create) {
    slices.push_back(Stored(slice, "db-" + std::to_string(slices.size())));
  }
  return slices;
}

/// "IPv4 10.0.0.1 10.0.0.2! | p80": those that are not ready have a mark.
std::string Line(const EndpointSlice& slice) {
  std::string line = slice.addressType;
  for (const auto& endpoint : slice.endpoints) {
    line += " " + endpoint.addresses.at(0) + (*endpoint.conditions.ready ? "" : "!");
  }
  line += " |";
  for (const auto& port : slice.ports) line += " " + *port.name;
  return line;
}
std::vector<std::string> Lines(const std::vector<EndpointSlice>& slices) {
  std::vector<std::string> lines;
  for (const EndpointSlice& slice : slices) lines.push_back(Line(slice));
  return lines;
}
std::vector<std::string> Names(const std::vector<SliceRef>& slices) {
  std::vector<std::string> names;
  for (const SliceRef& slice : slices) names.push_back(slice->metadata.name);
  return names;
}

TEST(MirroringPlan, MakesASliceWithAllThatTheEndpointsSay) {
  Endpoints endpoints = EndpointsOf({Subset({"010.0.0.1"}, {}, 5432)});
  EndpointAddress& address = endpoints.subsets[0].addresses[0];
  address.hostname = "db-0";
  address.nodeName = "node";
  address.targetRef.emplace().name = "machine";
  endpoints.subsets[0].ports[0].appProtocol = "postgres";

  EndpointSlice expected;
  expected.metadata.namespace_ = "shop";
  expected.metadata.generateName = "db-";
  expected.metadata.labels = {
      {"team", "a"}, {kServiceName, "db"}, {kManagedBy, std::string(kManager)}};
  expected.metadata.annotations = {{"note", "mine"}};
  expected.metadata.ownerReferences = {common::ControllerRefTo(endpoints)};
  expected.addressType = "IPv4";
  auto& endpoint = expected.endpoints.emplace_back();
  endpoint.addresses = {"10.0.0.1"};
  endpoint.conditions.ready = true;
  endpoint.hostname = "db-0";
  endpoint.nodeName = "node";
  endpoint.targetRef = address.targetRef;
  auto& port = expected.ports.emplace_back();
  port.name = "p5432";
  port.port = 5432;
  port.protocol = "TCP";
  port.appProtocol = "postgres";

  const Plan plan = PlanOf(endpoints);
  EXPECT_THAT(plan.changes.to_create, ElementsAre(expected));
  EXPECT_THAT(plan.changes.to_update, IsEmpty());
  EXPECT_THAT(plan.changes.to_delete, IsEmpty());
  EXPECT_EQ(plan.added, 1);
  EXPECT_EQ(plan.totals, (Totals{.endpoints = 1, .slices = 1, .fewest_slices = 1}));
  EXPECT_EQ(plan.ToString(), "1 slices to create, 0 to update, 0 to delete");
}

TEST(MirroringPlan, EachFamilyAndEachSetOfPortsHasASlice) {
  const Plan plan = PlanOf(
      EndpointsOf({Subset({"10.0.0.1", "fd00::1"}, {"10.0.0.2"}, 80), Subset({"10.0.0.3"}, {}, 81),
                   Subset({"10.0.0.4"}, {}, 0), Subset({}, {}, 82)}));
  EXPECT_THAT(Lines(plan.changes.to_create),
              UnorderedElementsAre("IPv4 10.0.0.1 10.0.0.2! | p80", "IPv6 fd00::1 | p80",
                                   "IPv4 10.0.0.3 | p81", "IPv4 10.0.0.4 |"));
  EXPECT_EQ(plan.totals, (Totals{.endpoints = 5, .slices = 4, .fewest_slices = 4}));
}

TEST(MirroringPlan, LeavesWhatSaysTheSame) {
  const Endpoints endpoints = EndpointsOf(
      {Subset({"10.0.0.1", "fd00::1"}, {"10.0.0.2"}, 80), Subset({"10.0.0.3"}, {}, 81)});
  const Plan plan = PlanOf(endpoints, MirrorsOf(endpoints));
  EXPECT_EQ(plan, (Plan{.totals = {.endpoints = 4, .slices = 3, .fewest_slices = 3}}));
  EXPECT_EQ(plan.ToString(), "leave the slices");

  // Nor is a slice written again because its endpoints are in another order, or say of whom they
  // are in another version.
  const Endpoints two = EndpointsOf({Subset({"10.0.0.1", "10.0.0.2"}, {}, 80)});
  const SliceRef turned = Stored(*MirrorsOf(two)[0], "db-0", [](EndpointSlice& slice) {
    std::swap(slice.endpoints[0], slice.endpoints[1]);
  });
  EXPECT_EQ(PlanOf(two, {turned}).changes.count(), 0);
}

TEST(MirroringPlan, PutsASliceRightInItsPlace) {
  const Endpoints before = EndpointsOf({Subset({"10.0.0.1", "10.0.0.2", "10.0.0.3"}, {}, 80)});
  const Endpoints endpoints = EndpointsOf({Subset({"10.0.0.2", "10.0.0.4"}, {"10.0.0.3"}, 80)});
  const SliceRef existing = Stored(*MirrorsOf(before)[0], "db-7", [](EndpointSlice& slice) {
    slice.metadata.finalizers = {"example.com/hold"};
    slice.metadata.managedFields.emplace_back().manager = "somebody";
  });
  const Plan plan = PlanOf(endpoints, {existing});
  EXPECT_EQ(plan.added, 1);
  EXPECT_EQ(plan.updated, 1);
  EXPECT_EQ(plan.removed, 1);
  EndpointSlice expected = *existing;
  expected.metadata.managedFields.clear();
  expected.endpoints = PlanOf(endpoints).changes.to_create[0].endpoints;
  EXPECT_THAT(plan.changes.to_update, ElementsAre(expected));
  EXPECT_THAT(plan.changes.to_create, IsEmpty());
  EXPECT_THAT(plan.changes.to_delete, IsEmpty());
}

TEST(MirroringPlan, LabelsAnnotationsAndOwnersAreThoseOfTheEndpoints) {
  const Endpoints endpoints = EndpointsOf({Subset({"10.0.0.1"}, {}, 80)});
  const SliceRef mirror = MirrorsOf(endpoints)[0];
  const auto expect_put_right = [&](const std::function<void(EndpointSlice&)>& change) {
    const Plan plan = PlanOf(endpoints, {Stored(*mirror, "db-0", change)});
    EXPECT_THAT(plan.changes.to_update, ElementsAre(*mirror));
    EXPECT_EQ(plan.added + plan.updated + plan.removed, 0);
  };
  expect_put_right([](EndpointSlice& slice) { slice.metadata.labels["team"] = "b"; });
  expect_put_right([](EndpointSlice& slice) { slice.metadata.labels.erase("team"); });
  expect_put_right([](EndpointSlice& slice) { slice.metadata.labels["more"] = "yes"; });
  expect_put_right([](EndpointSlice& slice) { slice.metadata.annotations["note"] = "theirs"; });
  expect_put_right([](EndpointSlice& slice) { slice.metadata.annotations.clear(); });
  // Of Endpoints that were deleted, and made again.
  expect_put_right([](EndpointSlice& slice) { slice.metadata.ownerReferences[0].uid = "old"; });
}

TEST(MirroringPlan, ThoseThatAreTooManyGo) {
  const Endpoints endpoints = EndpointsOf({Subset({"10.0.0.1"}, {}, 80)});
  const SliceRef first = MirrorsOf(endpoints)[0];
  const Plan plan = PlanOf(endpoints, {first, Stored(*first, "db-1"), Stored(*first, "db-2")});
  EXPECT_THAT(Names(plan.changes.to_delete), ElementsAre("db-1", "db-2"));
  EXPECT_EQ(plan.changes.count(), 2);
  EXPECT_EQ(plan.totals, (Totals{.endpoints = 1, .slices = 1, .fewest_slices = 1}));
}

TEST(MirroringPlan, WithoutAddressesAllGo) {
  const auto mirrors = MirrorsOf(EndpointsOf({Subset({"10.0.0.1", "fd00::1", "fd00::2"}, {}, 80)}));
  const Plan plan = PlanOf(EndpointsOf({}), mirrors);
  EXPECT_THAT(Names(plan.changes.to_delete), UnorderedElementsAre("db-0", "db-1"));
  EXPECT_EQ(plan.changes.count(), 2);
  EXPECT_EQ(plan.removed, 3);
  EXPECT_EQ(plan.totals, Totals());
  EXPECT_EQ(plan.ToString(), "0 slices to create, 0 to update, 2 to delete");
}

TEST(MirroringPlan, ASliceWithOtherPortsBecomesTheNewOneIfItIsOfTheSameFamily) {
  const auto old = MirrorsOf(EndpointsOf({Subset({"10.0.0.1"}, {}, 80)}));
  Plan plan = PlanOf(EndpointsOf({Subset({"10.0.0.2"}, {}, 81)}), old);
  EXPECT_THAT(plan.changes.to_create, IsEmpty());
  EXPECT_THAT(plan.changes.to_delete, IsEmpty());
  EXPECT_THAT(Lines(plan.changes.to_update), ElementsAre("IPv4 10.0.0.2 | p81"));
  EXPECT_EQ(plan.changes.to_update[0].metadata.name, "db-0");
  EXPECT_EQ(plan.changes.to_update[0].metadata.resourceVersion, "5");

  plan = PlanOf(EndpointsOf({Subset({"fd00::1"}, {}, 80)}), old);
  EXPECT_THAT(Lines(plan.changes.to_create), ElementsAre("IPv6 fd00::1 | p80"));
  EXPECT_THAT(Names(plan.changes.to_delete), ElementsAre("db-0"));
  EXPECT_THAT(plan.changes.to_update, IsEmpty());

  // Of two families at once each has its own.
  plan = PlanOf(EndpointsOf({Subset({"fd00::1", "10.0.0.2"}, {}, 81)}), old);
  EXPECT_THAT(Lines(plan.changes.to_create), ElementsAre("IPv6 fd00::1 | p81"));
  EXPECT_THAT(Lines(plan.changes.to_update), ElementsAre("IPv4 10.0.0.2 | p81"));
  EXPECT_THAT(plan.changes.to_delete, IsEmpty());
}

TEST(MirroringPlan, OfASubsetThereAreNoMoreThanMayBe) {
  const Plan plan = PlanOf(EndpointsOf({Subset({"10.0.0.1", "10.0.0.2"}, {"10.0.0.3"}, 80),
                                        Subset({"10.0.0.4"}, {"fd00::1", "fd00::2"}, 81)}),
                           {}, 2);
  EXPECT_THAT(Lines(plan.changes.to_create),
              UnorderedElementsAre("IPv4 10.0.0.1 10.0.0.2 | p80", "IPv4 10.0.0.4 | p81",
                                   "IPv6 fd00::1! | p81"));
  EXPECT_EQ(plan.skipped, 2);
  EXPECT_THAT(plan.events,
              ElementsAre(common::Warning(
                  "TooManyAddressesToMirror",
                  "A max of 2 addresses can be mirrored to EndpointSlices per Endpoints subset. "
                  "2 addresses were skipped")));
  EXPECT_EQ(plan.ToString(),
            "3 slices to create, 0 to update, 0 to delete; 2 addresses are skipped");
}

TEST(MirroringPlan, WhatIsNoAddressIsLeftOut) {
  const Plan plan = PlanOf(EndpointsOf({Subset({"10.0.0.1", "host"}, {"elsewhere"}, 80)}));
  EXPECT_THAT(Lines(plan.changes.to_create), ElementsAre("IPv4 10.0.0.1 | p80"));
  EXPECT_EQ(plan.skipped, 2);
  EXPECT_THAT(plan.events, ElementsAre(common::Warning(
                               "InvalidIPAddress",
                               "Skipped 2 invalid IP addresses when mirroring to EndpointSlices")));
}

TEST(MirroringPlan, EndpointsThatAreOnTheirWayOutGetNoMoreSlices) {
  Endpoints endpoints = EndpointsOf({Subset({"10.0.0.1"}, {}, 80)});
  const auto old = MirrorsOf(endpoints);
  endpoints.metadata.deletionTimestamp = api::Time::FromUnix(100);
  endpoints.subsets.push_back(Subset({"10.0.0.2"}, {}, 81));
  EXPECT_EQ(PlanOf(endpoints, old).changes.count(), 0);
  EXPECT_THAT(PlanOf(endpoints, old).totals.slices, 2);
}

TEST(MirroringPlan, SomeAreNotMirrored) {
  Endpoints endpoints = EndpointsOf({});
  EXPECT_TRUE(MayBeMirrored(endpoints));
  endpoints.metadata.labels["endpointslice.kubernetes.io/skip-mirror"] = "false";
  EXPECT_TRUE(MayBeMirrored(endpoints));
  endpoints.metadata.labels["endpointslice.kubernetes.io/skip-mirror"] = "true";
  EXPECT_FALSE(MayBeMirrored(endpoints));
  endpoints.metadata.labels.clear();
  endpoints.metadata.annotations["control-plane.alpha.kubernetes.io/leader"] = "";
  EXPECT_FALSE(MayBeMirrored(endpoints));

  Service service;
  EXPECT_TRUE(IsByHand(service));
  service.spec.selector["app"] = "db";
  EXPECT_FALSE(IsByHand(service));

  EndpointSlice slice;
  EXPECT_FALSE(IsMirror(slice));
  slice.metadata.labels[kManagedBy] = "endpointslice-controller.k8s.io";
  EXPECT_FALSE(IsMirror(slice));
  slice.metadata.labels[kManagedBy] = kManager;
  EXPECT_TRUE(IsMirror(slice));
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice_mirroring
