#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct DaemonSetOptions {
  std::int32_t concurrent_syncs = 2;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-daemonset-syncs", concurrent_syncs,
                "Number of DaemonSets that the daemonset controller may sync at the same time.");
  }

  void Check(Problems& problems) const {
    problems.AddUnlessPositive("concurrent-daemonset-syncs", concurrent_syncs);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentDaemonSetSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
