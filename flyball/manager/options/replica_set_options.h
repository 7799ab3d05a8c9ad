#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct ReplicaSetOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-replicaset-syncs", concurrent_syncs,
                "Number of ReplicaSets that the replicaset controller may sync at the same time.");
  }

  void Describe(ConfigWriter& config) const { config.Add("ConcurrentRSSyncs", concurrent_syncs); }
};

}  // namespace flyball::manager
