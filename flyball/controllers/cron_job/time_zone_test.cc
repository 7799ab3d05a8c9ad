#include "flyball/controllers/cron_job/time_zone.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace flyball::controllers::cron_job {
namespace {

using std::chrono::hours;
using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

void AppendNumber(std::string& bytes, std::int64_t number, int size) {
  for (int i = size - 1; i >= 0; --i) bytes += static_cast<char>(number >> (8 * i));
}

/// A file of the zone database in the making.
struct File {
  struct Kind {
    std::int64_t offset;
    bool summer = false;
  };
  struct Change {
    std::int64_t when;
    int kind;
  };
  std::vector<Kind> kinds = {};
  std::vector<Change> changes = {};
  std::string footer = {};
  char version = '2';

  std::string Block(int time_size) const {
    std::string bytes = "TZif";
    bytes += version;
    bytes.append(15, '\0');
    const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    for (const std::int64_t each : {std::int64_t{0}, std::int64_t{0}, std::int64_t{1},
                                    count(changes), count(kinds), std::int64_t{4}}) {
      AppendNumber(bytes, each, 4);
    }
    for (const Change& change : changes) AppendNumber(bytes, change.when, time_size);
    for (const Change& change : changes) AppendNumber(bytes, change.kind, 1);
    for (const Kind& kind : kinds) {
      AppendNumber(bytes, kind.offset, 4);
      AppendNumber(bytes, kind.summer ? 1 : 0, 1);
      AppendNumber(bytes, 0, 1);
    }
    bytes.append("ZZZ").append(1, '\0');
    bytes.append(static_cast<std::size_t>(time_size) + 4, '\0');  // a leap second
    return bytes;
  }
  std::string Bytes() const {
    if (version == 0) return Block(4);
    File first = *this;
    first.changes.clear();
    return first.Block(4) + Block(8) + "\n" + footer + "\n";
  }
};

TimeZone Zone(const File& file) {
  auto zone = TimeZone::Parse(file.Bytes());
  EXPECT_TRUE(zone) << zone.error().Describe();
  return *std::move(zone);
}

std::int64_t OffsetAt(const TimeZone& zone, std::int64_t moment) {
  return zone.OffsetAt(sys_seconds(seconds(moment))).count();
}

TEST(TimeZone, WithoutAnythingIsUtc) {
  const TimeZone utc;
  EXPECT_EQ(OffsetAt(utc, 1'000'000'000), 0);
  EXPECT_EQ(utc.ToMoment(local_seconds(hours(5))), sys_seconds(hours(5)));
  EXPECT_EQ(utc.ToLocal(sys_seconds(hours(5))), local_seconds(hours(5)));
}

TEST(TimeZone, ChangesWhenTheFileSaysAndByTheRuleAfterThat) {
  const TimeZone zone = Zone({.kinds = {{.offset = -100}, {.offset = 3600}, {.offset = 7200}},
                              .changes = {{-1000, 1}, {5000, 2}},
                              .footer = "AAA-3"});
  EXPECT_EQ(OffsetAt(zone, -1001), -100);
  EXPECT_EQ(OffsetAt(zone, -1000), 3600);
  EXPECT_EQ(OffsetAt(zone, 4999), 3600);
  EXPECT_EQ(OffsetAt(zone, 5000), 3 * 3600);
}

TEST(TimeZone, WithoutARuleTheLastChangeStays) {
  for (const char* const footer : {"", "nonsense"}) {
    const TimeZone zone =
        Zone({.kinds = {{.offset = 0}, {.offset = 3600}}, .changes = {{0, 1}}, .footer = footer});
    EXPECT_EQ(OffsetAt(zone, 4'000'000'000), 3600) << footer;
  }
}

TEST(TimeZone, FilesOfTheFirstVersionAreRead) {
  const TimeZone zone =
      Zone({.kinds = {{.offset = 0}, {.offset = -3600}}, .changes = {{-5, 1}}, .version = 0});
  EXPECT_EQ(OffsetAt(zone, -6), 0);
  EXPECT_EQ(OffsetAt(zone, -5), -3600);
}

TEST(TimeZone, BeforeTheFirstChangeThereIsStandardTime) {
  // The first kind, if nothing else needs it.
  EXPECT_EQ(OffsetAt(Zone({.kinds = {{1, true}, {2}}, .changes = {{0, 1}}}), -1), 1);
  // Else the standard time that stands before the summer that begins.
  EXPECT_EQ(OffsetAt(Zone({.kinds = {{1}, {2}, {3, true}}, .changes = {{0, 2}, {9, 0}}}), -1), 2);
  // Else any standard time, or what there is.
  EXPECT_EQ(OffsetAt(Zone({.kinds = {{1, true}, {2}}, .changes = {{0, 0}}}), -1), 2);
  EXPECT_EQ(OffsetAt(Zone({.kinds = {{1, true}, {2, true}}, .changes = {{0, 0}}}), -1), 1);
  EXPECT_EQ(OffsetAt(Zone({.kinds = {{7}}}), -1), 7);
}

TEST(TimeZone, WhatClocksShowTwiceOrNeverIsWhatGoTakesItFor) {
  // East of Greenwich: forward by an hour at 100 hours, back at 200.
  const TimeZone east = Zone({.kinds = {{.offset = 3600}, {.offset = 7200, .summer = true}},
                              .changes = {{-1, 0}, {100 * 3600, 1}, {200 * 3600, 0}}});
  const auto at = [&](const TimeZone& zone, std::int64_t shown) {
    return zone.ToMoment(local_seconds(seconds(shown))).time_since_epoch().count();
  };
  EXPECT_EQ(at(east, 100 * 3600), 99 * 3600);
  EXPECT_EQ(at(east, 101 * 3600 + 1800), 100 * 3600 + 1800) << "never: by the clocks of before";
  EXPECT_EQ(at(east, 102 * 3600), 100 * 3600);
  EXPECT_EQ(at(east, 201 * 3600 + 1800), 200 * 3600 + 1800) << "twice: the second time";
  EXPECT_EQ(at(east, 203 * 3600), 202 * 3600);
  EXPECT_EQ(east.ToLocal(sys_seconds(hours(100))), local_seconds(hours(102)));

  const TimeZone west = Zone({.kinds = {{.offset = -3600}, {.offset = 0, .summer = true}},
                              .changes = {{-1, 0}, {100 * 3600, 1}, {200 * 3600, 0}}});
  EXPECT_EQ(at(west, 99 * 3600 + 1800), 99 * 3600 + 1800) << "never: by the clocks of after";
  EXPECT_EQ(at(west, 199 * 3600 + 1800), 199 * 3600 + 1800) << "twice: the first time";
}

TEST(TimeZone, WhatIsNoZoneFileIsRefused) {
  const std::string good =
      File{.kinds = {{.offset = 0}, {.offset = 3600}}, .changes = {{0, 1}}, .footer = "AAA0"}
          .Bytes();
  ASSERT_TRUE(TimeZone::Parse(good));
  // Cut short anywhere, but for the rule at its end, which is not needed.
  for (std::size_t size = 0; size + 6 < good.size(); ++size) {
    const auto zone = TimeZone::Parse(good.substr(0, size));
    ASSERT_FALSE(zone) << size;
    EXPECT_EQ(zone.error().message(), "malformed time zone information");
  }
  EXPECT_FALSE(TimeZone::Parse("TZjf" + good.substr(4)));
  EXPECT_FALSE(TimeZone::Parse(File{.kinds = {{0}}, .version = '4'}.Bytes()));
  EXPECT_FALSE(TimeZone::Parse(File{.kinds = {}}.Bytes())) << "no kinds";
  EXPECT_FALSE(TimeZone::Parse(File{.kinds = {{0}}, .changes = {{0, 1}}}.Bytes())) << "which kind?";
  std::string huge = good.substr(0, 20);
  huge.append(24, '\xff');
  EXPECT_FALSE(TimeZone::Parse(huge)) << "more than there is";
}

}  // namespace
}  // namespace flyball::controllers::cron_job
