#include "flyball/controllers/node_ipam/partition.h"

#include <gtest/gtest.h>

#include <string>

namespace flyball::controllers::node_ipam {
namespace {

using common::IpPrefix;

IpPrefix Prefix(std::string_view text) { return IpPrefix::Parse(text).value(); }
std::string Part(std::string_view range, int length, std::uint64_t number) {
  return Partition(Prefix(range), length).Part(number).ToString();
}
std::optional<Parts> Covering(std::string_view range, int length, std::string_view prefix) {
  return Partition(Prefix(range), length).Covering(Prefix(prefix));
}

TEST(Partition, NumbersTheParts) {
  EXPECT_EQ(Partition(Prefix("10.244.0.0/16"), 24).size(), 256U);
  EXPECT_EQ(Part("10.244.0.0/16", 24, 0), "10.244.0.0/24");
  EXPECT_EQ(Part("10.244.0.0/16", 24, 255), "10.244.255.0/24");
  EXPECT_EQ(Part("10.0.0.0/8", 30, 5), "10.0.0.20/30");
  EXPECT_EQ(Part("0.0.0.0/0", 32, (std::uint64_t{1} << 32) - 1), "255.255.255.255/32");
  EXPECT_EQ(Part("fd00:10::/48", 64, 258), "fd00:10:0:102::/64");
  EXPECT_EQ(Part("fd00::/56", 72, 0x1ff), "fd00:0:0:1:ff00::/72");
  EXPECT_EQ(Part("fd00::/112", 128, 7), "fd00::7/128");
  EXPECT_EQ(Part("10.0.0.0/24", 24, 0), "10.0.0.0/24");
  EXPECT_EQ(Part("::/0", 0, 0), "::/0");
}

TEST(Partition, KnowsWhichPartsAPrefixTakes) {
  EXPECT_EQ(Covering("10.244.0.0/16", 24, "10.244.3.0/24"), (Parts{3, 3}));
  EXPECT_EQ(Covering("10.244.0.0/16", 24, "10.244.3.128/25"), (Parts{3, 3}));
  EXPECT_EQ(Covering("10.244.0.0/16", 24, "10.244.16.0/20"), (Parts{16, 31}));
  EXPECT_EQ(Covering("10.244.0.0/16", 24, "10.0.0.0/8"), (Parts{0, 255}));
  EXPECT_EQ(Covering("10.244.0.0/16", 24, "10.244.0.0/16"), (Parts{0, 255}));
  EXPECT_EQ(Covering("10.244.0.0/16", 24, "10.245.0.0/24"), std::nullopt);
  EXPECT_EQ(Covering("10.244.0.0/16", 24, "fd00::/64"), std::nullopt);
  EXPECT_EQ(Covering("fd00:10::/48", 64, "fd00:10:0:102::/64"), (Parts{258, 258}));
  EXPECT_EQ(Covering("::/0", 0, "fd00::/64"), (Parts{0, 0}));
}

}  // namespace
}  // namespace flyball::controllers::node_ipam
