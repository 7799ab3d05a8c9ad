#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct PodGcOptions {
  std::int32_t terminated_pod_threshold = 12500;

  void AddFlags(flags::FlagSection& section) {
    section.Add("terminated-pod-gc-threshold", terminated_pod_threshold,
                "How many pods that have ended there may be before the oldest are deleted. Zero or "
                "less: as many as you like.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("TerminatedPodGCThreshold", terminated_pod_threshold);
  }
};

}  // namespace flyball::manager
