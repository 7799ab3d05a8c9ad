#pragma once

#include <chrono>
#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct EndpointsOptions {
  std::int32_t concurrent_syncs = 5;
  std::chrono::nanoseconds updates_batch_period = {};

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "concurrent-endpoint-syncs", concurrent_syncs,
        "Number of Services whose Endpoints the endpoints controller may sync at the same time.");
    section.Add("endpoint-updates-batch-period", updates_batch_period,
                "Time for which the endpoints controller collects pod changes before it updates an "
                "Endpoints object. A longer time means fewer updates, and traffic that follows a "
                "change later; 0 updates at once.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentEndpointSyncs", concurrent_syncs);
    config.Add("EndpointUpdatesBatchPeriod", updates_batch_period);
  }
};

}  // namespace flyball::manager
