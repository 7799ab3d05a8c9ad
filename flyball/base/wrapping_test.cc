#include "flyball/base/wrapping.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace flyball {
namespace {

template <typename T>
using Limits = std::numeric_limits<T>;

// Usable in constant expressions, which undefined behaviour is not.
static_assert(WrappingAdd(Limits<std::int32_t>::max(), 1) == Limits<std::int32_t>::min());

TEST(WrappingArithmetic, OverflowsAsInGo) {
  EXPECT_EQ(WrappingAdd(std::int64_t{2}, 3), 5);
  EXPECT_EQ(WrappingAdd(Limits<std::int64_t>::max(), 1), Limits<std::int64_t>::min());
  EXPECT_EQ(WrappingAdd(Limits<std::int64_t>::min(), -1), Limits<std::int64_t>::max());
  EXPECT_EQ(WrappingAdd(Limits<std::int32_t>::max(), Limits<std::int32_t>::max()), -2);
  EXPECT_EQ(WrappingSubtract(std::int32_t{2}, 3), -1);
  EXPECT_EQ(WrappingSubtract(Limits<std::int32_t>::min(), 1), Limits<std::int32_t>::max());
  EXPECT_EQ(WrappingSubtract(std::int32_t{0}, Limits<std::int32_t>::min()),
            Limits<std::int32_t>::min());
}

TEST(TruncateToInt64, GivesTheMostNegativeNumberForADoubleThatDoesNotFit) {
  constexpr std::int64_t kMin = Limits<std::int64_t>::min();
  EXPECT_EQ(TruncateToInt64(-2.9), -2);
  EXPECT_EQ(TruncateToInt64(9223372036854774784.0), 9223372036854774784);
  EXPECT_EQ(TruncateToInt64(9223372036854775808.0), kMin);
  EXPECT_EQ(TruncateToInt64(-9223372036854775808.0), kMin);
  EXPECT_EQ(TruncateToInt64(-1e300), kMin);
  EXPECT_EQ(TruncateToInt64(Limits<double>::quiet_NaN()), kMin);
}

}  // namespace
}  // namespace flyball
