#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct GarbageCollectorOptions {
  bool enabled = true;
  std::int32_t concurrent_syncs = 20;

  void AddFlags(flags::FlagSection& section) {
    section.Add(
        "concurrent-gc-syncs", concurrent_syncs,
        "Number of objects that the garbage collector may delete or orphan at the same time.");
    section.Add("enable-garbage-collector", enabled,
                "Run the garbage collector, which deletes objects whose owners are gone. Must have "
                "the same value as the kube-apiserver flag of this name.");
  }

  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager
