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
    section.Add("concurrent-horizontal-pod-autoscaler-syncs", concurrent_syncs,
                "Number of HorizontalPodAutoscalers that the horizontal pod autoscaler controller "
                "may sync at the same time.");
    section.Add("horizontal-pod-autoscaler-sync-period", sync_period,
                "Interval at which the horizontal pod autoscaler reads the metrics of each target "
                "and adjusts its replicas.");
    section.Add("horizontal-pod-autoscaler-downscale-stabilization", downscale_stabilization,
                "Length of the window whose highest recommendation the horizontal pod autoscaler "
                "does not scale below.");
    section.Add("horizontal-pod-autoscaler-tolerance", tolerance,
                "Difference from 1.0 that the ratio of current to desired metric value must exceed "
                "for the horizontal pod autoscaler to scale, 0.1 for 10 %.");
    section.Add("horizontal-pod-autoscaler-cpu-initialization-period", cpu_initialization_period,
                "Time after the start of a pod in which the horizontal pod autoscaler may leave "
                "out the pod's CPU samples.");
    section.Add("horizontal-pod-autoscaler-initial-readiness-delay", initial_readiness_delay,
                "Time after the start of a pod in which the horizontal pod autoscaler takes any "
                "change of readiness for the pod's first one.");
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
