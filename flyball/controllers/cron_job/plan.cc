#include "flyball/controllers/cron_job/plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "flyball/api/names.h"
#include "flyball/api/time.h"
#include "flyball/base/log_format.h"
#include "flyball/controllers/cron_job/due.h"
#include "flyball/controllers/cron_job/run.h"

namespace flyball::controllers::cron_job {
namespace {

using batch::v1::CronJob;
using batch::v1::CronJobSpec;
using batch::v1::CronJobStatus;
using batch::v1::Job;
using std::chrono::sys_seconds;

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendGoQuoted(quoted, text);
  return quoted;
}

/// Decides about one cron job.
class Planner {
 public:
  explicit Planner(const Observed& observed) : observed_(observed), cron_job_(observed.cron_job) {
    plan_.status = cron_job_.status;
  }

  Plan Run() && {
    plan_.clean_up = BeyondHistory(cron_job_.spec, observed_.jobs);
    for (const JobRef& job : plan_.clean_up) RemoveActive(plan_.status, job->metadata.uid);
    for (const JobRef& job : observed_.jobs) LookAt(*job);
    LookForTheGone();
    if (cron_job_.metadata.deletionTimestamp) {
      plan_.idle = Idle::kBeingDeleted;
    } else {
      LookAtTheClock();
    }
    plan_.status_changes = plan_.status != cron_job_.status;
    return std::move(plan_);
  }

 private:
  void Say(common::PlannedEvent event) { plan_.events.push_back(std::move(event)); }

  void LookAt(const Job& job) {
    const bool active = IsActive(plan_.status, job.metadata.uid);
    const auto* const ending = Ending(job);
    if (ending == nullptr) {
      if (!active) {
        Say(common::Warning(
            "UnexpectedJob",
            "Saw a job that the controller did not create or forgot: " + job.metadata.name));
      }
      return;
    }
    if (active) {
      RemoveActive(plan_.status, job.metadata.uid);
      Say(common::Normal("SawCompletedJob", "Saw completed job: " + job.metadata.name +
                                                ", condition: " + ending->type));
    }
    const bool succeeded = std::ranges::any_of(job.status.conditions, [](const auto& condition) {
      return condition.type == "Complete" && condition.status == "True";
    });
    // Of one that nobody knew of, too.
    const auto& completed = job.status.completionTime;
    auto& last = plan_.status.lastSuccessfulTime;
    if (succeeded && completed && (!last || *last < *completed)) last = completed;
  }

  void LookForTheGone() {
    for (const auto& job : cron_job_.status.active) {
      if (!observed_.gone.contains(job.uid)) continue;
      Say(common::Normal("MissingJob", "Active job went missing: " + job.name));
      RemoveActive(plan_.status, job.uid);
    }
  }

  /// The zone that spec.timeZone names; UTC without it, for what is written.
  Result<TimeZones::Ref> Zone() const {
    return observed_.zones.Find(cron_job_.spec.timeZone.value_or(""));
  }

  void LookAtTheClock() {
    const CronJobSpec& spec = cron_job_.spec;
    const auto zone = Zone();
    if (!zone) {
      plan_.idle = Idle::kUnknownTimeZone;
      return Say(common::Warning("UnknownTimeZone", "invalid timeZone: " + Quoted(*spec.timeZone) +
                                                        ": " + zone.error().message()));
    }
    if (spec.suspend.value_or(false)) {
      plan_.idle = Idle::kSuspended;
      return;
    }
    if (spec.schedule.contains("TZ")) {
      Say(common::Warning(
          "UnsupportedSchedule",
          "CRON_TZ or TZ used in schedule " + Quoted(spec.schedule) +
              " is not officially supported, see https://kubernetes.io/docs/concepts/"
              "workloads/controllers/cron-jobs/ for more details"));
    }
    const auto schedule = ScheduleOf(spec, observed_.zones);
    if (!schedule) {
      plan_.idle = Idle::kUnparseableSchedule;
      return Say(common::Warning(
          "UnparseableSchedule",
          "unparseable schedule: " + Quoted(spec.schedule) + " : " + schedule.error().message()));
    }
    // What the deadline has made too late is not found. Upstream looks at that once more, and has
    // an event for it, MissSchedule, which never comes.
    const auto last = FindLastDue(cron_job_, *schedule, observed_.now, true);
    if (!last) {
      plan_.idle = Idle::kInvalidSchedule;
      return Say(common::Warning("InvalidSchedule", "invalid schedule: " + spec.schedule + " : " +
                                                        last.error().message()));
    }
    plan_.check_after = UntilNext(cron_job_, *schedule, observed_.now);
    if (!last->due) {
      plan_.idle = Idle::kNothingDue;
      return;
    }
    if (last->missed == Missed::kMany) {
      Say(common::Warning(
          "TooManyMissedTimes",
          "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or "
          "check clock skew"));
    }
    if (MayRun(*last->due)) Start(*last->due, **zone, *schedule);
  }

