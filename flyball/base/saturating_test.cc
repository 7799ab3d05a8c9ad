#include "flyball/base/saturating.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "flyball/base/clock.h"

namespace flyball {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using Fractional = std::chrono::duration<double>;

constexpr seconds kEndOfSeconds = seconds::max();

// Usable in constant expressions, which undefined behaviour is not.
static_assert(SaturatingNanoseconds(kEndOfSeconds) == nanoseconds::max());

TEST(SaturatingNanoseconds, TakesSecondsThatDoNotFitForTheLongestDuration) {
  constexpr seconds kLongest(9'223'372'036);
  EXPECT_EQ(SaturatingNanoseconds(seconds(-3)), nanoseconds(-3'000'000'000));
  EXPECT_EQ(SaturatingNanoseconds(kLongest), nanoseconds(9'223'372'036'000'000'000));
  EXPECT_EQ(SaturatingNanoseconds(-kLongest), nanoseconds(-9'223'372'036'000'000'000));
  EXPECT_EQ(SaturatingNanoseconds(kLongest + seconds(1)), nanoseconds::max());
  EXPECT_EQ(SaturatingNanoseconds(-kLongest - seconds(1)), nanoseconds::min());
  EXPECT_EQ(SaturatingNanoseconds(seconds::min()), nanoseconds::min());
}

TEST(SaturatingNanoseconds, TakesFractionsThatDoNotFitForTheLongestDuration) {
  EXPECT_EQ(SaturatingNanoseconds(Fractional(0.25)), nanoseconds(250'000'000));
  EXPECT_EQ(SaturatingNanoseconds(Fractional(1e10)), nanoseconds::max());
  EXPECT_EQ(SaturatingNanoseconds(Fractional(-1e10)), nanoseconds::min());
  EXPECT_EQ(SaturatingNanoseconds(Fractional(std::numeric_limits<double>::infinity())),
            nanoseconds::max());
  EXPECT_EQ(SaturatingNanoseconds(Fractional(std::numeric_limits<double>::quiet_NaN())),
            nanoseconds::zero());
}

TEST(SaturatingArithmetic, EndsAtTheLongestDuration) {
  EXPECT_EQ(SaturatingAdd(nanoseconds(2), nanoseconds(3)), nanoseconds(5));
  EXPECT_EQ(SaturatingAdd(nanoseconds::max(), nanoseconds(1)), nanoseconds::max());
  EXPECT_EQ(SaturatingAdd(nanoseconds::min(), nanoseconds(-1)), nanoseconds::min());
  EXPECT_EQ(SaturatingAdd(nanoseconds::min(), nanoseconds::max()), nanoseconds(-1));
  EXPECT_EQ(SaturatingSubtract(nanoseconds(2), nanoseconds(3)), nanoseconds(-1));
  EXPECT_EQ(SaturatingSubtract(nanoseconds(0), nanoseconds::min()), nanoseconds::max());
  EXPECT_EQ(SaturatingSubtract(nanoseconds(-2), nanoseconds::max()), nanoseconds::min());
}

TEST(SaturatingArithmetic, EndsAtTheFirstAndTheLastMoment) {
  const WallTime now(seconds(1'700'000'000));
  EXPECT_EQ(SaturatingAdd(now, seconds(5)), now + seconds(5));
  EXPECT_EQ(SaturatingAdd(now, nanoseconds::max()), WallTime::max());
  EXPECT_EQ(SaturatingAdd(WallTime::min(), nanoseconds(-1)), WallTime::min());
  EXPECT_EQ(SaturatingSubtract(now, now - seconds(5)), seconds(5));
  EXPECT_EQ(SaturatingSubtract(WallTime::max(), WallTime::min()), nanoseconds::max());
  EXPECT_EQ(SaturatingSubtract(WallTime::min(), now), nanoseconds::min());
}

}  // namespace
}  // namespace flyball
