#include "flyball/sandbox/kinds/service_ranges.h"

#include <chrono>
#include <set>

#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using Holder = NumberPool::Holder;

const WallTime kStart{std::chrono::seconds(1'000'000)};

std::optional<bool> NobodyStored(const Holder& /*holder*/, std::int64_t /*number*/) {
  return std::nullopt;
}

TEST(NumberPool, GivesEveryNumberOnce) {
  NumberPool pool(10, 19, 4);
  std::uint64_t random = 7;
  std::set<std::int64_t> given;
  for (int i = 0; i < 10; ++i) {
    const auto number = pool.TakeAny({"default", "a", std::to_string(i)}, NobodyStored, kStart,
                                     [&] { return random += 3; });
    ASSERT_TRUE(number.has_value());
    // Those set aside come last.
    EXPECT_EQ(*number >= 14, i < 6);
    given.insert(*number);
  }
  EXPECT_EQ(given.size(), 10U);
  EXPECT_EQ(pool.TakeAny({"default", "b", "b"}, NobodyStored, kStart, [] { return 1; }),
            std::nullopt);
}

TEST(NumberPool, TrustsWhoIsNotStoredYetForAMoment) {
  NumberPool pool(10, 19, 0);
  EXPECT_TRUE(pool.Take(12, {"default", "a", "1"}, NobodyStored, kStart));
  EXPECT_TRUE(pool.Take(12, {"default", "a", "1"}, NobodyStored, kStart));
  EXPECT_FALSE(pool.Take(12, {"default", "b", "2"}, NobodyStored, kStart));
  EXPECT_TRUE(pool.Take(12, {"default", "b", "2"}, NobodyStored, kStart + std::chrono::minutes(1)));
}

TEST(NumberPool, GoesByWhatIsStored) {
  NumberPool pool(10, 19, 0);
  pool.Learn(12, {"default", "a", "1"});
  const Holder other{"default", "b", "2"};
  EXPECT_FALSE(pool.Take(12, other, [](const Holder&, std::int64_t) { return true; }, kStart));
  EXPECT_TRUE(pool.Take(12, other, [](const Holder&, std::int64_t) { return false; }, kStart));
}

TEST(ServiceRanges, RefusesWhatIsNoNetwork) {
  EXPECT_TRUE(ServiceRanges::Check({}).has_value());
  EXPECT_TRUE(ServiceRanges::Check({.cluster_ips = "10.96.0.0/12"}).has_value());
  for (const char* const bad : {"", "10.0.0.0", "10.0.0.1/24", "10.0.0.0/33", "fd00::/108"}) {
    EXPECT_FALSE(ServiceRanges::Check({.cluster_ips = bad}).has_value()) << bad;
  }
  EXPECT_FALSE(ServiceRanges::Check({.first_node_port = 5, .last_node_port = 4}).has_value());
}

TEST(ServiceRanges, ReadsAndWritesAddresses) {
  EXPECT_EQ(AddressText(*ParseAddress("10.0.255.1")), "10.0.255.1");
  for (const char* const bad : {"10.0.0", "10.0.0.256", "10.0.0.1.1", "a.b.c.d", ""}) {
    EXPECT_EQ(ParseAddress(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace flyball::sandbox
