#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct ReplicationControllerOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-rc-syncs", concurrent_syncs,
                "How many replication controllers are worked on at the same time. More is faster "
                "and costs more "
                "CPU and network.");
  }

  void Describe(ConfigWriter& config) const { config.Add("ConcurrentRCSyncs", concurrent_syncs); }
};

}  // namespace flyball::manager
