#include "flyball/controllers/node_ipam/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::controllers::node_ipam {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RangePlan PlanOf(const std::string& cluster, const std::string& services = {}) {
  return PlanRanges({.cluster_ranges = cluster, .service_ranges = services}).value();
}
Ranges Promised(Ledger& ledger, const std::string& name) {
  return ledger.Promise(name, "uid of " + name).value_or(Ranges{"none"});
}

TEST(Ledger, GivesThePartsInTurn) {
  Ledger ledger(PlanOf("10.244.0.0/22"), nullptr);
  EXPECT_THAT(Promised(ledger, "a"), ElementsAre("10.244.0.0/24"));
  EXPECT_THAT(Promised(ledger, "b"), ElementsAre("10.244.1.0/24"));
  ledger.TakeBack("a");
  EXPECT_THAT(Promised(ledger, "c"), ElementsAre("10.244.2.0/24"));
  EXPECT_THAT(Promised(ledger, "d"), ElementsAre("10.244.3.0/24"));
  EXPECT_THAT(Promised(ledger, "e"), ElementsAre("10.244.0.0/24"));
  const auto none = ledger.Promise("f", "uid");
  EXPECT_EQ(none.error().message(),
            "failed to allocate cidr from cluster cidr at idx:0: CIDR allocation failed; there are "
            "no remaining CIDRs left to allocate in the accepted range");
}

TEST(Ledger, ANodeGetsOneOfEachOrNone) {
  Ledger ledger(PlanOf("10.244.0.0/16,fd00:10::/63"), nullptr);
  EXPECT_THAT(Promised(ledger, "a"), ElementsAre("10.244.0.0/24", "fd00:10::/64"));
  EXPECT_THAT(Promised(ledger, "b"), ElementsAre("10.244.1.0/24", "fd00:10:0:1::/64"));
  for (int i = 0; i < 300; ++i) {
    EXPECT_THAT(ledger.Promise("c", "uid").error().message(), HasSubstr("at idx:1"));
  }
  // Nothing of the first range was used up by those that had no second.
  EXPECT_EQ(ledger.held(0), 2U);
  ledger.Forget("b", "uid of b");
  EXPECT_THAT(Promised(ledger, "c"), ElementsAre("10.244.2.0/24", "fd00:10:0:1::/64"));
}

TEST(Ledger, WhatServicesHaveIsNobodys) {
  Ledger ledger(PlanOf("10.0.0.0/16", "10.0.0.0/23,fd00::/112"), nullptr);
  EXPECT_EQ(ledger.held(0), 2U);
  EXPECT_THAT(Promised(ledger, "a"), ElementsAre("10.0.2.0/24"));
  // A node that somebody gave a part of it lets go of nothing but its own.
  ledger.Show("b", "uid", {"10.0.1.0/24"});
  ledger.Hide({"10.0.1.0/24"});
  EXPECT_EQ(ledger.held(0), 3U);
}

TEST(Ledger, WhatNodesHaveIsTheirsUntilTheLastOfThemIsGone) {
  Ledger ledger(PlanOf("10.244.0.0/22"), nullptr);
  ledger.Show("a", "uid", {"10.244.0.0/24"});
  ledger.Show("b", "uid", {"10.244.0.0/23"});
  EXPECT_THAT(Promised(ledger, "c"), ElementsAre("10.244.2.0/24"));
  ledger.Hide({"10.244.0.0/24"});
  EXPECT_THAT(Promised(ledger, "d"), ElementsAre("10.244.3.0/24"));
  EXPECT_THAT(Promised(ledger, "e"), ElementsAre("none"));
  ledger.Hide({"10.244.0.0/23"});
  EXPECT_THAT(Promised(ledger, "e"), ElementsAre("10.244.0.0/24"));
}

