#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct GarbageCollectorOptions {
  bool enabled = true;
  std::int32_t concurrent_syncs = 20;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-gc-syncs", concurrent_syncs,
                "How many objects the garbage collector works on at the same time.");
    section.Add("enable-garbage-collector", enabled,
                "Delete what has lost its owners. The API server's flag of this name must be the "
                "same.");
  }

  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager
