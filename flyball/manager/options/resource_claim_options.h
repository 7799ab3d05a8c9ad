#pragma once

#include <cstdint>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct ResourceClaimOptions {
  std::int32_t concurrent_syncs = 50;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-resourceclaim-syncs", concurrent_syncs,
                "Number of ResourceClaims that the resource claim controller may create or delete "
                "at the same time.");
  }

  void Check(Problems& problems) const {
    if (concurrent_syncs > 0) return;
    problems.Add("concurrent-resourceclaim-syncs must be larger than 0, got " +
                 std::to_string(concurrent_syncs));
  }

  void Describe(ConfigWriter& config) const { config.Add("ConcurrentSyncs", concurrent_syncs); }
};

}  // namespace flyball::manager
