#include "flyball/simulation/address_pool.h"

#include <gtest/gtest.h>

namespace flyball::simulation {
namespace {

TEST(AddressPool, GivesEachAddressOnce) {
  AddressPool pool = *AddressPool::Of("10.1.2.0/29");
  for (const std::string address : {"10.1.2.2", "10.1.2.3", "10.1.2.4", "10.1.2.5", "10.1.2.6"}) {
    EXPECT_EQ(pool.Take(), address);
  }
  EXPECT_EQ(pool.Take(), "");
  pool.Release("10.1.2.4");
  EXPECT_EQ(pool.Take(), "10.1.2.4");
}

TEST(AddressPool, WhatWasGivenBackComesLast) {
  AddressPool pool = *AddressPool::Of("10.1.2.0/24");
  const std::string first = pool.Take();
  pool.Release(first);
  EXPECT_NE(pool.Take(), first);
}

TEST(AddressPool, DoesNotGiveWhatSomebodyHas) {
  AddressPool pool = *AddressPool::Of("10.1.2.0/24");
  pool.Reserve("10.1.2.2");
  pool.Reserve("10.9.9.9");  // of another
  pool.Reserve("fd00::1");
  EXPECT_EQ(pool.Take(), "10.1.2.3");
}

TEST(AddressPool, KnowsRangesWithRoomOnly) {
  for (const char* const bad : {"", "10.0.0.0", "10.0.0.0/30", "10.0.0.0/7", "10.0.0.0/x",
                                "fd00::/64", "10.0.0/24", "10.0.0.256/24"}) {
    EXPECT_FALSE(AddressPool::Of(bad)) << bad;
  }
}

TEST(AddressPool, NodesHaveRangesAndAddressesOfTheirOwn) {
  EXPECT_EQ(AddressPool::OfNode(0).Take(), "10.0.0.2");
  EXPECT_EQ(AddressPool::OfNode(999).Take(), "10.3.231.2");
  EXPECT_EQ(AddressOfNode(0), "172.16.0.2");
  EXPECT_EQ(AddressOfNode(999), "172.16.3.233");
}

TEST(AddressPool, NodesWithoutARangeHaveNoAddresses) {
  EXPECT_EQ(AddressPool::OfNode(65'535).Take(), "10.255.255.2");
  AddressPool pool = AddressPool::OfNode(65'536);
  pool.Reserve("10.0.0.2");
  EXPECT_EQ(pool.Take(), "");
}

}  // namespace
}  // namespace flyball::simulation
