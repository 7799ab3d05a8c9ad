#pragma once

#include <chrono>
#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct NodeLifecycleOptions {
  std::chrono::nanoseconds startup_grace_period = std::chrono::minutes(1);
  std::chrono::nanoseconds monitor_grace_period = std::chrono::seconds(50);
  float eviction_rate = 0.1F;
  float secondary_eviction_rate = 0.01F;
  std::int32_t large_cluster_size_threshold = 50;
  float unhealthy_zone_threshold = 0.55F;
  std::chrono::nanoseconds monitor_period = std::chrono::seconds(5);

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "node-startup-grace-period", startup_grace_period,
        "Time without a heartbeat after which a Node that is starting is marked unhealthy.");
    section.Add("node-monitor-grace-period", monitor_grace_period,
                "Time without a heartbeat after which a running Node is marked unhealthy. Must be "
                "several times the kubelet's nodeStatusUpdateFrequency, and longer than the "
                "kubelet's HTTP/2 ping and idle timeouts together.");
    section.Add("node-eviction-rate", eviction_rate,
                "Number of failed Nodes per second whose pods are evicted in a healthy zone (see "
                "--unhealthy-zone-threshold). A cluster without zones is one zone.");
    section.Add("secondary-node-eviction-rate", secondary_eviction_rate,
                "Number of failed Nodes per second whose pods are evicted in an unhealthy zone "
                "(see --unhealthy-zone-threshold). Zones with no more Nodes than "
                "--large-cluster-size-threshold have the rate 0.");
    section.Add("large-cluster-size-threshold", large_cluster_size_threshold,
                "Number of Nodes up to which an unhealthy zone counts as small: its Nodes are not "
                "tainted for eviction at all. Nodes of a larger unhealthy zone are, at "
                "--secondary-node-eviction-rate.");
    section.Add("unhealthy-zone-threshold", unhealthy_zone_threshold,
                "Share of Nodes in a zone, from 0 to 1, that must be not ready for the zone to "
                "count as unhealthy; it also takes at least three such Nodes.");
    section.Add("node-monitor-period", monitor_period,
                "Interval at which the node lifecycle controller checks the health of all Nodes.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("NodeEvictionRate", eviction_rate);
    config.Add("SecondaryNodeEvictionRate", secondary_eviction_rate);
    config.Add("NodeStartupGracePeriod", startup_grace_period);
    config.Add("NodeMonitorGracePeriod", monitor_grace_period);
    config.Add("PodEvictionTimeout", std::chrono::nanoseconds(0));
    config.Add("LargeClusterSizeThreshold", large_cluster_size_threshold);
    config.Add("UnhealthyZoneThreshold", unhealthy_zone_threshold);
    config.Add("NodeMonitorPeriod", monitor_period);
  }
};

}  // namespace flyball::manager
