#include "flyball/controllers/cron_job/reconciler.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/cron_job/run.h"
#include "flyball/runtime/object_reference.h"

namespace flyball::controllers::cron_job {
namespace {

using api::ObjectKey;
using batch::v1::CronJob;
using batch::v1::Job;
using runtime::Context;
using runtime::Outcome;

meta::v1::DeleteOptions InBackground() {
  meta::v1::DeleteOptions options;
  options.propagationPolicy = "Background";
  return options;
}

/// To a job, or to what the server says of one that it has made.
template <typename T>
core::v1::ObjectReference ReferenceToJob(const T& job) {
  return runtime::MakeReference(api::IdentityOf(job), Job::kType.ApiVersion(), Job::kType.name);
}

/// Whether the cron job has all jobs in its status that have not ended.
bool KnowsAll(const CronJob& cron_job, const std::vector<JobRef>& jobs) {
  return std::ranges::all_of(jobs, [&](const JobRef& job) {
    return Ending(*job) != nullptr || IsActive(cron_job.status, job->metadata.uid);
  });
}

}  // namespace

class Reconciler::Sync {
 public:
  Sync(const Deps& deps, Context& context, const CronJob& cron_job)
      : deps_(deps), context_(context), cron_job_(cron_job), written_(cron_job) {}

  Result<Outcome> Run(std::vector<JobRef> jobs) {
    FLYBALL_TRY(auto gone, FindGone(jobs));
    const Plan plan = PlanFor({.cron_job = cron_job_,
                               .jobs = std::move(jobs),
                               .gone = std::move(gone),
                               .zones = *deps_.zones,
                               .now = context_.now()});
    if (plan.Acts()) context_.Decided(plan.ToString());
    LogPlan(plan);
    // Kept also where a write is refused: the schedule goes on.
    if (plan.check_after) context_.RequeueAfter(*plan.check_after);
    written_.status = plan.status;
    Result<> done = CleanUp(plan);
    for (const common::PlannedEvent& event : plan.events) Say(event);
    if (plan.run) {
      Result<> ran = RunNow(*plan.run);
      if (!ran) done = std::move(ran);
    }
    // Whatever else failed: it is what was seen, and says what has been done.
    if (written_.status != cron_job_.status) FLYBALL_TRY(context_.UpdateStatus(written_));
    FLYBALL_TRY(done);
    if (!plan.check_after) return Outcome::Done();
    context_.log().V(4).Info("Re-queuing cronjob", {{"cronjob", api::KObj(cron_job_)},
                                                    {"requeueAfter", *plan.check_after}});
    return Outcome::RequeueAfter(*plan.check_after);
  }

 private:
  void LogPlan(const Plan& plan) const {
    const Logger& log = context_.log();
    const LogObject cron_job = api::KObj(cron_job_);
    if (const auto detail = log.V(4)) {
      detail.Info("Syncing CronJob", {{"cronjob", cron_job}, {"plan", plan.ToString()}});
    }
    const bool many_missed = std::ranges::any_of(
        plan.events,
        [](const common::PlannedEvent& event) { return event.reason == "TooManyMissedTimes"; });
    if (many_missed) log.Info("too many missed times", {{"cronjob", cron_job}});
    LogIdle(plan, cron_job);
  }

  /// Of what is wrong, the last of the plan's events says what it is.
  void LogIdle(const Plan& plan, const LogObject& cron_job) const {
    const Logger& log = context_.log();
    const std::string& schedule = cron_job_.spec.schedule;
    const std::string_view problem =
        plan.events.empty() ? std::string_view() : std::string_view(plan.events.back().message);
    switch (plan.idle) {
      case Idle::kUnknownTimeZone:
        return log.V(4).Info("Not starting job because timeZone is invalid",
                             {{"cronjob", cron_job},
                              {"timeZone", cron_job_.spec.timeZone.value_or("")},
                              {"err", problem}});
      case Idle::kSuspended:
        return log.V(4).Info("Not starting job because the cron is suspended",
                             {{"cronjob", cron_job}});
      case Idle::kUnparseableSchedule:
        return log.V(2).Info("Unparseable schedule",
                             {{"cronjob", cron_job}, {"schedule", schedule}, {"err", problem}});
      case Idle::kInvalidSchedule:
        return log.V(2).Info("Invalid schedule",
                             {{"cronjob", cron_job}, {"schedule", schedule}, {"err", problem}});
      case Idle::kNothingDue:
        return log.V(4).Info("No unmet start times", {{"cronjob", cron_job}});
      case Idle::kAlreadyRun:
        return log.V(4).Info("Not starting job because the scheduled time is already processed",
                             {{"cronjob", cron_job}, {"schedule", schedule}});
      case Idle::kStillRunning:
        return log.V(4).Info(
            "Not starting job because prior execution is still running and concurrency policy is "
            "Forbid",
            {{"cronjob", cron_job}});
      case Idle::kNot:
      case Idle::kBeingDeleted:
        return;
    }
  }

  void Say(const common::PlannedEvent& event) {
    context_.events().Event(cron_job_, event.type, event.reason, event.message);
  }

