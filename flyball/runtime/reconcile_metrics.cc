#include "flyball/runtime/reconcile_metrics.h"

#include <string>
#include <utility>

namespace flyball::runtime {
namespace {

MetricInfo Info(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .labels = {"name"}};
}

CounterFamily Reconciles(MetricRegistry& registry) {
  return registry.Counters(
      {.name = "flyball_reconciles_total",
       .help =
           "Number of finished reconciles by work queue and outcome: done, again (requeued for a "
           "later time), failed (requeued after an error) or given_up (failed too often in a row).",
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
                     .Counters(Info("flyball_reconcile_exceptions_total",
                                    "Number of reconciles that failed with a C++ exception, which "
                                    "is a bug in the program; the log has the details."))
                     .With({queue})),
      stuck(registry
                .Counters(Info("flyball_reconciles_stuck_total",
                               "Number of reconciles that ran longer than a minute, finished or "
                               "not, by work queue."))
                .With({queue})),
      overdue(registry
                  .Counters(Info("flyball_reconciles_overdue_total",
                                 "Number of reconciles that ran past their deadline and were asked "
                                 "to stop, by work queue."))
                  .With({queue})),
      ambiguous_writes(
          registry
              .Counters(Info("flyball_ambiguous_writes_total",
                             "Number of writes to the API server that got no clear answer and may "
                             "or may not have been carried out, by work queue."))
              .With({queue})),
      duration(registry
                   .Histograms(Info("flyball_reconcile_duration_seconds",
                                    "Duration of one reconcile in seconds, by work queue."),
                               {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300})
                   .With({queue})) {}

}  // namespace flyball::runtime
