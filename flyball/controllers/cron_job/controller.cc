#include "flyball/controllers/cron_job/controller.h"

#include <utility>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/cron_job/due.h"
#include "flyball/controllers/cron_job/plan.h"
#include "flyball/controllers/cron_job/reconciler.h"

namespace flyball::controllers::cron_job {
namespace {

using api::ObjectKey;
using batch::v1::CronJob;
using batch::v1::Job;

Histogram SkewMetric(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  std::vector<double> bounds;
  for (double bound = 1; bounds.size() < 10; bound *= 2) bounds.push_back(bound);
  return metrics
      ->Histograms({.name = "cronjob_controller_job_creation_skew_duration_seconds",
                    .help = "[STABLE] Delay in seconds from the scheduled time of a CronJob to the "
                            "creation of its Job."},
                   bounds)
      .With();
}

queue::Priority PriorityOf(bool initial) {
  return initial ? queue::Priority::kBackground : queue::Priority::kLive;
}

/// Enqueues the CronJobs to reconcile when a CronJob or a Job changes.
class CronJobEnqueuer {
 public:
  struct Deps {
    runtime::ReconcileQueue<>& queue;
    cache::Lister<CronJob> cron_jobs;
    std::shared_ptr<const TimeZones> zones;
    const Clock& clock;
    runtime::EventRecorder& events;
  };
  explicit CronJobEnqueuer(Deps deps) : deps_(std::move(deps)) {}

  // PARITY: one whose schedule has changed is not looked at before the next time by the new one, so
  // that it does not catch up on what the new one would have had. It is with the next change of
  // anything else.
  void Updated(const CronJob& old, const CronJob& cron_job) const {
    const ObjectKey key = ObjectKey::Of(cron_job);
    if (old.spec.schedule == cron_job.spec.schedule &&
        old.spec.timeZone == cron_job.spec.timeZone) {
      return deps_.queue.Add(key);
    }
    const auto schedule = ScheduleOf(cron_job.spec, *deps_.zones);
    if (!schedule) {
      return deps_.events.Event(cron_job, runtime::EventType::kWarning,
                                "UnParseableCronJobSchedule",
                                "unparseable schedule for cronjob: " + cron_job.spec.schedule);
    }
    const auto next = UntilNext(cron_job, *schedule, deps_.clock.WallNow());
    next ? deps_.queue.AddAfter(key, *next) : deps_.queue.Add(key);
  }

  void EnqueueOwner(const Job& job, queue::Priority priority = queue::Priority::kLive) const {
    const auto* const owner = common::ControllerOf(job);
    if (owner == nullptr || owner->kind != "CronJob") return;
    const auto cron_job = deps_.cron_jobs.Get({job.metadata.namespace_, owner->name});
    if (!cron_job || cron_job->metadata.uid != owner->uid) return;
    deps_.queue.Add(ObjectKey::Of(*cron_job), priority);
  }

  void Updated(const Job& old, const Job& job) const {
    if (old.metadata.resourceVersion == job.metadata.resourceVersion) return;
    const auto* const owner = common::ControllerOf(job);
    const auto* const old_owner = common::ControllerOf(old);
    const bool stays = owner != nullptr && old_owner != nullptr && *owner == *old_owner;
    if (!stays) EnqueueOwner(old);
    EnqueueOwner(job);
  }

 private:
  const Deps deps_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("cronjob-controller", deps);
  auto zones = std::move(options.zones);
  if (!zones) zones = std::make_shared<TimeZones>(TimeZones::Places::OfThisMachine());
  const auto cron_jobs = controller->Reads<CronJob>();
  const auto jobs = controller->Reads<Job>();
  common::IndexByController(jobs);
  auto& queue = controller->AddQueue<>({.name = "cronjob", .workers = options.workers},
                                       Reconciler({.cron_jobs = cron_jobs.lister(),
                                                   .jobs = jobs.lister(),
                                                   .zones = zones,
                                                   .skew = SkewMetric(deps.metrics)}));

  const CronJobEnqueuer enqueuer({.queue = queue,
                                  .cron_jobs = cron_jobs.lister(),
                                  .zones = zones,
                                  .clock = deps.executor.clock(),
                                  .events = controller->events()});
  controller->On<CronJob>(
      cron_jobs,
      {.added = [&queue](
                    const auto& cron_job,
                    bool initial) { queue.Add(ObjectKey::Of(*cron_job), PriorityOf(initial)); },
       .updated = [enqueuer](const auto& old,
                             const auto& cron_job) { enqueuer.Updated(*old, *cron_job); },
       .deleted = [&queue](const auto& cron_job, bool) { queue.Add(ObjectKey::Of(*cron_job)); }});
  controller->On<Job>(
      jobs,
      {.added = [enqueuer](const auto& job,
                           bool initial) { enqueuer.EnqueueOwner(*job, PriorityOf(initial)); },
       .updated = [enqueuer](const auto& old, const auto& job) { enqueuer.Updated(*old, *job); },
       .deleted = [enqueuer](const auto& job, bool) { enqueuer.EnqueueOwner(*job); }});
  return controller;
}

}  // namespace flyball::controllers::cron_job
