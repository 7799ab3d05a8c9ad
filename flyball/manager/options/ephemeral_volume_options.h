#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct EphemeralVolumeOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "concurrent-ephemeralvolume-syncs", concurrent_syncs,
        "How many ephemeral volumes are worked on at the same time. More is faster and costs more "
        "CPU and network.");
  }

  void Check(Problems& problems) const {
    problems.AddUnlessPositive("concurrent-ephemeralvolume-syncs", concurrent_syncs);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentEphemeralVolumeSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
