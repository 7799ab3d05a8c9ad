#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "flyball/base/metrics.h"
#include "flyball/endpoints/http_handler.h"
#include "flyball/endpoints/process_metrics.h"

namespace flyball::endpoints {

/// Metrics as Prometheus reads them, compressed if the request takes that.
transport::Response MetricsText(std::string text, const transport::Request& request);

/// The page /metrics: all that a process counts, and what the system says of the process. Any
/// thread.
class MetricsHandler {
 public:
  /// The registry must outlive it. What is in `hidden`, by name, is left out: --disabled-metrics.
  explicit MetricsHandler(MetricRegistry& registry, std::set<std::string, std::less<>> hidden = {})
      : registry_(registry), process_(registry), hidden_(std::move(hidden)) {}

  transport::Response Answer(const Call& call);

 private:
  MetricRegistry& registry_;
  ProcessMetrics process_;
  const std::set<std::string, std::less<>> hidden_;
};

}  // namespace flyball::endpoints
