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
    section.Add("concurrent-endpoint-syncs", concurrent_syncs,
                "How many Endpoints are worked on at the same time. More is faster and costs more "
                "CPU and network.");
    section.Add("endpoint-updates-batch-period", updates_batch_period,
                "How long changes of pods are collected before the Endpoints are written. Longer "
                "means fewer writes, and traffic that follows later.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentEndpointSyncs", concurrent_syncs);
    config.Add("EndpointUpdatesBatchPeriod", updates_batch_period);
  }
};

}  // namespace flyball::manager