  bool MayRun(sys_seconds due) {
    const CronJobStatus& status = plan_.status;
    const api::Time time = api::Time::FromUnix(due.time_since_epoch().count());
    const std::string name = api::CronJobJobName(cron_job_.metadata.name, time);
    const bool is_active = std::ranges::any_of(status.active, [&](const auto& job) {
      return job.name == name && job.namespace_ == cron_job_.metadata.namespace_;
    });
    if (is_active || status.lastScheduleTime == time) {
      plan_.idle = Idle::kAlreadyRun;
      return false;
    }
    if (cron_job_.spec.concurrencyPolicy == "Forbid" && !status.active.empty()) {
      plan_.idle = Idle::kStillRunning;
      Say(common::Normal(
          "JobAlreadyActive",
          "Not starting job because prior execution is running and concurrency policy is "
          "Forbid"));
      return false;
    }
    return true;
  }

  void Start(sys_seconds due, const TimeZone& zone, const Schedule& schedule) {
    plan_.run = Plan::Run{.due = due, .job = JobFor(cron_job_, due, zone)};
    if (cron_job_.spec.concurrencyPolicy == "Replace") plan_.run->replaced = plan_.status.active;
    CronJob afterwards = cron_job_;
    afterwards.status.lastScheduleTime = api::Time::FromUnix(due.time_since_epoch().count());
    plan_.check_after = UntilNext(afterwards, schedule, observed_.now);
  }

  const Observed& observed_;
  const CronJob& cron_job_;
  Plan plan_;
};

}  // namespace

Plan PlanFor(const Observed& observed) { return Planner(observed).Run(); }

Result<Schedule> ScheduleOf(const CronJobSpec& spec, const TimeZones& zones) {
  // PARITY: a zone in the schedule itself goes before the one beside it, as does one that is only
  // mentioned there; and one that cannot be found is not used.
  if (!spec.timeZone || spec.schedule.contains("TZ") || !zones.Find(*spec.timeZone)) {
    return Schedule::Parse(spec.schedule, zones);
  }
  return Schedule::Parse("TZ=" + *spec.timeZone + " " + spec.schedule, zones);
}

std::string_view ToString(Idle idle) {
  switch (idle) {
    case Idle::kBeingDeleted:
      return "it is being deleted";
    case Idle::kUnknownTimeZone:
      return "there is no such time zone";
    case Idle::kSuspended:
      return "it is suspended";
    case Idle::kUnparseableSchedule:
      return "its schedule cannot be read";
    case Idle::kInvalidSchedule:
      return "its schedule never comes";
    case Idle::kNothingDue:
      return "nothing is due";
    case Idle::kAlreadyRun:
      return "the last run has been";
    case Idle::kStillRunning:
      return "another run has not ended";
    case Idle::kNot:
      break;
  }
  return "";
}

std::string Plan::ToString() const {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text.append(text.empty() ? "" : "; ").append(part);
  };
  for (const JobRef& job : clean_up) add("delete " + job->metadata.name);
  if (run) {
    for (const auto& job : run->replaced) add("replace " + job.name);
    add("run " + run->job.metadata.name);
  } else {
    add("run nothing, " + std::string(cron_job::ToString(idle)));
  }
  if (status_changes || run) add("write the status");
  return text;
}

}  // namespace flyball::controllers::cron_job
