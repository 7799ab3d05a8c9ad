#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "flyball/base/result.h"
#include "flyball/controllers/cron_job/time_zones.h"

namespace flyball::controllers::cron_job {

/// Which moments the five fields of a schedule name: a bit for each number that a field has.
struct Calendar {
  std::uint64_t minutes = 0;
  std::uint64_t hours = 0;
  std::uint64_t days = 0;  ///< of the month
  std::uint64_t months = 0;
  std::uint64_t weekdays = 0;
  /// Of days and weekdays both are to fit, or else either: as cron has it, they both are where one
  /// of them is `*`.
  bool both_days = false;

  friend bool operator==(const Calendar&, const Calendar&) = default;
};

/// When something is to run, as cron says it: "*/15 9-17 * * mon-fri", "@daily", "@every 90m".
///
/// It says what upstream's does, which is robfig/cron of version 3, by the clocks of a time zone:
///   - a time that clocks leave out when they are put forward does not come on that day;
///   - a time that they show twice when they are put back comes twice;
///   - a day that has no midnight, since clocks are put forward then, is passed over where the days
///     before it do not count.
class Schedule {
 public:
  /// `TZ=<zone> ` or `CRON_TZ=<zone> ` may stand in front; otherwise it goes by this machine's own
  /// zone. The error is worded as upstream's.
  static Result<Schedule> Parse(std::string_view text, const TimeZones& zones);

  /// The first moment after that one; nothing if there is none within five years.
  std::optional<std::chrono::sys_seconds> Next(std::chrono::sys_seconds after) const;

 private:
  using Every = std::chrono::seconds;

  explicit Schedule(std::variant<Calendar, Every> when, TimeZones::Ref zone)
      : when_(when), zone_(std::move(zone)) {}

  std::variant<Calendar, Every> when_;
  TimeZones::Ref zone_;
};

}  // namespace flyball::controllers::cron_job