  /// What the cache does not show may be newer than it: that it is gone, only the server knows.
  // PARITY: another job of the same name is taken for it.
  Result<std::set<std::string, std::less<>>> FindGone(const std::vector<JobRef>& jobs) {
    std::set<std::string, std::less<>> gone;
    for (const auto& active : cron_job_.status.active) {
      const bool seen = std::ranges::any_of(
          jobs, [&](const JobRef& job) { return job->metadata.uid == active.uid; });
      if (seen) continue;
      const auto job = context_.client().Of<Job>().Get({active.namespace_, active.name});
      if (job) continue;
      if (job.error().code() != ErrorCode::kNotFound) return std::unexpected(job.error());
      gone.insert(active.uid);
    }
    return gone;
  }

  Result<> Delete(const Job& job) {
    const auto deleted = context_.Delete(job, InBackground());
    if (!deleted) {
      Say(common::Warning("FailedDelete", "Deleted job: " + deleted.error().message()));
      return deleted;
    }
    RemoveActive(written_.status, job.metadata.uid);
    Say(common::Normal("SuccessfulDelete", "Deleted job " + job.metadata.name));
    return {};
  }

  // DIVERGES: upstream does not try again before the next run what could not be deleted, and warns
  // of what somebody else has deleted first.
  Result<> CleanUp(const Plan& plan) {
    Result<> all;
    for (const JobRef& job : plan.clean_up) {
      if (job->metadata.deletionTimestamp) continue;
      context_.log().V(4).Info("Removing job from CronJob list",
                               {{"job", api::KObj(*job)}, {"cronjob", api::KObj(cron_job_)}});
      auto deleted = Delete(*job);
      if (!deleted && deleted.error().code() != ErrorCode::kNotFound) all = std::move(deleted);
    }
    return all;
  }

  Result<> RunNow(const Plan::Run& run) {
    for (const auto& replaced : run.replaced) {
      const auto job = context_.client().Of<Job>().Get({replaced.namespace_, replaced.name});
      if (!job) {
        Say(common::Warning("FailedGet", "Get job: " + job.error().message()));
        return std::unexpected(job.error());
      }
      context_.log().V(4).Info("Deleting job that was still running at next scheduled start time",
                               {{"job", api::KObj(*job)}});
      FLYBALL_TRY(Delete(*job));
    }
    const auto created = context_.Create(run.job);
    if (!created) return OnRefused(run, created.error());
    context_.log().V(4).Info("Created Job",
                             {{"job", api::KObj(*created)}, {"cronjob", api::KObj(cron_job_)}});
    const auto lateness = std::chrono::seconds(created->metadata.creationTimestamp.unix_seconds()) -
                          run.due.time_since_epoch();
    deps_.skew.Observe(static_cast<double>(lateness.count()));
    Say(common::Normal("SuccessfulCreate", "Created job " + created->metadata.name));
    NoteRun(written_.status, ReferenceToJob(*created), run.due);
    return {};
  }

  Result<> OnRefused(const Plan::Run& run, const Error& error) {
    if (common::IsNamespaceTerminating(error)) return std::unexpected(error);
    if (error.code() != ErrorCode::kAlreadyExists) {
      Say(common::Warning("FailedCreate", "Error creating job: " + error.message()));
      return std::unexpected(error);
    }
    // Made before, by one that did not come to note it; or by somebody else, whose matter it is.
    // DIVERGES: in the second case upstream forgets the cron job, which runs no more until
    // something brings it back to mind.
    FLYBALL_TRY(const Job job, context_.client().Of<Job>().Get(ObjectKey::Of(run.job)));
    const auto* const owner = common::ControllerOf(job);
    if (owner == nullptr || owner->uid != cron_job_.metadata.uid) return {};
    context_.log().Info("Job already exists",
                        {{"cronjob", api::KObj(cron_job_)}, {"job", api::KObj(job)}});
    if (!IsActive(written_.status, job.metadata.uid)) {
      NoteRun(written_.status, ReferenceToJob(job), run.due);
    }
    return {};
  }

  const Deps& deps_;
  Context& context_;
  const CronJob& cron_job_;
  CronJob written_;  ///< as it is to be
};

Result<Outcome> Reconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto cached = deps_.cron_jobs.Get(key);
  if (!cached) {
    context.log().V(4).Info("CronJob not found, may be it is deleted",
                            {{"cronjob", key}, {"err", "not in the cache"}});
    return Outcome::Done();
  }
  std::vector<JobRef> jobs = common::ControlledBy(*cached, deps_.jobs);
  std::ranges::sort(jobs, {},
                    [](const JobRef& job) -> std::string_view { return job->metadata.name; });

  std::optional<CronJob> live;
  if (!KnowsAll(*cached, jobs)) {
    // The caches may be of different times. Before somebody is told that a job came from nowhere,
    // the server is asked.
    auto read = context.client().Of<CronJob>().Get(key);
    if (!read && read.error().code() == ErrorCode::kNotFound) return Outcome::Done();
    FLYBALL_TRY(live, std::move(read));
    if (live->metadata.uid != cached->metadata.uid) return Outcome::Done();
  }
  auto outcome = Sync(deps_, context, live ? *live : *cached).Run(std::move(jobs));
  if (!outcome && common::IsNamespaceTerminating(outcome.error())) {
    context.CancelRequeue();
    return Outcome::Done();
  }
  return outcome;
}

}  // namespace flyball::controllers::cron_job
