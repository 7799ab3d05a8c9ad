#include "flyball/controllers/node_ipam/cidr_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::controllers::node_ipam {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RangePlan PlanOf(const std::string& cluster, const std::string& services = {}) {
  return PlanRanges({.cluster_ranges = cluster, .service_ranges = services}).value();
}
Ranges Reservation(CidrAllocator& allocator, const std::string& name) {
  return allocator.Reserve(name, "uid of " + name).value_or(Ranges{"none"});
}

TEST(CidrAllocator, AllocatesPartsInOrder) {
  CidrAllocator allocator(PlanOf("10.244.0.0/22"), nullptr);
  EXPECT_THAT(Reservation(allocator, "a"), ElementsAre("10.244.0.0/24"));
  EXPECT_THAT(Reservation(allocator, "b"), ElementsAre("10.244.1.0/24"));
  allocator.TakeBack("a");
  EXPECT_THAT(Reservation(allocator, "c"), ElementsAre("10.244.2.0/24"));
  EXPECT_THAT(Reservation(allocator, "d"), ElementsAre("10.244.3.0/24"));
  EXPECT_THAT(Reservation(allocator, "e"), ElementsAre("10.244.0.0/24"));
  const auto none = allocator.Reserve("f", "uid");
  EXPECT_EQ(none.error().message(),
            "failed to allocate cidr from cluster cidr at idx:0: CIDR allocation failed; there are "
            "no remaining CIDRs left to allocate in the accepted range");
}

TEST(CidrAllocator, NodeGetsAPartOfEachRangeOrNone) {
  CidrAllocator allocator(PlanOf("10.244.0.0/16,fd00:10::/63"), nullptr);
  EXPECT_THAT(Reservation(allocator, "a"), ElementsAre("10.244.0.0/24", "fd00:10::/64"));
  EXPECT_THAT(Reservation(allocator, "b"), ElementsAre("10.244.1.0/24", "fd00:10:0:1::/64"));
  for (int i = 0; i < 300; ++i) {
    EXPECT_THAT(allocator.Reserve("c", "uid").error().message(), HasSubstr("at idx:1"));
  }
  // Nothing of the first range was used up by those that had no second.
  EXPECT_EQ(allocator.held(0), 2U);
  allocator.Forget("b", "uid of b");
  EXPECT_THAT(Reservation(allocator, "c"), ElementsAre("10.244.2.0/24", "fd00:10:0:1::/64"));
}

TEST(CidrAllocator, LeavesOutTheServiceRange) {
  CidrAllocator allocator(PlanOf("10.0.0.0/16", "10.0.0.0/23,fd00::/112"), nullptr);
  EXPECT_EQ(allocator.held(0), 2U);
  EXPECT_THAT(Reservation(allocator, "a"), ElementsAre("10.0.2.0/24"));
  // A node that somebody gave a part of it lets go of nothing but its own.
  allocator.Show("b", "uid", {"10.0.1.0/24"});
  allocator.Forget("b", "uid");
  EXPECT_EQ(allocator.held(0), 3U);
}

TEST(CidrAllocator, WhatNodesHaveIsTheirsUntilTheLastOfThemIsGone) {
  CidrAllocator allocator(PlanOf("10.244.0.0/22"), nullptr);
  allocator.Show("a", "uid of a", {"10.244.0.0/24"});
  allocator.Show("b", "uid of b", {"10.244.0.0/23"});
  EXPECT_THAT(Reservation(allocator, "c"), ElementsAre("10.244.2.0/24"));
  allocator.Forget("a", "uid of a");
  EXPECT_THAT(Reservation(allocator, "d"), ElementsAre("10.244.3.0/24"));
  EXPECT_THAT(Reservation(allocator, "e"), ElementsAre("none"));
  allocator.Forget("b", "uid of b");
  EXPECT_THAT(Reservation(allocator, "e"), ElementsAre("10.244.0.0/24"));
}

TEST(CidrAllocator, ReservationIsKeptUntilTheCacheShowsTheNodesRanges) {
  CidrAllocator allocator(PlanOf("10.244.0.0/23"), nullptr);
  EXPECT_THAT(Reservation(allocator, "a"), ElementsAre("10.244.0.0/24"));
  allocator.Doubt("a");
  allocator.TakeBack("a");              // of no avail: the one before may have been heard
  allocator.Show("a", "uid of a", {});  // an old state of it
  allocator.Show("a", "uid of another", {"10.244.1.0/24"});
  allocator.Forget("a", "uid of another");  // one that had its name before
  EXPECT_THAT(Reservation(allocator, "a"), ElementsAre("10.244.0.0/24"));
  EXPECT_EQ(allocator.reservations(), 1U);
  allocator.Show("a", "uid of a", {"10.244.0.0/24"});
  EXPECT_EQ(allocator.reservations(), 0U);
  EXPECT_EQ(allocator.held(0), 1U);
}

TEST(CidrAllocator, NodeThatGotOtherRangesNeedsNoReservation) {
  CidrAllocator allocator(PlanOf("10.244.0.0/23"), nullptr);
  EXPECT_THAT(Reservation(allocator, "a"), ElementsAre("10.244.0.0/24"));
  allocator.Doubt("a");
  allocator.Show("a", "uid of a", {"10.244.1.0/24"});
  EXPECT_EQ(allocator.held(0), 1U);
  EXPECT_THAT(Reservation(allocator, "b"), ElementsAre("10.244.0.0/24"));
  allocator.Doubt("b");
  allocator.Settle("b");
  allocator.Settle("b");
  allocator.Doubt("b");
  allocator.TakeBack("b");
  EXPECT_EQ(allocator.held(0), 1U);
}

