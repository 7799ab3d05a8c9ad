#include "flyball/controllers/job/metrics.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/indexes.h"
#include "flyball/controllers/job/job_spec.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using batch::v1::JobStatus;

constexpr std::string_view kSucceededResult = "succeeded";
constexpr std::string_view kFailedResult = "failed";

CounterFamily Counters(MetricRegistry* registry, const std::string& name, const std::string& help,
                       std::vector<std::string> labels) {
  if (registry == nullptr) return {};
  return registry->Counters(
      {.name = "job_controller_" + name, .help = help, .labels = std::move(labels)});
}

HistogramFamily SyncSeconds(MetricRegistry* registry) {
  if (registry == nullptr) return {};
  std::vector<double> bounds;
  for (double bound = 0.004; bounds.size() < 15; bound *= 2) bounds.push_back(bound);
  return registry->Histograms({.name = "job_controller_job_sync_duration_seconds",
                               .help = "[STABLE] How long reconciles of jobs took, in seconds.",
                               .labels = {"completion_mode", "result", "action"}},
                              bounds);
}

double Added(std::int64_t before, std::int64_t after) {
  return static_cast<double>(std::max(after - before, std::int64_t{0}));
}

/// A job may have fewer indexes by now: those that it no longer has were not lost.
double AddedIndexes(const Job& job, std::string_view before, std::string_view after) {
  const std::int64_t count = IndexCountOf(job);
  return Added(Indexes::Parse(before, count).total(), Indexes::Parse(after, count).total());
}

std::string_view TextOf(const std::optional<std::string>& text) {
  return text ? std::string_view(*text) : std::string_view();
}

}  // namespace

Metrics::Metrics(MetricRegistry* registry)
    : sync_seconds_(SyncSeconds(registry)),
      syncs_(Counters(registry, "job_syncs_total", "[STABLE] Reconciles of jobs.",
                      {"completion_mode", "result", "action"})),
      finished_(Counters(registry, "jobs_finished_total", "[STABLE] Jobs that have ended.",
                         {"completion_mode", "result", "reason"})),
      others_(Counters(registry, "jobs_by_external_controller_total",
                       "[ALPHA] Jobs that name somebody else as their manager.",
                       {"controller_name"})),
      pods_finished_(Counters(registry, "job_pods_finished_total",
                              "[STABLE] Pods that have ended and were counted.",
                              {"completion_mode", "result"})),
      handled_(Counters(registry, "pod_failures_handled_by_failure_policy_total",
                        "[BETA] Failed pods by the action that a job's podFailurePolicy took.",
                        {"action"})),
      waiting_(Counters(registry, "terminated_pods_tracking_finalizer_total",
                        "[BETA] Pods that have ended, as they come to have the finalizer "
                        "batch.kubernetes.io/job-tracking (add) and lose it (delete).",
                        {"event"})),
      indexes_finished_(Counters(registry, "job_finished_indexes_total",
                                 "[ALPHA] Indexes that succeeded or failed, by whether their "
                                 "limit of failures is theirs (perIndex) or the job's (global).",
                                 {"status", "backoffLimit"})),
      creations_(Counters(registry, "job_pods_creation_total",
                          "[ALPHA] Pods that were made, or not, for new work (new) or in place of "
                          "others (recreate_terminating_or_failed, recreate_failed).",
                          {"reason", "status"})),
      held_back_(Counters(registry, "stale_sync_skips_total",
                          "[ALPHA] Reconciles that waited for a cache to show what the last one "
                          "wrote.",
                          {"group", "resource"})) {}

void Metrics::Synced(const Job& job, const Sync& sync) const {
  const std::string_view result = sync.failed ? "error" : "success";
  sync_seconds_.With({ModeOf(job), result, sync.action})
      .Observe(std::chrono::duration<double>(sync.took).count());
  syncs_.With({ModeOf(job), result, sync.action}).Increment();
}

void Metrics::Finished(const Job& job, const batch::v1::JobCondition& end) const {
  const std::string_view result = end.type == kComplete ? kSucceededResult : kFailedResult;
  finished_.With({ModeOf(job), result, end.reason}).Increment();
}

void Metrics::Counted(const Job& job, const JobStatus& before, const JobStatus& after) const {
  double succeeded = Added(before.succeeded, after.succeeded);
  if (IsIndexed(job)) {
    succeeded = AddedIndexes(job, before.completedIndexes, after.completedIndexes);
    const std::string_view limit = LimitsPerIndex(job) ? "perIndex" : "global";
    indexes_finished_.With({kSucceededResult, limit}).Add(succeeded);
    const double failed =
        AddedIndexes(job, TextOf(before.failedIndexes), TextOf(after.failedIndexes));
    if (failed > 0) indexes_finished_.With({kFailedResult, limit}).Add(failed);
  }
  pods_finished_.With({ModeOf(job), kSucceededResult}).Add(succeeded);
  pods_finished_.With({ModeOf(job), kFailedResult}).Add(Added(before.failed, after.failed));
}

void Metrics::HandledByPolicy(const std::map<std::string_view, int>& handled) const {
  for (const auto& [action, count] : handled) handled_.With({action}).Add(count);
}

void Metrics::Created(const Job& job, const Situation& situation, std::size_t created,
                      std::size_t refused) const {
  std::string_view reason = "new";
  if (ReplacesFailedOnly(job) && situation.failed > 0) {
    reason = "recreate_failed";
  } else if (situation.failed > 0 || situation.counts.terminating > 0) {
    reason = "recreate_terminating_or_failed";
  }
  // PARITY: one that could not be made is among those that were, too.
  const std::size_t tried = created + refused;
  if (tried > 0) {
    creations_.With({reason, kSucceededResult}).Add(static_cast<double>(tried));
  }
  if (refused > 0) {
    creations_.With({reason, kFailedResult}).Add(static_cast<double>(refused));
  }
}

}  // namespace flyball::controllers::job
