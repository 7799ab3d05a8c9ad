#include "flyball/api/time.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using std::chrono::nanoseconds;
using WallTime = std::chrono::sys_time<nanoseconds>;

TEST(Time, IsZeroInTheYearOneUnlessSet) {
  EXPECT_TRUE(Time().IsZero());
  EXPECT_EQ(Time().ToString(), "0001-01-01T00:00:00Z");
  EXPECT_EQ(Time::Parse("0001-01-01T00:00:00Z"), Time());
  EXPECT_FALSE(Time::FromUnix(0).IsZero());
}

TEST(Time, ResolvesZonesAndKeepsFractionsInMemoryOnly) {
  const Result<Time> time = Time::Parse("2024-02-29T01:30:00.123456789123+02:30");
  ASSERT_TRUE(time.has_value());
  EXPECT_EQ(time->unix_seconds(), 1709161200);
  EXPECT_EQ(time->nanoseconds(), 123456789);
  EXPECT_EQ(time->ToString(), "2024-02-28T23:00:00Z");
  EXPECT_EQ(time->ProtoNanoseconds(), 0);
  EXPECT_EQ(time->WholeSeconds(), Time::FromUnix(1709161200));
  EXPECT_NE(*time, time->WholeSeconds());
}

TEST(Time, SharesTheLenienciesOfGo) {
  EXPECT_EQ(Time::Parse("2024-01-01T1:00:00Z")->ToString(), "2024-01-01T01:00:00Z");
  EXPECT_EQ(Time::Parse("2024-01-01T01:00:00,5Z")->nanoseconds(), 500000000);
  EXPECT_EQ(Time::Parse("2024-01-01T00:00:00-24:60")->ToString(), "2024-01-02T01:00:00Z");
  EXPECT_EQ(Time::Parse("0000-01-01T00:00:00+00:01")->ToString(), "-0001-12-31T23:59:00Z");
}

TEST(Time, RefusesWhatGoRefuses) {
  for (const char* text : {"",
                           "null",
                           "2024-01-01",
                           "2024-01-01 00:00:00Z",
                           "2024-01-01t00:00:00Z",
                           "2024-01-01T00:00:00",
                           "2024-01-01T00:00:00z",
                           "2024-02-30T00:00:00Z",
                           "2023-02-29T00:00:00Z",
                           "2024-13-01T00:00:00Z",
                           "2024-00-01T00:00:00Z",
                           "2024-01-00T00:00:00Z",
                           "2024-01-01T24:00:00Z",
                           "2024-01-01T00:60:00Z",
                           "2024-01-01T00:00:60Z",
                           "2024-01-01T00:00:00.Z",
                           "2024-01-01T00:00:00+25:00",
                           "2024-01-01T00:00:00+00:61",
                           "2024-01-01T00:00:00+0000",
                           "24-01-01T00:00:00Z",
                           "2024-01-01T00:00:00Z ",
                           "+024-01-01T00:00:00Z",
                           "12024-01-01T00:00:00Z"}) {
    const Result<Time> parsed = Time::Parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kMalformed);
  }
}

TEST(Time, WritesYearsBeyondFourDigitsInFull) {
  EXPECT_EQ(Time::FromUnix(253402300799).ToString(), "9999-12-31T23:59:59Z");
  EXPECT_EQ(Time::FromUnix(253402300800).ToString(), "10000-01-01T00:00:00Z");
  EXPECT_FALSE(Time::FromUnix(std::numeric_limits<std::int64_t>::max()).ToString().empty());
  EXPECT_FALSE(Time::FromUnix(std::numeric_limits<std::int64_t>::min()).ToString().empty());
}

TEST(Time, CountsNanosecondsForwardBefore1970) {
  const Time time(WallTime(nanoseconds(-1)));
  EXPECT_EQ(time, Time::FromUnix(-1, 999999999));
  EXPECT_EQ(time.ToWallTime(), WallTime(nanoseconds(-1)));
  EXPECT_EQ(Time::FromUnix(5, -1), Time::FromUnix(4, 999999999));
}

TEST(Time, AddsAndSubtracts) {
  const Time time = Time::FromUnix(100, 999999999);
  EXPECT_EQ(time + nanoseconds(1), Time::FromUnix(101));
  EXPECT_EQ(time - std::chrono::seconds(101), Time::FromUnix(-1, 999999999));
  EXPECT_EQ(time - nanoseconds::min(), time + nanoseconds::max() + nanoseconds(1));
  EXPECT_EQ(Time::FromUnix(101) - time, nanoseconds(1));
  EXPECT_EQ(time - Time(), nanoseconds::max()) << "1969 years do not fit";
  EXPECT_EQ(Time() - time, nanoseconds::min());
  EXPECT_EQ(Time().ToWallTime(), WallTime::min());
  EXPECT_LT(Time(), time);
}

TEST(MicroTime, WantsExactlySixDecimals) {
  EXPECT_EQ(MicroTime::Parse("2024-01-01T00:00:00.123456Z"),
            MicroTime::FromUnix(1704067200, 123456000));
  EXPECT_EQ(MicroTime::Parse("2024-01-01T00:00:00,000001+01:00"),
            MicroTime::FromUnix(1704063600, 1000));
  for (const char* text : {"2024-01-01T00:00:00Z", "2024-01-01T00:00:00.12345Z",
                           "2024-01-01T00:00:00.1234567Z", "2024-01-01T00:00:00.-00001Z"}) {
    EXPECT_FALSE(MicroTime::Parse(text).has_value()) << text;
  }
}

TEST(MicroTime, TakesASignAmongTheDecimalsAsGoDoes) {
  EXPECT_EQ(MicroTime::Parse("2024-01-01T00:00:00.+12345Z"),
            MicroTime::FromUnix(1704067200, 12345000));
  EXPECT_EQ(MicroTime::Parse("2024-01-01T00:00:00.-00000Z"), MicroTime::FromUnix(1704067200));
}

TEST(MicroTime, CutsToMicrosecondsOnTheWire) {
  const MicroTime time = MicroTime::FromUnix(1704067200, 123456789);
  EXPECT_EQ(time.ToString(), "2024-01-01T00:00:00.123456Z");
  EXPECT_EQ(time.ProtoNanoseconds(), 123456000);
  EXPECT_EQ(MicroTime::FromProto(1704067200, 123456789).nanoseconds(), 123456000);
  EXPECT_EQ(MicroTime::FromProto(1, -1500), MicroTime::FromUnix(0, 999999000));
  EXPECT_EQ(Time::FromProto(1, 500000000), Time::FromUnix(1));
}

}  // namespace
}  // namespace flyball::api
