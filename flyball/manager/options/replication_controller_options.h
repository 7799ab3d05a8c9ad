#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct ReplicationControllerOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-rc-syncs", concurrent_syncs,
                "Number of ReplicationControllers that the replicationcontroller controller may "
                "sync at the same time.");
  }

  void Describe(ConfigWriter& config) const { config.Add("ConcurrentRCSyncs", concurrent_syncs); }
};

}  // namespace flyball::manager
