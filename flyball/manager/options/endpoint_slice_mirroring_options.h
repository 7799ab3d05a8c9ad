#pragma once

#include <chrono>
#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct EndpointSliceMirroringOptions {
  std::int32_t concurrent_syncs = 5;
  std::int32_t max_endpoints_per_subset = 1000;
  std::chrono::nanoseconds updates_batch_period = {};

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "mirroring-concurrent-service-endpoint-syncs", concurrent_syncs,
        "How many Endpoints are mirrored to slices at the same time, 1 to 50. More is faster "
        "and costs more CPU and network.");
    section.Add("mirroring-max-endpoints-per-subset", max_endpoints_per_subset,
                "How many endpoints of a subset are mirrored at most, 1 to 1000.");
    section.Add("mirroring-endpointslice-updates-batch-period", updates_batch_period,
                "How long changes of Endpoints are collected before their slices are written. "
                "Longer means fewer writes, and traffic that follows later.");
  }

  void Check(Problems& problems) const {
    problems.AddUnlessWithin("mirroring-concurrent-service-endpoint-syncs", concurrent_syncs, 1,
                             50);
    problems.AddUnlessWithin("mirroring-max-endpoints-per-subset", max_endpoints_per_subset, 1,
                             1000);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("MirroringConcurrentServiceEndpointSyncs", concurrent_syncs);
    config.Add("MirroringMaxEndpointsPerSubset", max_endpoints_per_subset);
    config.Add("MirroringEndpointUpdatesBatchPeriod", updates_batch_period);
  }
};

}  // namespace flyball::manager
