#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/common/planned_event.h"
#include "flyball/controllers/cron_job/history.h"
#include "flyball/controllers/cron_job/schedule.h"
#include "flyball/controllers/cron_job/time_zones.h"

namespace flyball::controllers::cron_job {

/// What is known when it is decided about a cron job.
struct Observed {
  const batch::v1::CronJob& cron_job;
  std::vector<JobRef> jobs = {};  ///< those that it controls
  /// The uids of those in status.active that are no longer there.
  std::set<std::string, std::less<>> gone = {};
  const TimeZones& zones;
  WallTime now;
};

/// Why nothing runs.
enum class Idle : std::uint8_t {
  kNot,  ///< something does
  kBeingDeleted,
  kUnknownTimeZone,
  kSuspended,
  kUnparseableSchedule,
  kInvalidSchedule,  ///< it never comes
  kNothingDue,
  kAlreadyRun,
  kStillRunning,  ///< and only one may
};
/// For people: "nothing is due".
std::string_view ToString(Idle idle);

/// What is to be done, in this order.
struct Plan {
  /// A run that is due.
  struct Run {
    std::chrono::sys_seconds due;
    std::vector<core::v1::ObjectReference> replaced = {};  ///< to be deleted first
    batch::v1::Job job;
    friend bool operator==(const Run&, const Run&) = default;
  };

  std::vector<JobRef> clean_up = {};              ///< to be deleted
  std::vector<common::PlannedEvent> events = {};  ///< said in any case
  std::optional<Run> run = std::nullopt;
  /// The status that follows from what was seen. What is replaced goes from it, and the run comes
  /// to it, when that is done.
  batch::v1::CronJobStatus status = {};
  bool status_changes = false;
  Idle idle = Idle::kNot;
  std::optional<std::chrono::nanoseconds> check_after = std::nullopt;

  /// Whether there is anything to be done now.
  bool Acts() const { return !clean_up.empty() || run || status_changes; }
  /// In a line: "delete web-1; run web-29876400; write the status".
  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

Plan PlanFor(const Observed& observed);

/// The schedule of a cron job, by the clocks of the zone that it names.
Result<Schedule> ScheduleOf(const batch::v1::CronJobSpec& spec, const TimeZones& zones);

}  // namespace flyball::controllers::cron_job
