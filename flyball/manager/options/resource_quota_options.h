#pragma once

#include <chrono>
#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct ResourceQuotaOptions {
  std::chrono::nanoseconds sync_period = std::chrono::minutes(5);
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("resource-quota-sync-period", sync_period,
                "Interval at which the usage of every ResourceQuota is recalculated.");
    section.Add("concurrent-resource-quota-syncs", concurrent_syncs,
                "Number of ResourceQuotas whose usage the resource quota controller may "
                "recalculate at the same time.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ResourceQuotaSyncPeriod", sync_period);
    config.Add("ConcurrentResourceQuotaSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