TEST(CidrAllocator, NewNodeOfTheSameNameGetsAnotherPart) {
  CidrAllocator allocator(PlanOf("10.244.0.0/16"), nullptr);
  EXPECT_THAT(allocator.Reserve("a", "1").value(), ElementsAre("10.244.0.0/24"));
  EXPECT_THAT(allocator.Reserve("a", "2").value(), ElementsAre("10.244.1.0/24"));
  EXPECT_EQ(allocator.held(0), 1U);
}

TEST(CidrAllocator, SaysWhatIsWrongWithTheRangesOfANode) {
  CidrAllocator allocator(PlanOf("10.244.0.0/16"), nullptr);
  EXPECT_TRUE(allocator.Check("a", {}));
  EXPECT_TRUE(allocator.Check("a", {"010.244.7.0/24"}));
  EXPECT_EQ(allocator.Check("a", {"ten"}).error().message(), "failed to parse node a, CIDR ten");
  EXPECT_EQ(allocator.Check("a", {"10.244.7.0/24", "fd00::/64"}).error().message(),
            "node:a has an allocated cidr: fd00::/64 at index:1 that does not exist in cluster "
            "cidrs configuration");
  EXPECT_EQ(allocator.Check("a", {"10.9.0.0/24"}).error().message(),
            "failed to mark cidr[10.9.0.0/24] at idx [0] as occupied for node: a: cidr 10.9.0.0/24 "
            "is out the range of cluster cidr 10.244.0.0/16");
  // They are not held, and so not let go of either.
  for (const Ranges& ranges : {Ranges{"ten"}, Ranges{"10.9.0.0/24"}}) {
    allocator.Show("a", "uid", ranges);
    EXPECT_EQ(allocator.held(0), 0U);
    allocator.Forget("a", "uid");
  }
}

TEST(CidrAllocator, LetsGoOfNoMoreThanANodeWasShownWith) {
  CidrAllocator allocator(PlanOf("10.244.0.0/22"), nullptr);
  allocator.Show("a", "uid of a", {"10.244.0.0/24"});
  allocator.Show("a", "uid of a", {"10.244.0.0/24"});
  allocator.Show("a", "uid of a", {"10.244.1.0/24"});
  EXPECT_EQ(allocator.held(0), 1U);
  // A deletion says nothing of ranges, and may come twice or of what was never shown.
  allocator.Forget("a", "uid of a");
  allocator.Forget("a", "uid of a");
  allocator.Forget("b", "uid of b");
  EXPECT_EQ(allocator.held(0), 0U);
}

TEST(CidrAllocator, NodeThatCannotBeDecodedKeepsWhatItWasShownWith) {
  CidrAllocator allocator(PlanOf("10.244.0.0/22"), nullptr);
  allocator.Show("a", "uid of a", {"10.244.0.0/24"});
  allocator.ShowUnreadable("a", "uid of a");
  EXPECT_THAT(Reservation(allocator, "b"), ElementsAre("10.244.1.0/24"));
  allocator.Forget("a", "uid of a");
  EXPECT_EQ(allocator.held(0), 1U);
}

TEST(CidrAllocator, PromisesNothingWhileTheRangesOfANodeAreNotKnown) {
  CidrAllocator allocator(PlanOf("10.244.0.0/22"), nullptr);
  EXPECT_THAT(Reservation(allocator, "a"), ElementsAre("10.244.0.0/24"));
  allocator.ShowUnreadable("old", "uid of old");
  EXPECT_EQ(allocator.Reserve("b", "uid of b").error().message(),
            "failed to allocate cidr from cluster cidr: node old cannot be decoded, so that its "
            "podCIDRs are not known");
  // What was promised before stands.
  EXPECT_THAT(Reservation(allocator, "a"), ElementsAre("10.244.0.0/24"));
  allocator.Show("old", "uid of old", {"10.244.1.0/24"});
  EXPECT_THAT(Reservation(allocator, "b"), ElementsAre("10.244.2.0/24"));
  allocator.ShowUnreadable("another", "uid of another");
  allocator.Forget("another", "uid of another");
  EXPECT_THAT(Reservation(allocator, "c"), ElementsAre("10.244.3.0/24"));
}

TEST(CidrAllocator, CountsAsUpstreamDoes) {
  MetricRegistry metrics;
  CidrAllocator allocator(PlanOf("10.244.0.0/21", "10.244.0.0/24"), &metrics);
  allocator.Show("old", "uid of old", {"10.244.1.0/24"});
  Reservation(allocator, "a");
  allocator.Show("a", "uid of a", {"10.244.2.0/24"});
  allocator.Forget("old", "uid of old");
  const std::string text = metrics.Text();
  const std::string label = "{clusterCIDR=\"10.244.0.0/21\"}";
  const std::string prefix = "node_ipam_controller_";
  EXPECT_THAT(text, HasSubstr(prefix + "cirdset_max_cidrs" + label + " 8\n"));
  EXPECT_THAT(text, HasSubstr(prefix + "cidrset_cidrs_allocations_total" + label + " 3\n"));
  EXPECT_THAT(text, HasSubstr(prefix + "cidrset_cidrs_releases_total" + label + " 1\n"));
  EXPECT_THAT(text, HasSubstr(prefix + "cidrset_usage_cidrs" + label + " 0.25\n"));
  EXPECT_THAT(text,
              HasSubstr(prefix + "cidrset_allocation_tries_per_request_sum" + label + " 2\n"));
}

}  // namespace
}  // namespace flyball::controllers::node_ipam
