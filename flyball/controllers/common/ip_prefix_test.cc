#include "flyball/controllers/common/ip_prefix.h"

#include <gtest/gtest.h>

#include <string>

namespace flyball::controllers::common {
namespace {

std::string AddressText(std::string_view text) {
  const auto address = IpAddress::Parse(text);
  return address ? address->ToString() : "none";
}
std::string PrefixText(std::string_view text) {
  const auto prefix = IpPrefix::Parse(text);
  return prefix ? prefix->ToString() : "none";
}
IpPrefix Prefix(std::string_view text) { return IpPrefix::Parse(text).value(); }
IpAddress Address(std::string_view text) { return IpAddress::Parse(text).value(); }

TEST(IpAddress, AreWrittenAsGoDoes) {
  EXPECT_EQ(AddressText("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(AddressText("255.255.255.255"), "255.255.255.255");
  EXPECT_EQ(AddressText("FD00:0:0:1:0:0:0:1"), "fd00:0:0:1::1");
  EXPECT_EQ(AddressText("2001:db8:0:1:1:1:1:1"), "2001:db8:0:1:1:1:1:1");
  EXPECT_EQ(AddressText("1:0:0:2:2:0:0:1"), "1::2:2:0:0:1");
  EXPECT_EQ(AddressText("::"), "::");
  EXPECT_EQ(AddressText("1::"), "1::");
  EXPECT_EQ(AddressText("::102:304"), "::102:304");
}

TEST(IpAddress, NothingElseIsOne) {
  for (const char* const text :
       {"", "10", "10.0.0", "10.0.0.0.0", "10.0.0.256", "10.0.0.01", "10.0.0.+1", "10.0.0.1 ",
        ".0.0.1", "10.0.0.", "fd00", "fd00:::1", "fd00::g", "fd00::1%eth0", "10.0.0.99999999999"}) {
    EXPECT_EQ(AddressText(text), "none") << text;
  }
  EXPECT_EQ(AddressText(std::string_view("fd00::1\0x", 9)), "none");
}

TEST(IpPrefix, StandsForAllThatBeginSo) {
  EXPECT_EQ(PrefixText("10.1.2.3/8"), "10.0.0.0/8");
  EXPECT_EQ(PrefixText("fd00:1:2:3::4/48"), "fd00:1:2::/48");
  EXPECT_EQ(PrefixText("1.2.3.4/0"), "0.0.0.0/0");
  EXPECT_EQ(PrefixText("ffff::/0"), "::/0");
  EXPECT_EQ(PrefixText("ffff::1/128"), "ffff::1/128");
  for (const char* const text :
       {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "fd00::/129", "10.0.0.0/-1", "10.0.0.0/08"}) {
    EXPECT_EQ(PrefixText(text), "none") << text;
  }
}

TEST(IpPrefix, LeadingZerosAreForOldObjects) {
  EXPECT_EQ(IpPrefix::ParseSloppily("010.000.007.0/024")->ToString(), "10.0.7.0/24");
  EXPECT_EQ(IpPrefix::ParseSloppily("fd00::/064")->ToString(), "fd00::/64");
  EXPECT_FALSE(IpPrefix::ParseSloppily("10.0.0.0"));
}

TEST(IpPrefix, KnowsWhatIsInIt) {
  const IpPrefix ten = Prefix("10.0.0.0/8");
  EXPECT_TRUE(ten.Contains(Address("10.255.0.1")));
  EXPECT_FALSE(ten.Contains(Address("11.0.0.0")));
  EXPECT_FALSE(ten.Contains(Address("::a00:1")));
  EXPECT_TRUE(ten.Contains(Prefix("10.7.0.0/16")));
  EXPECT_TRUE(ten.Contains(ten));
  EXPECT_FALSE(Prefix("10.7.0.0/16").Contains(ten));
  EXPECT_TRUE(Prefix("10.7.0.0/16").Overlaps(ten));
  EXPECT_FALSE(Prefix("10.7.0.0/16").Overlaps(Prefix("10.8.0.0/16")));
  EXPECT_FALSE(Prefix("::/0").Overlaps(ten));
  EXPECT_EQ(ten.last(), Address("10.255.255.255"));
  EXPECT_EQ(Prefix("::/0").last().ToString(), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  EXPECT_EQ(ToString(IpFamily::kV4), "IPv4");
  EXPECT_EQ(ToString(IpFamily::kV6), "IPv6");
}

TEST(IpAddress, ReadSloppilyHasOneWayToBeWritten) {
  const auto written = [](std::string_view text) {
    const auto address = IpAddress::ParseSloppily(text);
    return address ? std::string(ToString(address->family)) + " " + address->ToString() : "";
  };
  EXPECT_EQ(written("10.0.0.1"), "IPv4 10.0.0.1");
  EXPECT_EQ(written("010.000.0.1"), "IPv4 10.0.0.1");
  EXPECT_EQ(written("::ffff:10.0.0.1"), "IPv4 10.0.0.1");
  EXPECT_EQ(written("FD00:0:0:0:0:0:0:1"), "IPv6 fd00::1");
  EXPECT_EQ(written("fd00:0:0:1:0:0:0:1"), "IPv6 fd00:0:0:1::1");
  EXPECT_EQ(written("fd00:1:0:2:3:4:5:6"), "IPv6 fd00:1:0:2:3:4:5:6");
  EXPECT_EQ(written("1:2:3:4:5:6:0:0"), "IPv6 1:2:3:4:5:6::");
  EXPECT_EQ(written("::"), "IPv6 ::");
  EXPECT_EQ(written("::1"), "IPv6 ::1");
  EXPECT_EQ(written("::10.0.0.1"), "IPv6 ::a00:1");
  for (const char* const text : {"", "10.0.0", "10.0.0.1.2", "10.0.0.256", "10.0.0.1x", "10,0.0.1",
                                 "a.b.c.d", "fd00:::1", "web"}) {
    EXPECT_EQ(written(text), "") << text;
  }
}

}  // namespace
}  // namespace flyball::controllers::common
