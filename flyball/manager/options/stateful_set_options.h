#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct StatefulSetOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "concurrent-statefulset-syncs", concurrent_syncs,
        "Number of StatefulSets that the statefulset controller may sync at the same time.");
  }

  void Check(Problems& problems) const {
    problems.AddUnlessPositive("concurrent-statefulset-syncs", concurrent_syncs);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentStatefulSetSyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
