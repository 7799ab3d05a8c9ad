#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct JobOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-job-syncs", concurrent_syncs,
                "Number of Jobs that the job controller may sync at the same time.");
  }

  void Check(Problems& problems) const {
    problems.AddUnlessPositive("concurrent-job-syncs", concurrent_syncs);
  }

  void Describe(ConfigWriter& config) const { config.Add("ConcurrentJobSyncs", concurrent_syncs); }
};

}  // namespace flyball::manager
