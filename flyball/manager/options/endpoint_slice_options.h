#pragma once

#include <chrono>
#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct EndpointSliceOptions {
  std::int32_t concurrent_syncs = 5;
  std::int32_t max_endpoints_per_slice = 100;
  std::chrono::nanoseconds updates_batch_period = {};

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-service-endpoint-syncs", concurrent_syncs,
                "How many services have their slices worked on at the same time, 1 to 50. More is "
                "faster and costs more CPU and network.");
    section.Add("max-endpoints-per-slice", max_endpoints_per_slice,
                "How many endpoints a slice has at most, 1 to 1000. More means fewer slices, and "
                "bigger ones.");
    section.Add(
        "endpointslice-updates-batch-period", updates_batch_period,
        "How long changes of pods are collected before the slices are written. Longer means "
        "fewer writes, and traffic that follows later.");
  }

  void Check(Problems& problems) const {
    problems.AddUnlessWithin("concurrent-service-endpoint-syncs", concurrent_syncs, 1, 50);
    problems.AddUnlessWithin("max-endpoints-per-slice", max_endpoints_per_slice, 1, 1000);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentServiceEndpointSyncs", concurrent_syncs);
    config.Add("MaxEndpointsPerSlice", max_endpoints_per_slice);
    config.Add("EndpointUpdatesBatchPeriod", updates_batch_period);
  }
};

}  // namespace flyball::manager