TEST(Ledger, APromiseStandsUntilTheNodeShowsWhatItHas) {
  Ledger ledger(PlanOf("10.244.0.0/23"), nullptr);
  EXPECT_THAT(Promised(ledger, "a"), ElementsAre("10.244.0.0/24"));
  ledger.Doubt("a");
  ledger.TakeBack("a");              // of no avail: the one before may have been heard
  ledger.Show("a", "uid of a", {});  // an old state of it
  ledger.Show("a", "uid of another", {"10.244.1.0/24"});
  ledger.Forget("a", "uid of another");  // one that had its name before
  ledger.Hide({"10.244.1.0/24"});
  EXPECT_THAT(Promised(ledger, "a"), ElementsAre("10.244.0.0/24"));
  EXPECT_EQ(ledger.promises(), 1U);
  ledger.Show("a", "uid of a", {"10.244.0.0/24"});
  EXPECT_EQ(ledger.promises(), 0U);
  EXPECT_EQ(ledger.held(0), 1U);
}

TEST(Ledger, ANodeThatGotSomethingElseNeedsNoPromise) {
  Ledger ledger(PlanOf("10.244.0.0/23"), nullptr);
  EXPECT_THAT(Promised(ledger, "a"), ElementsAre("10.244.0.0/24"));
  ledger.Doubt("a");
  ledger.Show("a", "uid of a", {"10.244.1.0/24"});
  EXPECT_EQ(ledger.held(0), 1U);
  EXPECT_THAT(Promised(ledger, "b"), ElementsAre("10.244.0.0/24"));
  ledger.Doubt("b");
  ledger.Settle("b");
  ledger.Settle("b");
  ledger.Doubt("b");
  ledger.TakeBack("b");
  EXPECT_EQ(ledger.held(0), 1U);
}

TEST(Ledger, WhoeverComesToHaveANodesNameGetsAnother) {
  Ledger ledger(PlanOf("10.244.0.0/16"), nullptr);
  EXPECT_THAT(ledger.Promise("a", "1").value(), ElementsAre("10.244.0.0/24"));
  EXPECT_THAT(ledger.Promise("a", "2").value(), ElementsAre("10.244.1.0/24"));
  EXPECT_EQ(ledger.held(0), 1U);
}

TEST(Ledger, SaysWhatIsWrongWithTheRangesOfANode) {
  Ledger ledger(PlanOf("10.244.0.0/16"), nullptr);
  EXPECT_TRUE(ledger.Check("a", {}));
  EXPECT_TRUE(ledger.Check("a", {"010.244.7.0/24"}));
  EXPECT_EQ(ledger.Check("a", {"ten"}).error().message(), "failed to parse node a, CIDR ten");
  EXPECT_EQ(ledger.Check("a", {"10.244.7.0/24", "fd00::/64"}).error().message(),
            "node:a has an allocated cidr: fd00::/64 at index:1 that does not exist in cluster "
            "cidrs configuration");
  EXPECT_EQ(ledger.Check("a", {"10.9.0.0/24"}).error().message(),
            "failed to mark cidr[10.9.0.0/24] at idx [0] as occupied for node: a: cidr 10.9.0.0/24 "
            "is out the range of cluster cidr 10.244.0.0/16");
  // They are not held, and so not let go of either.
  for (const Ranges& ranges : {Ranges{"ten"}, Ranges{"10.9.0.0/24"}}) {
    ledger.Show("a", "uid", ranges);
    EXPECT_EQ(ledger.held(0), 0U);
    ledger.Hide(ranges);
  }
}

TEST(Ledger, CountsAsUpstreamDoes) {
  MetricRegistry metrics;
  Ledger ledger(PlanOf("10.244.0.0/21", "10.244.0.0/24"), &metrics);
  ledger.Show("old", "uid", {"10.244.1.0/24"});
  Promised(ledger, "a");
  ledger.Show("a", "uid of a", {"10.244.2.0/24"});
  ledger.Hide({"10.244.1.0/24"});
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
