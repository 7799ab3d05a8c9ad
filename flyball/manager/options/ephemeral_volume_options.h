#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct EphemeralVolumeOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-ephemeralvolume-syncs", concurrent_syncs,
                "Number of pods whose generic ephemeral volumes the ephemeral volume controller "
                "may sync at the same time.");
  }

  void Check(Problems& problems) const {
    problems.AddUnlessPositive("concurrent-ephemeralvolume-syncs", concurrent_syncs);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentEphemeralVolumeSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
