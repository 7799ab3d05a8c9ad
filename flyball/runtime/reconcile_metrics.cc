#include "flyball/runtime/reconcile_metrics.h"

#include <string>
#include <utility>

namespace flyball::runtime {
namespace {

MetricInfo Info(std::string name, std::string help) {
  return {.name = "flyball_" + std::move(name), .help = std::move(help), .labels = {"name"}};
}

CounterFamily Reconciles(MetricRegistry& registry) {
  return registry.Counters(
      {.name = "flyball_reconciles_total",
       .help = "Reconciles that have ended: done, again (to be looked at again after some time), "
               "failed (to be tried again), or given_up (failed too often in a row)",
       .labels = {"name", "outcome"}});
}

}  // namespace

// workqueue_work_duration_seconds ends at ten seconds, and a reconcile may take minutes.
ReconcileMetrics::ReconcileMetrics(MetricRegistry& registry, std::string_view queue)
    : done(Reconciles(registry).With({queue, "done"})),
      again(Reconciles(registry).With({queue, "again"})),
      failed(Reconciles(registry).With({queue, "failed"})),
      given_up(Reconciles(registry).With({queue, "given_up"})),
      exceptions(registry
                     .Counters(Info("reconcile_exceptions_total",
                                    "Reconciles that failed with an exception: a fault in the "
                                    "code, which the log tells of"))
                     .With({queue})),
      stuck(registry
                .Counters(Info("reconciles_stuck_total",
                               "Reconciles that took longer than a minute, some of which may "
                               "still go on"))
                .With({queue})),
      overdue(registry
                  .Counters(Info("reconciles_overdue_total",
                                 "Reconciles that were asked to stop because they took too long"))
                  .With({queue})),
      ambiguous_writes(registry
                           .Counters(Info("ambiguous_writes_total",
                                          "Writes of which nobody knows whether the API server "
                                          "carried them out, and whose keys therefore waited for "
                                          "the caches"))
                           .With({queue})),
      duration(registry
                   .Histograms(Info("reconcile_duration_seconds", "How long reconciles take"),
                               {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300})
                   .With({queue})) {}

}  // namespace flyball::runtime
