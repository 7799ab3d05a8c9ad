#include "flyball/controllers/node_ipam/range_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::controllers::node_ipam {
namespace {

using common::IpPrefix;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Partition Of(std::string_view range, int length) {
  return {IpPrefix::Parse(range).value(), length};
}
std::string ProblemOf(const Options& options) {
  const auto plan = PlanRanges(options);
  return plan ? "none" : plan.error().message();
}

TEST(RangePlan, NodesGet24BitsOfIPv4And64OfIPv6UnlessToldOtherwise) {
  EXPECT_THAT(PlanRanges({.cluster_ranges = "10.244.0.0/16"})->partitions,
              ElementsAre(Of("10.244.0.0/16", 24)));
  EXPECT_THAT(PlanRanges({.cluster_ranges = "fd00:10::/48"})->partitions,
              ElementsAre(Of("fd00:10::/48", 64)));
  EXPECT_THAT(PlanRanges({.cluster_ranges = " fd00:10::/48,10.244.0.0/16\n"})->partitions,
              ElementsAre(Of("fd00:10::/48", 64), Of("10.244.0.0/16", 24)));
  EXPECT_THAT(PlanRanges({.cluster_ranges = "10.244.0.0/16", .part_length = 26})->partitions,
              ElementsAre(Of("10.244.0.0/16", 26)));
  EXPECT_THAT(PlanRanges({.cluster_ranges = "fd00:10::/48", .part_length = 60})->partitions,
              ElementsAre(Of("fd00:10::/48", 60)));
  EXPECT_THAT(PlanRanges({.cluster_ranges = "10.244.0.0/16,fd00:10::/48",
                          .part_length_v4 = 25,
                          .part_length_v6 = 56})
                  ->partitions,
              ElementsAre(Of("10.244.0.0/16", 25), Of("fd00:10::/48", 56)));
  EXPECT_THAT(PlanRanges({.cluster_ranges = "010.244.0.0/16", .part_length_v4 = 16})->partitions,
              ElementsAre(Of("10.244.0.0/16", 16)));
  EXPECT_THAT(PlanRanges({.cluster_ranges = "fd00:10::/48", .part_length_v6 = 50})->partitions,
              ElementsAre(Of("fd00:10::/48", 50)));
}

TEST(RangePlan, RangesOfTheClusterAreOneOrOneOfEachFamily) {
  EXPECT_EQ(ProblemOf({}), "invalid CIDR[0]: <nil> (invalid CIDR address: )");
  EXPECT_EQ(ProblemOf({.cluster_ranges = "10.0.0.0/8,"}),
            "invalid CIDR[1]: <nil> (invalid CIDR address: )");
  EXPECT_EQ(ProblemOf({.cluster_ranges = "10.0.0.0/8, fd00::/48"}),
            "invalid CIDR[1]: <nil> (invalid CIDR address:  fd00::/48)");
  EXPECT_THAT(ProblemOf({.cluster_ranges = "10.0.0.0/8,11.0.0.0/8"}),
              HasSubstr("len of ClusterCIDRs==2 and they are not configured as dual stack"));
  EXPECT_EQ(ProblemOf({.cluster_ranges = "10.0.0.0/8,fd00::/48,11.0.0.0/8"}),
            "length of clusterCIDRs is:3 more than max allowed of 2");
}

TEST(RangePlan, RangesOfServicesAreLeftOut) {
  const auto both =
      PlanRanges({.cluster_ranges = "10.0.0.0/8", .service_ranges = "10.96.0.0/12,fd00:1::/112"});
  EXPECT_THAT(both->services, ElementsAre(IpPrefix::Parse("10.96.0.0/12").value(),
                                          IpPrefix::Parse("fd00:1::/112").value()));
  const auto odd = PlanRanges({.cluster_ranges = "10.0.0.0/8", .service_ranges = "ten, ,11/8"});
  EXPECT_THAT(odd->services, IsEmpty());
  EXPECT_THAT(odd->not_understood, ElementsAre("ten"));
  EXPECT_EQ(
      ProblemOf({.cluster_ranges = "10.0.0.0/8", .service_ranges = "10.96.0.0/12,11.0.0.0/8"}),
      "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)");
}

TEST(RangePlan, SizesAreForTheFamiliesThatThereAre) {
  EXPECT_EQ(ProblemOf({.cluster_ranges = "10.0.0.0/8,fd00::/48", .part_length = 24}),
            "usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
  EXPECT_THAT(ProblemOf({.cluster_ranges = "10.0.0.0/8", .part_length = 24, .part_length_v4 = 24}),
              HasSubstr("not allowed if --node-cidr-mask-size is set"));
  EXPECT_EQ(ProblemOf({.cluster_ranges = "fd00::/48", .part_length_v4 = 24}),
            "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster");
  EXPECT_EQ(ProblemOf({.cluster_ranges = "10.0.0.0/8", .part_length_v6 = 64}),
            "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster");
}

TEST(RangePlan, PartsAreSmallerThanTheWholeAndIPv6HasNoMoreThan65536) {
  EXPECT_THAT(ProblemOf({.cluster_ranges = "10.0.0.0/25"}),
              HasSubstr("Invalid --cluster-cidr, mask size of cluster CIDR must be less"));
  EXPECT_THAT(ProblemOf({.cluster_ranges = "10.0.0.0/8", .part_length = -1}),
              HasSubstr("Invalid --cluster-cidr"));
  EXPECT_EQ(ProblemOf({.cluster_ranges = "10.0.0.0/8", .part_length = 33}),
            "a node CIDR mask size of 33 is too big for IPv4");
  EXPECT_EQ(ProblemOf({.cluster_ranges = "fd00::/47"}),
            "New CIDR set failed; the node CIDR size is too big");
  EXPECT_EQ(ProblemOf({.cluster_ranges = "0.0.0.0/0", .part_length = 32}), "none");
}

TEST(RangePlan, CloudsAreNotForUs) {
  EXPECT_THAT(ProblemOf({.allocator = "CloudAllocator", .cluster_ranges = "10.0.0.0/8"}),
              HasSubstr("cloud provider is not configured"));
  EXPECT_THAT(ProblemOf({.allocator = "IPAMFromCluster", .cluster_ranges = "10.0.0.0/8"}),
              HasSubstr("legacy cloud provider support disabled"));
  EXPECT_EQ(ProblemOf({.allocator = "", .cluster_ranges = "10.0.0.0/8"}),
            "invalid CIDR allocator type: ");
}

}  // namespace
}  // namespace flyball::controllers::node_ipam
