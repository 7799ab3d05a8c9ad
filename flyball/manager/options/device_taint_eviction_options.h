#pragma once

#include <cstdint>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct DeviceTaintEvictionOptions {
  std::int32_t concurrent_syncs = 8;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-device-taint-eviction-syncs", concurrent_syncs,
                "Number of pod evictions and DeviceTaintRule status updates that the device taint "
                "eviction controller may run at the same time.");
  }

  void Check(Problems& problems) const {
    if (concurrent_syncs > 0) return;
    problems.Add("concurrent-device-taint-eviction-syncs must be greater than zero, got " +
                 std::to_string(concurrent_syncs));
  }

  void Describe(ConfigWriter& config) const { config.Add("ConcurrentSyncs", concurrent_syncs); }
};

}  // namespace flyball::manager
