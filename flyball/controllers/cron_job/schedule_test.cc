#include "flyball/controllers/cron_job/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/time.h"

// What upstream makes of schedules is compared case for case in tests/conformance; here stands what
// a person ought to know of it.
namespace flyball::controllers::cron_job {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;
using testing::ElementsAre;

TimeZones InUtc() {
  TimeZones::Places places;
  places.local_name = "";
  return TimeZones(places);
}

Schedule Parse(const std::string& text) {
  auto schedule = Schedule::Parse(text, InUtc());
  EXPECT_TRUE(schedule) << schedule.error().Describe();
  return *std::move(schedule);
}

/// The next times after one, in UTC.
std::vector<std::string> Times(const std::string& text, const std::string& after, int count) {
  const Schedule schedule = Parse(text);
  std::vector<std::string> times;
  auto at = std::optional(sys_seconds(seconds(api::Time::Parse(after)->unix_seconds())));
  while (count-- > 0) {
    at = schedule.Next(*at);
    if (!at) return times;
    times.push_back(api::Time::FromUnix(at->time_since_epoch().count()).ToString());
  }
  return times;
}

std::string Refusal(const std::string& text) {
  const auto schedule = Schedule::Parse(text, InUtc());
  EXPECT_FALSE(schedule) << text;
  return schedule ? "" : schedule.error().message();
}

TEST(Schedule, HasFieldsWithStepsRangesListsAndNames) {
  EXPECT_THAT(Times("*/20 9-10 * * *", "2026-11-15T09:30:00Z", 4),
              ElementsAre("2026-11-15T09:40:00Z", "2026-11-15T10:00:00Z", "2026-11-15T10:20:00Z",
                          "2026-11-15T10:40:00Z"));
  EXPECT_THAT(Times("5/25 0 1 jan,JUL ?", "2026-11-15T00:00:00Z", 4),
              ElementsAre("2027-01-01T00:05:00Z", "2027-01-01T00:30:00Z", "2027-01-01T00:55:00Z",
                          "2027-07-01T00:05:00Z"));
  EXPECT_THAT(Times("0 12 * * Mon-Fri/2", "2026-11-15T12:00:00Z", 3),
              ElementsAre("2026-11-16T12:00:00Z", "2026-11-18T12:00:00Z", "2026-11-20T12:00:00Z"));
}

TEST(Schedule, OfADayAndAWeekdayEitherWillDoUnlessOneIsAStar) {
  EXPECT_THAT(Times("0 0 1 * sun", "2026-11-27T00:00:00Z", 3),
              ElementsAre("2026-11-29T00:00:00Z", "2026-12-01T00:00:00Z", "2026-12-06T00:00:00Z"));
  EXPECT_THAT(Times("0 0 */2 * sun", "2026-11-28T00:00:00Z", 2),
              ElementsAre("2026-11-29T00:00:00Z", "2026-12-01T00:00:00Z"));
  EXPECT_THAT(Times("0 0 */1 * sun", "2026-11-28T00:00:00Z", 2),
              ElementsAre("2026-11-29T00:00:00Z", "2026-12-06T00:00:00Z"));
}

TEST(Schedule, HasMacros) {
  const std::string after = "2026-11-15T10:20:30Z";  // a Sunday
  EXPECT_THAT(Times("@yearly", after, 1), ElementsAre("2027-01-01T00:00:00Z"));
  EXPECT_THAT(Times("@annually", after, 1), ElementsAre("2027-01-01T00:00:00Z"));
  EXPECT_THAT(Times("@monthly", after, 1), ElementsAre("2026-12-01T00:00:00Z"));
  EXPECT_THAT(Times("@weekly", after, 1), ElementsAre("2026-11-22T00:00:00Z"));
  EXPECT_THAT(Times("@daily", after, 1), ElementsAre("2026-11-16T00:00:00Z"));
  EXPECT_THAT(Times("@midnight", after, 1), ElementsAre("2026-11-16T00:00:00Z"));
  EXPECT_THAT(Times("@hourly", after, 1), ElementsAre("2026-11-15T11:00:00Z"));
  EXPECT_THAT(Times("@every 1h0m5.7s", after, 2),
              ElementsAre("2026-11-15T11:20:35Z", "2026-11-15T12:20:40Z"));
  EXPECT_THAT(Times("@every -1h", after, 1), ElementsAre("2026-11-15T10:20:31Z"));
}

TEST(Schedule, GoesByTheClocksOfAZone) {
  EXPECT_THAT(Times("TZ=America/New_York 0 9 * * *", "2026-03-07T00:00:00Z", 3),
              ElementsAre("2026-03-07T14:00:00Z", "2026-03-08T13:00:00Z", "2026-03-09T13:00:00Z"));
  EXPECT_THAT(Times("CRON_TZ=Asia/Kathmandu @daily", "2026-03-07T00:00:00Z", 1),
              ElementsAre("2026-03-07T18:15:00Z"));
}

TEST(Schedule, ATimeThatClocksLeaveOutIsLeftOut) {
  // In Berlin clocks go from 2 to 3 on the 29th of March.
  EXPECT_THAT(Times("TZ=Europe/Berlin 30 2 * * *", "2026-03-28T00:00:00Z", 2),
              ElementsAre("2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"));
  EXPECT_THAT(Times("TZ=Europe/Berlin 30 * * * *", "2026-03-29T00:00:00Z", 2),
              ElementsAre("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"));
}

TEST(Schedule, ATimeThatClocksShowTwiceComesTwice) {
  // In Berlin clocks go from 3 back to 2 on the 25th of October.
  EXPECT_THAT(Times("TZ=Europe/Berlin 30 2 * * *", "2026-10-24T12:00:00Z", 3),
              ElementsAre("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"));
}

TEST(Schedule, ADayThatHasNoMidnightIsPassedOverOnTheWayToADate) {
  // In Beirut clocks go from midnight to 1 on the 29th of March 2026, and on the 28th in 2027.
  EXPECT_THAT(Times("TZ=Asia/Beirut 0 1 29 3 *", "2026-01-01T00:00:00Z", 1),
              ElementsAre("2027-03-28T22:00:00Z"));
  EXPECT_THAT(Times("TZ=Asia/Beirut 0 1 * 3 *", "2026-03-28T12:00:00Z", 1),
              ElementsAre("2026-03-28T22:00:00Z"));
}

TEST(Schedule, ADayThatIsLeftOutDoesNotStopIt) {
  // Samoa had no 30th of December in 2011. Upstream never gets beyond it.
  EXPECT_THAT(Times("TZ=Pacific/Apia 0 0 31 12 *", "2011-12-01T00:00:00Z", 1),
              ElementsAre("2011-12-30T10:00:00Z"));
}

TEST(Schedule, WhatDoesNotComeInFiveYearsDoesNotCome) {
  const sys_seconds now(seconds(1'800'000'000));
  for (const char* const text : {"0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *", ", * * * *",
                                 "* , * * *", "* * , * *", "* * * , *", "* * * * ,"}) {
    EXPECT_EQ(Parse(text).Next(now), std::nullopt) << text;
  }
  EXPECT_THAT(Times("0 0 29 2 *", "2024-02-29T00:00:00Z", 1), ElementsAre("2028-02-29T00:00:00Z"));
  EXPECT_THAT(Times("0 0 29 2 *", "2096-02-29T00:00:00Z", 1), ElementsAre());
}

TEST(Schedule, WhatIsWrongIsSaidInUpstreamsWords) {
  EXPECT_EQ(Refusal(""), "empty spec string");
  EXPECT_EQ(Refusal("a b"), "expected exactly 5 fields, found 2: [a b]");
  EXPECT_EQ(Refusal("60 * * * *"), "end of range (60) above maximum (59): 60");
  EXPECT_EQ(Refusal("* * 0 * *"), "beginning of range (0) below minimum (1): 0");
  EXPECT_EQ(Refusal("5-1 * * * *"), "beginning of range (5) beyond end of range (1): 5-1");
  EXPECT_EQ(Refusal("*/0 * * * *"), "step of range should be a positive number: */0");
  EXPECT_EQ(Refusal("1-2-3 * * * *"), "too many hyphens: 1-2-3");
  EXPECT_EQ(Refusal("1/2/3 * * * *"), "too many slashes: 1/2/3");
  EXPECT_EQ(Refusal("x * * * *"),
            "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax");
  EXPECT_EQ(Refusal("1-x * * * *"),
            "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax");
  EXPECT_EQ(Refusal("*/99999999999999999999 * * * *"),
            "failed to parse int from 99999999999999999999: strconv.Atoi: parsing "
            "\"99999999999999999999\": value out of range");
  EXPECT_EQ(Refusal("@reboot"), "unrecognized descriptor: @reboot");
  EXPECT_EQ(Refusal("@every 1x"),
            "failed to parse duration @every 1x: time: unknown unit \"x\" in duration \"1x\"");
  EXPECT_EQ(Refusal("TZ=Nowhere * * * * *"),
            "provided bad location Nowhere: unknown time zone Nowhere");
  EXPECT_EQ(Refusal("TZ=UTC"),
            "invalid schedule format: runtime error: slice bounds out of range [:-1]");
}

}  // namespace
}  // namespace flyball::controllers::cron_job
