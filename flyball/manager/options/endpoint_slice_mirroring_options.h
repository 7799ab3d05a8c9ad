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
    section.Add("mirroring-concurrent-service-endpoint-syncs", concurrent_syncs,
                "Number of Endpoints objects that the endpoint slice mirroring controller may sync "
                "at the same time, from 1 to 50.");
    section.Add("mirroring-max-endpoints-per-subset", max_endpoints_per_subset,
                "Limit of the endpoints that are mirrored from one subset of an Endpoints object, "
                "from 1 to 1000; the rest is left out.");
    section.Add("mirroring-endpointslice-updates-batch-period", updates_batch_period,
                "Time for which the endpoint slice mirroring controller collects changes of an "
                "Endpoints object before it updates the mirrored EndpointSlices. A longer time "
                "means fewer updates, and traffic that follows a change later; 0 updates at once.");
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
