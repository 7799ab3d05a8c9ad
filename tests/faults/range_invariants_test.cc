#include "tests/faults/range_invariants.h"

#include "gmock/gmock.h"

namespace flyball::faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RangeInvariantsTest : public testing::Test {
 protected:
  void Tell(const std::string& name, std::vector<std::string> ranges) {
    core::v1::Node node;
    node.metadata.name = name;
    node.spec.podCIDRs = std::move(ranges);
    invariants_.TellOfNode("uid of " + name, node);
  }

  std::vector<std::string> violations_;
  RangeInvariants invariants_{violations_};
};

TEST_F(RangeInvariantsTest, NodesThatEachHaveTheirOwnAreFine) {
  Tell("a", {});
  Tell("b", {"10.0.1.0/24", "fd00::/64"});
  Tell("a", {"10.0.0.0/24"});
  Tell("a", {"10.0.0.0/24"});
  invariants_.TellOfNode("uid of a", std::nullopt);
  Tell("c", {"10.0.0.0/24"});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(RangeInvariantsTest, WhatOneNodeHasNoOtherMayGet) {
  Tell("a", {"10.0.0.0/24", "fd00::/64"});
  Tell("b", {"10.0.1.0/24", "fd00::/64"});
  EXPECT_THAT(violations_, ElementsAre("node b gets fd00::/64, which node a has"));
}

TEST_F(RangeInvariantsTest, WhatANodeHasItKeeps) {
  Tell("a", {"10.0.0.0/24"});
  Tell("a", {"10.0.1.0/24"});
  EXPECT_THAT(violations_, ElementsAre("node a has other ranges than it had"));
}

}  // namespace
}  // namespace flyball::faults
