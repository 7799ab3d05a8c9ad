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
                "Number of Services whose EndpointSlices the endpoint slice controller may sync at "
                "the same time, from 1 to 50.");
    section.Add("max-endpoints-per-slice", max_endpoints_per_slice,
                "Maximum number of endpoints in one EndpointSlice, from 1 to 1000. A higher number "
                "means fewer but larger EndpointSlices.");
    section.Add("endpointslice-updates-batch-period", updates_batch_period,
                "Time for which the endpoint slice controller collects pod changes before it "
                "updates the EndpointSlices of a Service. A longer time means fewer updates, and "
                "traffic that follows a change later; 0 updates at once.");
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
