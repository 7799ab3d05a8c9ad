#include "flyball/api/duration.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kShortest = nanoseconds::min();
constexpr nanoseconds kLongest = nanoseconds::max();

TEST(Duration, PrintsWithTheLargestUnitsThatApply) {
  EXPECT_EQ(FormatDuration(nanoseconds(0)), "0s");
  EXPECT_EQ(FormatDuration(nanoseconds(1)), "1ns");
  EXPECT_EQ(FormatDuration(nanoseconds(-2000)), "-2µs");
  EXPECT_EQ(FormatDuration(nanoseconds(1100)), "1.1µs");
  EXPECT_EQ(FormatDuration(nanoseconds(2200000)), "2.2ms");
  EXPECT_EQ(FormatDuration(std::chrono::milliseconds(1500)), "1.5s");
  EXPECT_EQ(FormatDuration(std::chrono::minutes(1)), "1m0s");
  EXPECT_EQ(FormatDuration(std::chrono::hours(1)), "1h0m0s");
  EXPECT_EQ(FormatDuration(std::chrono::seconds(3605)), "1h0m5s");
  EXPECT_EQ(FormatDuration(kLongest), "2562047h47m16.854775807s");
  EXPECT_EQ(FormatDuration(kShortest), "-2562047h47m16.854775808s");
}

TEST(Duration, ParsesEveryUnitAndFractions) {
  EXPECT_EQ(ParseDuration("1h2m3s4ms5us6ns"), nanoseconds(3723004005006));
  EXPECT_EQ(ParseDuration("1\u00b5s"), nanoseconds(1000));
  EXPECT_EQ(ParseDuration("1\u03bcs"), nanoseconds(1000));
  EXPECT_EQ(ParseDuration("-1.5h"), -std::chrono::minutes(90));
  EXPECT_EQ(ParseDuration("+.5s"), std::chrono::milliseconds(500));
  EXPECT_EQ(ParseDuration("1.s"), std::chrono::seconds(1));
  EXPECT_EQ(ParseDuration("-0"), nanoseconds(0));
  EXPECT_EQ(ParseDuration("9223372036854775807ns"), kLongest);
  EXPECT_EQ(ParseDuration("-9223372036854775808ns"), kShortest);
  EXPECT_EQ(ParseDuration("0.3333333333333333333333333333h"), std::chrono::minutes(20));
}

TEST(Duration, RefusesTheRest) {
  for (const char* text :
       {"", "3", "-", "s", ".", "-.s", "1d", "1S", "1s ", " 1s", "1h-2m", "+-1s",
        "9223372036854775808ns", "-9223372036854775809ns", "3000000h", "99999999999999999999s"}) {
    const Result<nanoseconds> parsed = ParseDuration(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kMalformed);
  }
}

TEST(Duration, ReadsBackWhatItWrites) {
  for (const std::int64_t count : {0L, 1L, -999L, 1000001L, 61000000000L, 86399999999999L}) {
    const Duration duration{nanoseconds(count)};
    EXPECT_EQ(Duration::Parse(duration.ToString()), duration);
  }
}

}  // namespace
}  // namespace flyball::api
