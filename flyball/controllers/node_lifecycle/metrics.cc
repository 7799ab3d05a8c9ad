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
  return {.zone_health = registry->Gauges({.name = "node_collector_zone_health",
                                           .help = "[ALPHA] Percentage of healthy nodes.",
                                           .labels = {"zone"}}),
          .zone_size = registry->Gauges({.name = "node_collector_zone_size",
                                         .help = "[ALPHA] Nodes of a zone.",
                                         .labels = {"zone"}}),
          .unhealthy_nodes = registry->Gauges({.name = "node_collector_unhealthy_nodes_in_zone",
                                               .help = "[ALPHA] Nodes that are not ready.",
                                               .labels = {"zone"}}),
          .evictions = registry->Counters(
              {.name = "node_collector_evictions_total",
               .help = "[STABLE] Nodes that got a taint that drives their pods out.",
               .labels = {"zone"}}),
          .node_seconds =
              registry
                  ->Histograms({.name = "node_collector_update_node_health_duration_seconds",
                                .help = "[ALPHA] How long it took to judge a node, in seconds."},
                               EightFrom(0.001))
                  .With(),
          .all_nodes_seconds =
              registry
                  ->Histograms({.name = "node_collector_update_all_nodes_health_duration_seconds",
                                .help = "[ALPHA] How long it took to judge all nodes, in seconds."},
                               EightFrom(0.01))
                  .With()};
}

}  // namespace flyball::controllers::node_lifecycle
