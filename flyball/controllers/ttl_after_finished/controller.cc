#include "flyball/controllers/ttl_after_finished/controller.h"

#include <utility>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/controllers/ttl_after_finished/plan.h"

namespace flyball::controllers::ttl_after_finished {
namespace {

using api::ObjectKey;
using batch::v1::Job;
using runtime::Context;
using runtime::Outcome;

/// How long after its time a job was deleted.
Histogram LatenessMetric(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  std::vector<double> bounds;
  for (double bound = 0.1; bounds.size() < 14; bound *= 2) bounds.push_back(bound);
  return metrics
      ->Histograms({.name = "ttl_after_finished_controller_job_deletion_duration_seconds",
                    .help = "[ALPHA] Delay in seconds from the time at which the TTL of a finished "
                            "Job expired to the deletion of the Job."},
                   bounds)
      .With();
}

class Reconciler {
 public:
  Reconciler(cache::Lister<Job> jobs, const Clock& clock, Histogram lateness)
      : jobs_(std::move(jobs)), clock_(clock), lateness_(lateness) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto cached = jobs_.Get(key);
    if (!cached) return Outcome::Done();
    context.log().V(4).Info("Checking if Job is ready for cleanup", {{"job", key}});
    FLYBALL_TRY(Plan plan, PlanFor(*cached, context.now()));
    if (plan.action != Plan::Action::kDelete) return Later(plan);

    // Someone may have given it more time since. What is deleted does not come back: ask.
    const auto job = context.client().Of<Job>().Get(key);
    if (!job && job.error().code() == ErrorCode::kNotFound) return Outcome::Done();
    FLYBALL_TRY(job);
    FLYBALL_TRY(plan, PlanFor(*job, context.now()));
    if (plan.action != Plan::Action::kDelete) return Later(plan);

    context.log().V(4).Info("Cleaning up Job", {{"job", key}});
    context.Decided(plan.ToString());
    meta::v1::DeleteOptions options;
    options.propagationPolicy = "Foreground";
    FLYBALL_TRY(context.Delete(*job, std::move(options)));
    lateness_.Observe(
        std::chrono::duration<double>(api::Time(clock_.WallNow()) - plan.expires).count());
    return Outcome::Done();
  }

 private:
  static Outcome Later(const Plan& plan) {
    return plan.action == Plan::Action::kWait ? Outcome::RequeueAfter(plan.wait) : Outcome::Done();
  }

  const cache::Lister<Job> jobs_;
  const Clock& clock_;
  const Histogram lateness_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("ttl-after-finished-controller", deps);
  const auto jobs = controller->Reads<Job>();
  auto& queue = controller->AddQueue<>(
      {.name = "ttl_jobs_to_delete", .workers = options.workers},
      Reconciler(jobs.lister(), deps.executor.clock(), LatenessMetric(deps.metrics)));

  const auto add = [&queue](const Job& job, queue::Priority priority) {
    if (IsToExpire(job)) queue.Add(ObjectKey::Of(job), priority);
  };
  controller->On<Job>(
      jobs,
      {.added =
           [add](const auto& job, bool initial) {
             add(*job, initial ? queue::Priority::kBackground : queue::Priority::kLive);
           },
       .updated = [add](const auto&, const auto& job) { add(*job, queue::Priority::kLive); }});
  return controller;
}

}  // namespace flyball::controllers::ttl_after_finished
