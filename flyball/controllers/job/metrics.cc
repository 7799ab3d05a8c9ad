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
  return registry->Counters({.name = name, .help = help, .labels = std::move(labels)});
}

HistogramFamily SyncSeconds(MetricRegistry* registry) {
  if (registry == nullptr) return {};
  std::vector<double> bounds;
  for (double bound = 0.004; bounds.size() < 15; bound *= 2) bounds.push_back(bound);
  return registry->Histograms(
      {.name = "job_controller_job_sync_duration_seconds",
       .help =
           "[STABLE] Duration of one Job sync in seconds, by completion mode, result and action.",
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
      syncs_(Counters(registry, "job_controller_job_syncs_total",
                      "[STABLE] Number of Job syncs by completion mode, result and action.",
                      {"completion_mode", "result", "action"})),
      finished_(Counters(registry, "job_controller_jobs_finished_total",
                         "[STABLE] Number of Jobs that completed or failed, by completion mode, "
                         "result and reason.",
                         {"completion_mode", "result", "reason"})),
      others_(Counters(registry, "job_controller_jobs_by_external_controller_total",
                       "[ALPHA] Number of Jobs seen whose spec.managedBy names another controller, "
                       "by controller name.",
                       {"controller_name"})),
      pods_finished_(Counters(registry, "job_controller_job_pods_finished_total",
                              "[STABLE] Number of succeeded or failed pods that have been counted "
                              "in the status of their Job, by completion mode and result.",
                              {"completion_mode", "result"})),
      handled_(Counters(registry, "job_controller_pod_failures_handled_by_failure_policy_total",
                        "[BETA] Number of failed pods that matched a rule in the podFailurePolicy "
                        "of their Job, by action.",
                        {"action"})),
      waiting_(Counters(registry, "job_controller_terminated_pods_tracking_finalizer_total",
                        "[BETA] Number of terminated pods that were seen with the finalizer "
                        "batch.kubernetes.io/job-tracking (event add) and that have lost it (event "
                        "delete); a growing difference means leaked pods.",
                        {"event"})),
      indexes_finished_(Counters(
          registry, "job_controller_job_finished_indexes_total",
          "[ALPHA] Number of indexes of Indexed Jobs that succeeded or failed, by status and by "
          "whether the Job limits failures per index (perIndex) or as a whole (global).",
          {"status", "backoffLimit"})),
      creations_(
          Counters(registry, "job_controller_job_pods_creation_total",
                   "[ALPHA] Number of pods that the job controller tried to create, by status and "
                   "by reason: new, recreate_terminating_or_failed or recreate_failed.",
                   {"reason", "status"})),
      stale_sync_skips_(Counters(
          registry, "job_controller_stale_sync_skips_total",
          "[ALPHA] Number of Job syncs that were postponed because the cache did not yet show the "
          "controller's own last write, by group and resource of the written object.",
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

void Metrics::Created(const Job& job, const JobSyncState& sync_state, std::size_t created,
                      std::size_t refused) const {
  std::string_view reason = "new";
  if (ReplacesFailedOnly(job) && sync_state.failed > 0) {
    reason = "recreate_failed";
  } else if (sync_state.failed > 0 || sync_state.counts.terminating > 0) {
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
