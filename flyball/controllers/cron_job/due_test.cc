#include "flyball/controllers/cron_job/due.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "flyball/api/time.h"

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::CronJob;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

const sys_seconds kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + hours(12)};

Schedule Parse(const std::string& text) {
  TimeZones::Places places;
  places.local_name = "";
  auto schedule = Schedule::Parse(text, TimeZones(places));
  EXPECT_TRUE(schedule) << schedule.error().Describe();
  return *std::move(schedule);
}

api::Time TimeOf(sys_seconds moment) {
  return api::Time::FromUnix(moment.time_since_epoch().count());
}

/// Made so long ago.
CronJob Made(seconds ago) {
  CronJob cron_job;
  cron_job.metadata.creationTimestamp = TimeOf(kNow - ago);
  return cron_job;
}
/// Ran last so long ago.
CronJob Ran(seconds ago) {
  CronJob cron_job = Made(hours(24 * 365));
  cron_job.status.lastScheduleTime = TimeOf(kNow - ago);
  return cron_job;
}

LastDue Find(const CronJob& cron_job, const std::string& schedule, bool within_deadline = true) {
  const auto last = FindLastDue(cron_job, Parse(schedule), kNow, within_deadline);
  EXPECT_TRUE(last) << last.error().Describe();
  return last.value_or(LastDue{});
}

TEST(Due, NothingIsBeforeTheFirstTimeSinceItWasMadeOrRan) {
  EXPECT_EQ(Find(Made(minutes(30)), "0 13 * * *"), (LastDue{.since = kNow - minutes(30)}));
  EXPECT_EQ(Find(Ran(minutes(0)), "0 * * * *"), (LastDue{.since = kNow}));
}

TEST(Due, OneThatHasComeIsNotMissedYet) {
  EXPECT_EQ(Find(Made(minutes(30)), "0 12 * * *"),
            (LastDue{.since = kNow - minutes(30), .due = kNow}));
  EXPECT_EQ(Find(Ran(minutes(90)), "0 * * * *"),
            (LastDue{.since = kNow - minutes(90), .due = kNow, .missed = Missed::kFew}));
  EXPECT_EQ(Find(Ran(minutes(59)), "15 * * * *"),
            (LastDue{.since = kNow - minutes(59), .due = kNow - minutes(45)}));
}

TEST(Due, OfSeveralThatWereMissedTheLastIs) {
  EXPECT_EQ(Find(Ran(hours(50)), "0 * * * *"),
            (LastDue{.since = kNow - hours(50), .due = kNow, .missed = Missed::kFew}));
  EXPECT_EQ(Find(Ran(hours(24 * 365)), "*/5 * * * *"),
            (LastDue{.since = kNow - hours(24 * 365), .due = kNow, .missed = Missed::kMany}));
  // 101 of them are many.
  EXPECT_EQ(Find(Ran(minutes(100)), "* * * * *").missed, Missed::kFew);
  EXPECT_EQ(Find(Ran(minutes(101)), "* * * * *").missed, Missed::kMany);
}

TEST(Due, WhatRunsAtADistanceKeepsIt) {
  EXPECT_EQ(Find(Ran(hours(100) + seconds(7)), "@every 1h").due, kNow - seconds(7));
}

TEST(Due, WhereTheFirstTwoTimesAreCloserThanOthersTheEstimateIsBeyondTheLast) {
  EXPECT_EQ(Find(Ran(hours(24 * 30)), "0,1 0 1 * *"),
            (LastDue{.since = kNow - hours(24 * 30), .missed = Missed::kMany}));
}

TEST(Due, WhatIsOlderThanTheDeadlineDoesNotCount) {
  CronJob cron_job = Ran(hours(50));
  cron_job.spec.startingDeadlineSeconds = 600;
  EXPECT_EQ(Find(cron_job, "5 * * * *"), (LastDue{.since = kNow - minutes(10)}));
  EXPECT_EQ(
      Find(cron_job, "5 * * * *", false),
      (LastDue{.since = kNow - hours(50), .due = kNow - minutes(55), .missed = Missed::kFew}));
  EXPECT_EQ(Find(cron_job, "55 * * * *"),
            (LastDue{.since = kNow - minutes(10), .due = kNow - minutes(5)}));
  cron_job.spec.startingDeadlineSeconds = -60;
  EXPECT_EQ(Find(cron_job, "* * * * *"), (LastDue{.since = kNow + minutes(1)}));
}

TEST(Due, ADeadlineOfAllTimeIsNone) {
  CronJob cron_job = Ran(minutes(59));
  cron_job.spec.startingDeadlineSeconds = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Find(cron_job, "0 * * * *"), (LastDue{.since = kNow - minutes(59), .due = kNow}));
  cron_job.spec.startingDeadlineSeconds = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(Find(cron_job, "0 * * * *").due, std::nullopt);
}

TEST(Due, AScheduleThatNeverComesIsAnError) {
  const auto last = FindLastDue(Made(hours(1)), Parse("0 0 31 2 *"), kNow, true);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().message(), "time difference between two schedules is less than 1 second");
  EXPECT_EQ(UntilNext(Made(hours(1)), Parse("0 0 31 2 *"), kNow), std::nullopt);
}

TEST(Due, TimesThatNoClockShowsAreTakenForTheNearest) {
  CronJob cron_job;
  cron_job.status.lastScheduleTime =
      api::Time::FromUnix(std::numeric_limits<std::int64_t>::max() / 2);
  EXPECT_EQ(Find(cron_job, "0 * * * *").due, std::nullopt);
  EXPECT_EQ(UntilNext(cron_job, Parse("0 * * * *"), kNow), hours(24 * 365));
  cron_job.status.lastScheduleTime =
      api::Time::FromUnix(std::numeric_limits<std::int64_t>::min() / 2);
  EXPECT_EQ(Find(cron_job, "0 * * * *").due, kNow);
}

TEST(Due, TheNextLookIsALittleAfterTheNextTime) {
  const WallTime now = kNow + milliseconds(250);
  EXPECT_EQ(UntilNext(Made(minutes(30)), Parse("0 13 * * *"), now), hours(1) - milliseconds(150));
  EXPECT_EQ(UntilNext(Ran(minutes(30)), Parse("0 * * * *"), now), hours(1) - milliseconds(150));
  EXPECT_EQ(UntilNext(Ran(hours(50)), Parse("0 * * * *"), now), hours(1) - milliseconds(150));
  // By the clock where the estimate found nothing.
  EXPECT_EQ(UntilNext(Ran(hours(24 * 30)), Parse("0,1 0 1 * *"), now),
            hours(24 * 15 + 12) - milliseconds(150));
  EXPECT_EQ(UntilNext(Made(minutes(30)), Parse("0 0 29 2 *"), now), hours(24 * 365));
}

}  // namespace
}  // namespace flyball::controllers::cron_job
