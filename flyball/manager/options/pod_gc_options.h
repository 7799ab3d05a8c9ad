#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct PodGcOptions {
  std::int32_t terminated_pod_threshold = 12500;

  void AddFlags(flags::FlagSection& section) {
    section.Add("terminated-pod-gc-threshold", terminated_pod_threshold,
                "Limit of the number of terminated pods in the cluster; above it the pod garbage "
                "collector deletes the oldest ones. 0 or less means no limit.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("TerminatedPodGCThreshold", terminated_pod_threshold);
  }
};

}  // namespace flyball::manager
