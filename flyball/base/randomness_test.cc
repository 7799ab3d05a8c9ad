#include "flyball/base/randomness.h"

#include <set>

#include "gtest/gtest.h"

namespace flyball {
namespace {

TEST(Randomness, IsOtherEachTimeAndInEachProcess) {
  const auto one = ProcessRandom();
  const auto other = ProcessRandom();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1'000; ++i) {
    seen.insert(one());
    seen.insert(other());
  }
  EXPECT_EQ(seen.size(), 2'000U);
}

TEST(Randomness, OfFractionsIsBelowOne) {
  EXPECT_EQ(Fraction([] { return std::uint64_t{0}; })(), 0.0);
  const double most = Fraction([] { return ~std::uint64_t{0}; })();
  EXPECT_LT(most, 1.0);
  EXPECT_GT(most, 0.999999);
}

}  // namespace
}  // namespace flyball
