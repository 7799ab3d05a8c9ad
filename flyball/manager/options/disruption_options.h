#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct DisruptionOptions {
  std::int32_t concurrent_syncs = 1;

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "concurrent-disruption-syncs", concurrent_syncs,
        "Number of PodDisruptionBudgets that the disruption controller may sync at the same time.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentDisruptionSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
