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

class Reconciler::Turn {
 public:
  Turn(const Deps& deps, Context& context, const CronJob& cron_job)
      : deps_(deps), context_(context), cron_job_(cron_job), written_(cron_job) {}

  Result<Outcome> Run(std::vector<JobRef> jobs) {
    FLYBALL_TRY(auto gone, FindGone(jobs));
    const Plan plan = PlanFor({.cron_job = cron_job_,
                               .jobs = std::move(jobs),
                               .gone = std::move(gone),
                               .zones = *deps_.zones,
                               .now = context_.now()});
    if (plan.Acts()) context_.Decided(plan.ToString());
    if (const auto log = context_.log().V(4)) {
      log.Info("Decided on a cron job",
               {{"cronjob", ObjectKey::Of(cron_job_).ToString()}, {"plan", plan.ToString()}});
    }
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
    return plan.check_after ? Outcome::After(*plan.check_after) : Outcome::Done();
  }

 private:
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
      FLYBALL_TRY(Delete(*job));
    }
    const auto created = context_.Create(run.job);
    if (!created) return OnRefused(run, created.error());
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
    context_.log().Info("Job already exists", {{"cronjob", ObjectKey::Of(cron_job_).ToString()},
                                               {"job", ObjectKey::Of(job).ToString()}});
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
  if (!cached) return Outcome::Done();
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
  auto outcome = Turn(deps_, context, live ? *live : *cached).Run(std::move(jobs));
  if (!outcome && common::IsNamespaceTerminating(outcome.error())) return Outcome::Done();
  return outcome;
}

}  // namespace flyball::controllers::cron_job
