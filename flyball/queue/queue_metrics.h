#pragma once

#include <functional>
#include <string_view>

#include "flyball/base/metrics.h"

namespace flyball::queue {

/// What upstream's queues tell of themselves, under the same names, by the queue's name.
struct QueueMetrics {
  /// What is asked for when somebody looks.
  struct Gauges {
    std::move_only_function<double()> depth;            ///< keys added and not yet handed out
    std::move_only_function<double()> unfinished_work;  ///< seconds so far, of all being processed
    std::move_only_function<double()> longest_running;  ///< of these the most
  };

  /// Records nothing.
  QueueMetrics() = default;
  QueueMetrics(MetricRegistry& registry, std::string_view queue, Gauges gauges);

  Counter adds;              ///< keys that were not to be processed already
  Counter retries;           ///< calls for a later add
  Histogram queue_duration;  ///< seconds from being added to being handed out
  Histogram work_duration;   ///< seconds from there to the end
  GaugeCallback depth;
  GaugeCallback unfinished_work;
  GaugeCallback longest_running;
};

}  // namespace flyball::queue
