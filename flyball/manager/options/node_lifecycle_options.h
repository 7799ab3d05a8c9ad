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
    section.Add("node-startup-grace-period", startup_grace_period,
                "How long a node that starts may be silent before it counts as unhealthy.");
    section.Add(
        "node-monitor-grace-period", monitor_grace_period,
        "How long a running node may be silent before it counts as unhealthy. Several times "
        "the kubelet's nodeStatusUpdateFrequency, and more than its HTTP/2 ping and idle "
        "time-outs together.");
    section.Add(
        "node-eviction-rate", eviction_rate,
        "On how many nodes a second pods are deleted when nodes fail in a healthy zone (see "
        "--unhealthy-zone-threshold). Without zones the cluster is one.");
    section.Add("secondary-node-eviction-rate", secondary_eviction_rate,
                "The same in an unhealthy zone. Zero for zones that are not larger than "
                "--large-cluster-size-threshold.");
    section.Add("large-cluster-size-threshold", large_cluster_size_threshold,
                "A zone with more nodes than this counts as large, and is evicted from at "
                "--secondary-node-eviction-rate when it is unhealthy; a smaller one is not.");
    section.Add("unhealthy-zone-threshold", unhealthy_zone_threshold,
                "The share of nodes, and three at least, that must not be ready for a zone to be "
                "unhealthy.");
    section.Add("node-monitor-period", monitor_period, "How often the health of nodes is judged.");
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
