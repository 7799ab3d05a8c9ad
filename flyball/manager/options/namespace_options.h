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
                "How often every namespace is looked at again.");
    section.Add(
        "concurrent-namespace-syncs", concurrent_syncs,
        "How many namespaces are emptied at the same time. More is faster and costs more CPU "
        "and network.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("NamespaceSyncPeriod", sync_period);
    config.Add("ConcurrentNamespaceSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
