#pragma once

#include <functional>
#include <string_view>

#include "flyball/base/metrics.h"

namespace flyball::runtime {

/// How long a controller's keys wait for the caches to show what it wrote for them. Upstream has
/// nothing like it.
struct OwnWriteMetrics {
  /// Records nothing.
  OwnWriteMetrics() = default;
  /// `count` and `oldest_seconds` are called when somebody reads the metrics.
  OwnWriteMetrics(MetricRegistry& registry, std::string_view controller,
                  std::move_only_function<double()> count,
                  std::move_only_function<double()> oldest_seconds);

  Histogram held;         ///< flyball_own_write_hold_duration_seconds
  GaugeCallback waiting;  ///< flyball_own_write_holds
  GaugeCallback oldest;   ///< flyball_own_write_oldest_hold_seconds
};

}  // namespace flyball::runtime
