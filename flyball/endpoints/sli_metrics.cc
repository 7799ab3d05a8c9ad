#include "flyball/endpoints/sli_metrics.h"

#include <utility>

#include "flyball/endpoints/metrics_handler.h"
#include "flyball/endpoints/process_metrics.h"

namespace flyball::endpoints {

/// Counters cannot go back, so to begin anew is to have others.
struct SliMetrics::Metrics {
  MetricRegistry registry;
  GaugeFamily result = registry.Gauges(
      {.name = "kubernetes_healthcheck",
       .help = "[STABLE] Result of the last run of a health check: 1 if it passed, 0 if it failed.",
       .labels = {"name", "type"}});
  CounterFamily results = registry.Counters(
      {.name = "kubernetes_healthchecks_total",
       .help = "[STABLE] Number of health check runs by check name, type and status.",
       .labels = {"name", "type", "status"}});
};

SliMetrics::SliMetrics(WallTime process_start) : metrics_(std::make_shared<Metrics>()) {
  metrics_->registry
      .Gauges(
          {.name = "process_start_time_seconds",
           .help = "[ALPHA] Time at which the process started, in seconds since the Unix epoch."})
      .With()
      .Set(SecondsSinceEpoch(process_start));
}

std::shared_ptr<SliMetrics::Metrics> SliMetrics::Current() const {
  MutexLock lock(mutex_);
  return metrics_;
}

void SliMetrics::Observe(std::string_view check, std::string_view type, bool passed) {
  const auto metrics = Current();
  metrics->result.With({check, type}).Set(passed ? 1 : 0);
  metrics->results.With({check, type, passed ? "success" : "error"}).Increment();
}

transport::Response SliMetrics::Answer(const Call& call) {
  if (call.request.method != "DELETE") return MetricsText(Current()->registry.Text(), call.request);
  auto fresh = std::make_shared<Metrics>();
  MutexLock lock(mutex_);
  // PARITY: the start of the process does not come back.
  metrics_ = std::move(fresh);
  return PlainText(200, "metrics reset\n");
}

}  // namespace flyball::endpoints
