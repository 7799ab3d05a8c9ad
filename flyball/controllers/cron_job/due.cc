#include "flyball/controllers/cron_job/due.h"

#include <algorithm>

#include "flyball/api/time.h"

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::CronJob;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

/// So that the machines' clocks may differ by something: looked at too early, nothing is due.
constexpr std::chrono::milliseconds kAfterwards(100);
/// What comes later is looked at in between.
constexpr std::chrono::hours kLongest(24 * 365);

/// Within the years that dates are written with, whatever an object says.
sys_seconds ToSeconds(const api::Time& time) {
  constexpr std::int64_t kFirst = -62'135'596'800;  // the start of the year 1
  constexpr std::int64_t kLast = 253'402'300'799;   // the end of the year 9999
  return sys_seconds(seconds(std::clamp(time.unix_seconds(), kFirst, kLast)));
}

/// The deadline, if there is one, and not one of so many years that it is none.
// DIVERGES: one of more than 292 years is less than none upstream, where it does not fit into a
// number of nanoseconds and begins anew; nothing runs then.
std::optional<seconds> DeadlineOf(const CronJob& cron_job) {
  constexpr auto kMost = std::chrono::duration_cast<seconds>(nanoseconds::max() / 2);
  const auto& deadline = cron_job.spec.startingDeadlineSeconds;
  if (!deadline || *deadline > kMost.count()) return std::nullopt;
  return std::max(seconds(*deadline), -kMost);
}

sys_seconds Start(const CronJob& cron_job, WallTime now, bool within_deadline) {
  const auto& last = cron_job.status.lastScheduleTime;
  const sys_seconds start = ToSeconds(last ? *last : cron_job.metadata.creationTimestamp);
  const auto deadline = within_deadline ? DeadlineOf(cron_job) : std::nullopt;
  if (!deadline) return start;
  return std::max(start, std::chrono::floor<seconds>(now) - *deadline);
}

}  // namespace

Result<LastDue> FindLastDue(const CronJob& cron_job, const Schedule& schedule, WallTime now,
                            bool within_deadline) {
  const sys_seconds present = std::chrono::floor<seconds>(now);
  LastDue last{.since = Start(cron_job, now, within_deadline)};
  const auto first = schedule.Next(last.since);
  const auto second = first ? schedule.Next(*first) : std::nullopt;
  if (first && present < *first) return last;
  if (second && present < *second) {
    last.due = first;
    return last;
  }
  if (!second) {
    return Fail(ErrorCode::kInvalid, "time difference between two schedules is less than 1 second");
  }

  // Most of what was missed is passed over by reckoning, since there may be years of it. One less,
  // for schedules whose times are not all the same distance apart.
  // PARITY: where the first two are much closer than others, that is beyond the last one, and
  // nothing is due.
  const seconds distance = *second - *first;
  const std::int64_t missed = (present - *first) / distance + 1;
  last.missed = missed > kManyMissed ? Missed::kMany : Missed::kFew;
  auto next = schedule.Next(*first + (missed - 2) * distance);
  while (next && *next <= present) {
    last.due = next;
    next = schedule.Next(*next);
  }
  return last;
}

std::optional<nanoseconds> UntilNext(const CronJob& cron_job, const Schedule& schedule,
                                     WallTime now) {
  const sys_seconds present = std::chrono::floor<seconds>(now);
  const auto last = FindLastDue(cron_job, schedule, now, false);
  sys_seconds from = present;
  if (last && last->due) {
    from = *last->due;
  } else if (last && last->missed == Missed::kNone) {
    from = last->since;
  }
  const auto next = schedule.Next(from);
  if (!next) return std::nullopt;
  // By seconds first: nanoseconds do not hold every date.
  if (*next - present > kLongest) return kLongest;
  return std::min<nanoseconds>(*next - now + kAfterwards, kLongest);
}

}  // namespace flyball::controllers::cron_job
