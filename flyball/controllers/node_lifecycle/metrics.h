#pragma once

#include "flyball/base/metrics.h"

namespace flyball::controllers::node_lifecycle {

/// Any thread.
struct Metrics {
  GaugeFamily zone_health;
  GaugeFamily zone_size;
  GaugeFamily unhealthy_nodes;
  CounterFamily evictions;
  Histogram node_seconds;
  Histogram all_nodes_seconds;

  /// Counts nothing without a registry.
  static Metrics In(MetricRegistry* registry);
};

}  // namespace flyball::controllers::node_lifecycle
