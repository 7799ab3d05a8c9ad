#pragma once

#include <string_view>

#include "flyball/base/metrics.h"

namespace flyball::runtime {

/// Events that nobody will ever see, by why: events_dropped_total. Upstream only logs some of them.
struct EventMetrics {
  /// Records nothing.
  EventMetrics() = default;
  /// `name` is that of the EventSink.
  EventMetrics(MetricRegistry& registry, std::string_view name);

  Counter overflow;     ///< more than can wait were recorded
  Counter spam;         ///< the budget of source and object was used up
  Counter refused;      ///< by the server
  Counter unreachable;  ///< the server was, each time it was tried
  Counter shutdown;     ///< the process ended first
};

}  // namespace flyball::runtime
