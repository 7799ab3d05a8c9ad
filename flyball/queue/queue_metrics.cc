#include "flyball/queue/queue_metrics.h"

#include <string>
#include <utility>
#include <vector>

namespace flyball::queue {
namespace {

MetricInfo Info(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .labels = {"name"}};
}

/// Ten nanoseconds to ten seconds. Multiplied up as upstream does: the bounds are part of the
/// series' names, the errors of rounding too.
std::vector<double> Buckets() {
  constexpr int kCount = 10;
  std::vector<double> bounds = {10e-9};
  while (bounds.size() < kCount) bounds.push_back(bounds.back() * 10);
  return bounds;
}

}  // namespace

QueueMetrics::QueueMetrics(MetricRegistry& registry, std::string_view queue, Gauges gauges)
    : adds(registry.Counters(Info("workqueue_adds_total", "Number of keys added to a work queue."))
               .With({queue})),
      retries(registry
                  .Counters(Info("workqueue_retries_total",
                                 "Number of keys added to a work queue with a delay: retries after "
                                 "an error and requeues at a later time."))
                  .With({queue})),
      queue_duration(
          registry
              .Histograms(
                  Info(
                      "workqueue_queue_duration_seconds",
                      "Time in seconds that a key waited in a work queue before a worker took it."),
                  Buckets())
              .With({queue})),
      work_duration(
          registry
              .Histograms(
                  Info("workqueue_work_duration_seconds",
                       "Time in seconds that a worker took to process one key of a work queue."),
                  Buckets())
              .With({queue})),
      depth(registry
                .Gauges(Info("workqueue_depth",
                             "Number of keys that wait in a work queue for a worker."))
                .WithCallback({queue}, std::move(gauges.depth))),
      unfinished_work(registry
                          .Gauges(Info("workqueue_unfinished_work_seconds",
                                       "Sum of the times, in seconds, for which keys now in "
                                       "processing have been processed, by work queue; it grows by "
                                       "one per second for each worker that is stuck."))
                          .WithCallback({queue}, std::move(gauges.unfinished_work))),
      longest_running(registry
                          .Gauges(Info("workqueue_longest_running_processor_seconds",
                                       "Time in seconds for which the key that has been in "
                                       "processing longest has been processed, by work queue."))
                          .WithCallback({queue}, std::move(gauges.longest_running))) {}

}  // namespace flyball::queue
