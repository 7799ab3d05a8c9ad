#include "flyball/controllers/node_lifecycle/metrics.h"

#include <vector>

namespace flyball::controllers::node_lifecycle {
namespace {

std::vector<double> EightFrom(double first) {
  std::vector<double> bounds;
  for (double bound = first; bounds.size() < 8; bound *= 4) bounds.push_back(bound);
  return bounds;
}

}  // namespace

Metrics Metrics::In(MetricRegistry* registry) {
  if (registry == nullptr) return {};
  return {.zone_health = registry->Gauges(
              {.name = "node_collector_zone_health",
               .help = "[ALPHA] Percentage of ready Nodes, from 0 to 100, by zone.",
               .labels = {"zone"}}),
          .zone_size = registry->Gauges({.name = "node_collector_zone_size",
                                         .help = "[ALPHA] Number of Nodes by zone.",
                                         .labels = {"zone"}}),
          .unhealthy_nodes =
              registry->Gauges({.name = "node_collector_unhealthy_nodes_in_zone",
                                .help = "[ALPHA] Number of Nodes that are not ready, by zone.",
                                .labels = {"zone"}}),
          .evictions = registry->Counters(
              {.name = "node_collector_evictions_total",
               .help = "[STABLE] Number of Nodes that the node lifecycle controller tainted for "
                       "eviction (NoExecute) because they are not ready or unreachable, by zone.",
               .labels = {"zone"}}),
          .node_seconds =
              registry
                  ->Histograms({.name = "node_collector_update_node_health_duration_seconds",
                                .help = "[ALPHA] Duration of the health check of one Node by the "
                                        "node lifecycle controller, in seconds."},
                               EightFrom(0.001))
                  .With(),
          .all_nodes_seconds =
              registry
                  ->Histograms({.name = "node_collector_update_all_nodes_health_duration_seconds",
                                .help = "[ALPHA] Duration of one health check over all Nodes by "
                                        "the node lifecycle controller, in seconds."},
                               EightFrom(0.01))
                  .With()};
}

}  // namespace flyball::controllers::node_lifecycle
