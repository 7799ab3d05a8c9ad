#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct TtlAfterFinishedOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-ttl-after-finished-syncs", concurrent_syncs,
                "Number of finished Jobs whose TTL the TTL-after-finished controller may check at "
                "the same time.");
  }

  void Describe(ConfigWriter& config) const { config.Add("ConcurrentTTLSyncs", concurrent_syncs); }
};

}  // namespace flyball::manager
