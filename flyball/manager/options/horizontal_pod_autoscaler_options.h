#pragma once

#include <chrono>
#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct HorizontalPodAutoscalerOptions {
  std::int32_t concurrent_syncs = 5;
  std::chrono::nanoseconds sync_period = std::chrono::seconds(15);
  std::chrono::nanoseconds downscale_stabilization = std::chrono::minutes(5);
  double tolerance = 0.1;
  std::chrono::nanoseconds cpu_initialization_period = std::chrono::minutes(5);
  std::chrono::nanoseconds initial_readiness_delay = std::chrono::seconds(30);

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "concurrent-horizontal-pod-autoscaler-syncs", concurrent_syncs,
        "How many autoscalers are worked on at the same time. More is faster and costs more "
        "CPU and network.");
    section.Add("horizontal-pod-autoscaler-sync-period", sync_period,
                "How often an autoscaler looks at its metrics.");
    section.Add("horizontal-pod-autoscaler-downscale-stabilization", downscale_stabilization,
                "An autoscaler does not go below what it recommended within this time.");
    section.Add("horizontal-pod-autoscaler-tolerance", tolerance,
                "How far the ratio of the wanted to the actual metric must be from 1.0 for an "
                "autoscaler to act.");
    section.Add("horizontal-pod-autoscaler-cpu-initialization-period", cpu_initialization_period,
                "How long after its start a pod's CPU may be left out of account.");
    section.Add("horizontal-pod-autoscaler-initial-readiness-delay", initial_readiness_delay,
                "How long after its start a pod that becomes ready is taken to do so for the first "
                "time.");
  }

  void Check(Problems& problems) const {
    problems.AddUnlessPositive("concurrent-horizontal-pod-autoscaler-syncs", concurrent_syncs);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentHorizontalPodAutoscalerSyncs", concurrent_syncs);
    config.Add("HorizontalPodAutoscalerSyncPeriod", sync_period);
    config.Add("HorizontalPodAutoscalerDownscaleStabilizationWindow", downscale_stabilization);
    config.Add("HorizontalPodAutoscalerTolerance", tolerance);
    config.Add("HorizontalPodAutoscalerCPUInitializationPeriod", cpu_initialization_period);
    config.Add("HorizontalPodAutoscalerInitialReadinessDelay", initial_readiness_delay);
  }
};

}  // namespace flyball::manager
