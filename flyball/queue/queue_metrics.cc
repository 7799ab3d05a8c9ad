#include "flyball/queue/queue_metrics.h"

#include <string>
#include <utility>
#include <vector>

namespace flyball::queue {
namespace {

MetricInfo Info(std::string name, std::string help) {
  return {.name = "workqueue_" + std::move(name), .help = std::move(help), .labels = {"name"}};
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
    : adds(registry.Counters(Info("adds_total", "Keys added to the queue")).With({queue})),
      retries(registry.Counters(Info("retries_total", "Keys added to the queue for a later time"))
                  .With({queue})),
      queue_duration(
          registry
              .Histograms(Info("queue_duration_seconds", "How long keys wait in the queue"),
                          Buckets())
              .With({queue})),
      work_duration(
          registry
              .Histograms(Info("work_duration_seconds", "How long keys are processed"), Buckets())
              .With({queue})),
      depth(registry.Gauges(Info("depth", "Keys in the queue"))
                .WithCallback({queue}, std::move(gauges.depth))),
      unfinished_work(
          registry
              .Gauges(Info("unfinished_work_seconds",
                           "How long all keys that are being processed have been, taken together: "
                           "it rises by as much a second as there are workers stuck"))
              .WithCallback({queue}, std::move(gauges.unfinished_work))),
      longest_running(
          registry
              .Gauges(Info("longest_running_processor_seconds",
                           "How long the key has been processed that has been for longest"))
              .WithCallback({queue}, std::move(gauges.longest_running))) {}

}  // namespace flyball::queue
