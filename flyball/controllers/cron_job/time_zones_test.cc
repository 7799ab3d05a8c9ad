#include "flyball/controllers/cron_job/time_zones.h"

#include <gtest/gtest.h>

#include <string>

namespace flyball::controllers::cron_job {
namespace {

using std::chrono::hours;
using std::chrono::sys_days;
using std::chrono::year;

const std::chrono::sys_seconds kSummer = sys_days(year(2026) / 7 / 1);

/// The machine's database, and a zone of its own.
TimeZones With(std::optional<std::string> local, const std::string& file = "/etc/localtime") {
  TimeZones::Places places;
  places.local_name = std::move(local);
  places.local_file = file;
  return TimeZones(places);
}

TEST(TimeZones, AreFoundByName) {
  const TimeZones zones = With("");
  EXPECT_EQ((*zones.Find("Europe/Berlin"))->OffsetAt(kSummer), hours(2));
  EXPECT_EQ((*zones.Find("America/New_York"))->OffsetAt(kSummer), hours(-4));
  EXPECT_EQ((*zones.Find("America/New_York"))->OffsetAt(sys_days(year(2060) / 7 / 1)), hours(-4));
  EXPECT_EQ((*zones.Find("UTC"))->OffsetAt(kSummer), hours(0));
  EXPECT_EQ((*zones.Find(""))->OffsetAt(kSummer), hours(0));
}

TEST(TimeZones, WhatIsNotThereIsRefusedInGosWords) {
  const TimeZones zones = With("");
  const auto refusal = [&](std::string_view name) {
    const auto zone = zones.Find(name);
    EXPECT_FALSE(zone) << name;
    return zone ? "" : zone.error().message();
  };
  EXPECT_EQ(refusal("Nowhere/None"), "unknown time zone Nowhere/None");
  EXPECT_EQ(refusal("europe/berlin"), "unknown time zone europe/berlin");
  EXPECT_EQ(refusal("zone.tab"), "malformed time zone information");
  EXPECT_EQ(refusal("Europe"), "is a directory");
  EXPECT_EQ(refusal("Europe/Berlin/Mitte"), "not a directory");
  EXPECT_EQ(refusal("../../../etc/passwd"), "time: invalid location name");
  EXPECT_EQ(refusal("/etc/localtime"), "time: invalid location name");
  EXPECT_EQ(refusal("\\x"), "time: invalid location name");
  EXPECT_EQ(refusal(std::string_view("UTC\0", 4)), "invalid argument");
}

TEST(TimeZones, TheMachinesOwnIsWhatTzOrElseAFileSays) {
  EXPECT_EQ(With("").Local()->OffsetAt(kSummer), hours(0));
  EXPECT_EQ(With("Asia/Tokyo").Local()->OffsetAt(kSummer), hours(9));
  EXPECT_EQ(With(":Asia/Tokyo").Local()->OffsetAt(kSummer), hours(9));
  EXPECT_EQ(With("/usr/share/zoneinfo/Asia/Tokyo").Local()->OffsetAt(kSummer), hours(9));
  EXPECT_EQ(With("Nowhere/None").Local()->OffsetAt(kSummer), hours(0));
  EXPECT_EQ(With(std::nullopt, "/usr/share/zoneinfo/Asia/Tokyo").Local()->OffsetAt(kSummer),
            hours(9));
  EXPECT_EQ(With(std::nullopt, "/no/such/file").Local()->OffsetAt(kSummer), hours(0));
  EXPECT_EQ((*With("Asia/Tokyo").Find("Local"))->OffsetAt(kSummer), hours(9));
}

}  // namespace
}  // namespace flyball::controllers::cron_job
