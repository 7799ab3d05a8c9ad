#include "flyball/controllers/job/controller.h"

#include <chrono>
#include <functional>
#include <memory>

#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/job_pod.h"
#include "flyball/controllers/job/job_spec.h"
#include "flyball/controllers/job/orphans.h"
#include "flyball/controllers/job/pod_handler.h"
#include "flyball/controllers/job/reconciler.h"

namespace flyball::controllers::job {
namespace {

using api::ObjectKey;
using batch::v1::Job;
using views::Pod;

/// What happens to pods, and to a status, is answered together with what happens soon after.
constexpr std::chrono::seconds kBatchPeriod{1};

queue::BackOff ApiBackOff() {
  return {.first = std::chrono::seconds(1), .longest = std::chrono::minutes(1), .overall = {}};
}

/// `free_pods` is called for jobs whose pods nobody counts any more.
cache::EventHandler<Job> OfJobs(runtime::ReconcileQueue<>& queue, const Metrics& metrics,
                                const std::function<void(const Job&)>& free_pods) {
  cache::EventHandler<Job> handler;
  handler.added = [&queue, metrics](const auto& job, bool initial) {
    queue.Add(ObjectKey::Of(*job), initial ? queue::Priority::kBackground : queue::Priority::kLive);
    if (const auto manager = OtherManagerOf(*job)) metrics.ManagedByAnother(*manager);
  };
  handler.updated = [&queue, free_pods](const auto& old, const auto& job) {
    // It says so only when its pods are free. In case they are not:
    if (IsFinished(*job)) return free_pods(*job);
    if (old->metadata.generation != job->metadata.generation) {
      queue.Add(ObjectKey::Of(*job));
    } else {
      queue.AddAfter(ObjectKey::Of(*job), kBatchPeriod);
    }
  };
  handler.deleted = [&queue, free_pods](const auto& job, bool) {
    queue.Add(ObjectKey::Of(*job));
    free_pods(*job);
  };
  return handler;
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("job-controller", deps);
  const auto jobs = controller->Reads<Job>();
  const auto pods = controller->Reads<Pod>();
  common::IndexByController(pods);
  const Metrics metrics(deps.metrics);
  auto& queue = controller->AddQueue<>({.name = "job",
                                        .workers = options.workers,
                                        .back_off = ApiBackOff(),
                                        .stale_sync_skips = metrics.stale_sync_skips()},
                                       Reconciler({.jobs = jobs.lister(),
                                                   .pods = pods.lister(),
                                                   .clock = deps.executor.clock(),
                                                   .options = options,
                                                   .metrics = metrics}));
  auto& orphans = controller->AddQueue<>({.name = "job_orphan_pod",
                                          .keys_of = "pods",
                                          .workers = options.workers,
                                          .by_metadata = true,
                                          .back_off = ApiBackOff()},
                                         OrphanReconciler(jobs.lister(), pods.lister()));

  const auto add_orphan = [&orphans](const Pod& pod) { orphans.Add(ObjectKey::Of(pod)); };
  // DIVERGES: upstream looks for what a job's selector matches, among all pods of its namespace.
  // What the job controls is enough: a pod that nobody controls is free to go by itself.
  const auto free_pods_of = [add_orphan, lister = pods.lister()](const Job& job) {
    for (const PodRef& pod : common::ControlledBy(job, lister)) {
      if (HasTrackingFinalizer(*pod)) add_orphan(*pod);
    }
  };
  controller->On<Job>(jobs, OfJobs(queue, metrics, free_pods_of));
  const auto of_pods = std::make_shared<const PodHandler>(PodHandler::Deps{
      .jobs = jobs.lister(),
      .add_job = [&queue](const ObjectKey& job) { queue.AddAfter(job, kBatchPeriod); },
      .add_orphan = add_orphan,
      .metrics = metrics});
  controller->On<Pod>(
      pods,
      {.added = [of_pods](const auto& pod, bool) { of_pods->Added(*pod); },
       .updated = [of_pods](const auto& old, const auto& pod) { of_pods->Updated(*old, *pod); },
       .deleted = [of_pods](const auto& pod, bool) { of_pods->Deleted(*pod); }});
  return controller;
}

}  // namespace flyball::controllers::job
