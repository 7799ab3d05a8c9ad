#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct DeploymentOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-deployment-syncs", concurrent_syncs,
                "Number of Deployments that the deployment controller may sync at the same time.");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentDeploymentSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
