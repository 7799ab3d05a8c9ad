// Holds schedules, and what is due by them, against upstream's own code. The cases come from the Go
// program in cron/, which ctest runs first; main.go says what each kind of line is.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "flyball/api/batch/v1.h"
#include "flyball/api/time.h"
#include "flyball/controllers/cron_job/due.h"
#include "flyball/controllers/cron_job/plan.h"
#include "flyball/controllers/cron_job/schedule.h"
#include "gtest/gtest.h"
#include "tests/conformance/cases.h"

namespace flyball::controllers::cron_job {
namespace {

using conformance::Fields;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

/// Nothing for "none" and "never".
std::optional<std::int64_t> NumberOrNone(Fields& fields) {
  Fields ahead = fields;
  const std::string_view raw = ahead.Raw();
  if (raw != "none" && raw != "never") return fields.Number();
  fields = ahead;
  return std::nullopt;
}

std::optional<std::int64_t> SecondsOf(const std::optional<sys_seconds>& moment) {
  if (!moment) return std::nullopt;
  return moment->time_since_epoch().count();
}

class CronConformance : public conformance::CasesTest {
 protected:
  static TimeZones::Places InUtc() {
    TimeZones::Places places = TimeZones::Places::OfThisMachine();
    places.local_name = "";
    return places;
  }
  const TimeZones zones_{InUtc()};
};

TEST_F(CronConformance, TheNextTimeIsTheOneThatUpstreamGives) {
  const int count = ForEach("N", [&](std::size_t, Fields& fields) {
    const std::string text = fields.Text();
    const sys_seconds after(seconds(fields.Number()));
    const auto schedule = Schedule::Parse(text, zones_);
    ASSERT_TRUE(schedule) << text << ": " << schedule.error().Describe();
    EXPECT_EQ(SecondsOf(schedule->Next(after)), NumberOrNone(fields))
        << text << " after " << after.time_since_epoch().count();
  });
  std::printf("next times: %d\n", count);
  EXPECT_GE(count, 100'000);
}

TEST_F(CronConformance, WhatUpstreamRefusesIsRefusedInItsWords) {
  const int count = ForEach("B", [&](std::size_t, Fields& fields) {
    const std::string text = fields.Text();
    const auto schedule = Schedule::Parse(text, zones_);
    ASSERT_FALSE(schedule) << text;
    EXPECT_EQ(schedule.error().message(), fields.Text()) << text;
  });
  std::printf("refused schedules: %d\n", count);
  EXPECT_GE(count, 5'000);
}

TEST_F(CronConformance, WhatIsDueIsWhatUpstreamTakesToBe) {
  const int count = ForEach("D", [&](std::size_t, Fields& fields) {
    batch::v1::CronJob cron_job;
    cron_job.spec.schedule = fields.Text();
    Fields zone = fields;
    if (zone.Raw() == "none") {
      fields = zone;
    } else {
      cron_job.spec.timeZone = fields.Text();
    }
    cron_job.metadata.creationTimestamp = api::Time::FromUnix(fields.Number());
    if (const auto last = NumberOrNone(fields)) {
      cron_job.status.lastScheduleTime = api::Time::FromUnix(*last);
    }
    cron_job.spec.startingDeadlineSeconds = NumberOrNone(fields);
    const WallTime now{nanoseconds(fields.Number())};
    const bool within = fields.Flag();

    const auto schedule = ScheduleOf(cron_job.spec, zones_);
    ASSERT_TRUE(schedule) << schedule.error().Describe();
    const auto last = FindLastDue(cron_job, *schedule, now, within);
    ASSERT_TRUE(last) << last.error().Describe();
    SCOPED_TRACE(cron_job.spec.schedule + " " + cron_job.spec.timeZone.value_or(""));
    EXPECT_EQ(SecondsOf(last->since), fields.Number());
    EXPECT_EQ(SecondsOf(last->due), NumberOrNone(fields));
    EXPECT_EQ(static_cast<int>(last->missed), fields.Number<int>());
    // What is more than a year away is looked at before that.
    const nanoseconds next(fields.Number());
    EXPECT_EQ(UntilNext(cron_job, *schedule, now),
              std::min<nanoseconds>(next, std::chrono::hours(24 * 365)));
  });
  std::printf("cron jobs: %d\n", count);
  EXPECT_GE(count, 15'000);
}

TEST_F(CronConformance, AScheduleThatNeverComesIsAnErrorInUpstreamsWords) {
  const int count = ForEach("E", [&](std::size_t, Fields& fields) {
    batch::v1::CronJob cron_job;
    cron_job.spec.schedule = fields.Text();
    const auto schedule = Schedule::Parse(cron_job.spec.schedule, zones_);
    ASSERT_TRUE(schedule) << schedule.error().Describe();
    const WallTime now{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};
    cron_job.metadata.creationTimestamp = api::Time(now);
    const auto last = FindLastDue(cron_job, *schedule, now, true);
    ASSERT_FALSE(last) << cron_job.spec.schedule;
    EXPECT_EQ(last.error().message(), fields.Text());
  });
  std::printf("schedules that never come: %d\n", count);
  EXPECT_GE(count, 50);
}

}  // namespace
}  // namespace flyball::controllers::cron_job
