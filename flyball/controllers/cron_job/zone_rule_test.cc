#include "flyball/controllers/cron_job/zone_rule.h"

#include <gtest/gtest.h>

#include <string>

#include "flyball/api/time.h"

namespace flyball::controllers::cron_job {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

sys_seconds At(const std::string& text) {
  const auto time = api::Time::Parse(text);
  EXPECT_TRUE(time) << text;
  return sys_seconds(seconds(time->unix_seconds()));
}

seconds OffsetAt(const std::string& rule, const std::string& moment) {
  const auto parsed = ZoneRule::Parse(rule);
  EXPECT_TRUE(parsed) << rule;
  return parsed->OffsetAt(At(moment));
}

TEST(ZoneRule, StandardTimeIsForEver) {
  EXPECT_EQ(OffsetAt("JST-9", "2026-07-01T00:00:00Z"), hours(9));
  EXPECT_EQ(OffsetAt("<-03>3", "2026-07-01T00:00:00Z"), hours(-3));
  EXPECT_EQ(OffsetAt("<+0545>-5:45", "2026-07-01T00:00:00Z"), hours(5) + minutes(45));
  EXPECT_EQ(OffsetAt("LMT0:44:30", "1960-07-01T00:00:00Z"), -minutes(44) - seconds(30));
}

TEST(ZoneRule, SummerBeginsAndEndsByWeekdays) {
  const std::string berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
  EXPECT_EQ(OffsetAt(berlin, "2040-01-01T00:00:00Z"), hours(1));
  EXPECT_EQ(OffsetAt(berlin, "2040-03-25T00:59:59Z"), hours(1));
  EXPECT_EQ(OffsetAt(berlin, "2040-03-25T01:00:00Z"), hours(2));
  EXPECT_EQ(OffsetAt(berlin, "2040-10-28T00:59:59Z"), hours(2));
  EXPECT_EQ(OffsetAt(berlin, "2040-10-28T01:00:00Z"), hours(1));
  const std::string new_york = "EST5EDT,M3.2.0,M11.1.0";
  EXPECT_EQ(OffsetAt(new_york, "2040-03-11T06:59:59Z"), hours(-5));
  EXPECT_EQ(OffsetAt(new_york, "2040-03-11T07:00:00Z"), hours(-4));
}

TEST(ZoneRule, SouthOfTheEquatorTheYearBeginsInSummer) {
  const std::string sydney = "AEST-10AEDT,M10.1.0,M4.1.0/3";
  EXPECT_EQ(OffsetAt(sydney, "2040-01-01T00:00:00Z"), hours(11));
  EXPECT_EQ(OffsetAt(sydney, "2040-03-31T15:59:59Z"), hours(11));
  EXPECT_EQ(OffsetAt(sydney, "2040-03-31T16:00:00Z"), hours(10));
  EXPECT_EQ(OffsetAt(sydney, "2040-10-06T16:00:00Z"), hours(11));
}

TEST(ZoneRule, SummerMayBeLessAndChangesMayBeOnDaysBefore) {
  EXPECT_EQ(OffsetAt("IST-1GMT0,M10.5.0,M3.5.0/1", "2040-01-01T00:00:00Z"), hours(0));
  // Late on the Saturday before the last Sunday.
  const std::string nuuk = "<-02>2<-01>,M3.5.0/-1,M10.5.0/0";
  EXPECT_EQ(OffsetAt(nuuk, "2040-03-25T00:59:59Z"), hours(-2));
  EXPECT_EQ(OffsetAt(nuuk, "2040-03-25T01:00:00Z"), hours(-1));
}

TEST(ZoneRule, DaysMayBeCountedWithAndWithoutTheLeapDay) {
  EXPECT_EQ(OffsetAt("AAA0BBB,J60/0,J300/0", "2040-02-29T23:59:59Z"), hours(0));
  EXPECT_EQ(OffsetAt("AAA0BBB,J60/0,J300/0", "2040-03-01T00:00:00Z"), hours(1));
  EXPECT_EQ(OffsetAt("AAA0BBB,J60/0,J300/0", "2041-03-01T00:00:00Z"), hours(1));
  EXPECT_EQ(OffsetAt("AAA0BBB,J59/0,J300/0", "2040-02-28T00:00:00Z"), hours(1));
  EXPECT_EQ(OffsetAt("AAA0BBB,59/0,300/0", "2040-02-29T00:00:00Z"), hours(1));
  EXPECT_EQ(OffsetAt("AAA0BBB,59/0,300/0", "2041-02-28T23:59:59Z"), hours(0));
}

TEST(ZoneRule, SummerWithoutARuleHasTheUsualOne) {
  EXPECT_EQ(OffsetAt("EST5EDT", "2040-03-11T06:59:59Z"), hours(-5));
  EXPECT_EQ(OffsetAt("EST5EDT4", "2040-03-11T07:00:00Z"), hours(-4));
  EXPECT_EQ(OffsetAt("EST5EDT4;M3.2.0,M11.1.0", "2040-07-01T00:00:00Z"), hours(-4));
}

TEST(ZoneRule, WhatIsNoRuleIsRefused) {
  for (const char* const bad : {"",
                                "CE",
                                "CET",
                                "5",
                                "<CET",
                                "CET-",
                                "CET-x",
                                "CET-169",
                                "CET-1:60",
                                "CET-1:0:60",
                                "CET-1:",
                                "CET-1CE",
                                "CET-1CEST-x",

                                "CET-1CEST,",
                                "CET-1CEST,M3.5.0",
                                "CET-1CEST,M3.5.0,",
                                "CET-1CEST,M3.5.0,M10.5.0x",
                                "CET-1CEST,M13.5.0,M10.5.0",
                                "CET-1CEST,M0.5.0,M10.5.0",
                                "CET-1CEST,M3.6.0,M10.5.0",
                                "CET-1CEST,M3.5.7,M10.5.0",
                                "CET-1CEST,M3,M10.5.0",
                                "CET-1CEST,M3.5,M10.5.0",
                                "CET-1CEST,J0,J300",
                                "CET-1CEST,366,J300",
                                "CET-1CEST,J60/x,J300",
                                "CET-1CEST,x,J300",
                                "CET-1CEST,J60/,J300"}) {
    EXPECT_FALSE(ZoneRule::Parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace flyball::controllers::cron_job
