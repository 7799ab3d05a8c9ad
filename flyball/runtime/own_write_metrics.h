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
  /// `count` is asked when somebody looks.
  OwnWriteMetrics(MetricRegistry& registry, std::string_view controller,
                  std::move_only_function<double()> count);

  Histogram held;         ///< flyball_own_write_hold_duration_seconds, those given up too
  Counter gave_up;        ///< flyball_own_write_holds_given_up_total
  GaugeCallback waiting;  ///< flyball_own_write_holds
};

}  // namespace flyball::runtime
