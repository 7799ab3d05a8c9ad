#include "flyball/controllers/node_ipam/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "flyball/api/core/v1.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/view_decode.h"

namespace flyball::controllers::node_ipam {
namespace {

using testing::ElementsAre;

std::shared_ptr<const views::Node> NodeWith(const Ranges& ranges, bool goes = false) {
  core::v1::Node node;
  node.metadata.name = "node";
  node.spec.podCIDRs = ranges;
  if (goes) node.metadata.deletionTimestamp = api::Time(WallTime(std::chrono::seconds(1)));
  api::ViewDecoder decoder;
  return decoder.Decode<views::Node>(api::EncodeProtobuf(node).value()).value();
}

TEST(NodeIpamPlan, NodesThatStayGetRangesIfTheyHaveNone) {
  EXPECT_EQ(ActionFor(*NodeWith({})), Action::kGive);
  EXPECT_EQ(ActionFor(*NodeWith({"10.0.0.0/24"})), Action::kCheck);
  EXPECT_EQ(ActionFor(*NodeWith({}, /*goes=*/true)), Action::kLeave);
  EXPECT_EQ(ActionFor(*NodeWith({"10.0.0.0/24"}, /*goes=*/true)), Action::kLeave);
}

TEST(NodeIpamPlan, RangesAreComparedInTheirOrder) {
  const auto node = NodeWith({"10.0.0.0/24", "fd00::/64"});
  EXPECT_THAT(RangesOf(*node), ElementsAre("10.0.0.0/24", "fd00::/64"));
  EXPECT_TRUE(SameRanges(*node, *NodeWith({"10.0.0.0/24", "fd00::/64"})));
  EXPECT_FALSE(SameRanges(*node, *NodeWith({"fd00::/64", "10.0.0.0/24"})));
  EXPECT_FALSE(SameRanges(*node, *NodeWith({})));
  EXPECT_EQ(Joined(RangesOf(*node)), "10.0.0.0/24, fd00::/64");
}

TEST(NodeIpamPlan, ThePatchIsForOneNodeAlone) {
  const client::Patch patch = RangesPatch("uid", {"10.0.0.0/24", "fd00::/64"});
  EXPECT_EQ(patch.type, client::PatchType::kStrategic);
  EXPECT_EQ(patch.text,
            R"({"metadata":{"uid":"uid"},)"
            R"("spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24","fd00::/64"]}})");
}

}  // namespace
}  // namespace flyball::controllers::node_ipam
