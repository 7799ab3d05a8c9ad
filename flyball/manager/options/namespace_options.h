#pragma once

#include <chrono>
#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct NamespaceOptions {
  std::chrono::nanoseconds sync_period = std::chrono::minutes(5);
  std::int32_t concurrent_syncs = 10;

  void AddFlags(flags::FlagSection& section) {
    section.Add("namespace-sync-period", sync_period,
                "Interval at which the namespace controller syncs every Namespace again.");
    section.Add("concurrent-namespace-syncs", concurrent_syncs,
                "Number of terminating Namespaces whose objects the namespace controller may "
                "delete at the same time.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("NamespaceSyncPeriod", sync_period);
    config.Add("ConcurrentNamespaceSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
