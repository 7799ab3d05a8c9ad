#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "flyball/api/batch/v1.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/controllers/cron_job/schedule.h"

/// When a cron job is to run, by its schedule and by when it ran last.
namespace flyball::controllers::cron_job {

/// How many times were missed. It is an estimate: how often the distance of the first two fits into
/// the time since.
enum class Missed : std::uint8_t { kNone, kFew, kMany };
inline constexpr std::int64_t kManyMissed = 100;  ///< more than that

struct LastDue {
  std::chrono::sys_seconds since;                              ///< when it ran last, or was made
  std::optional<std::chrono::sys_seconds> due = std::nullopt;  ///< the last since then
  Missed missed = Missed::kNone;
  friend bool operator==(const LastDue&, const LastDue&) = default;
};

/// The last time up to now. `within_deadline`: what is older than spec.startingDeadlineSeconds does
/// not count. An error for a schedule that never comes.
Result<LastDue> FindLastDue(const batch::v1::CronJob& cron_job, const Schedule& schedule,
                            WallTime now, bool within_deadline);

/// How long until the cron job has to be looked at again: the next time, and a little. Nothing for
/// a schedule that never comes.
std::optional<std::chrono::nanoseconds> UntilNext(const batch::v1::CronJob& cron_job,
                                                  const Schedule& schedule, WallTime now);

}  // namespace flyball::controllers::cron_job
