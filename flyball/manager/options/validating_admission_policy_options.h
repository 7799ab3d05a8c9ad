#pragma once

#include <cstdint>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct ValidatingAdmissionPolicyOptions {
  std::int32_t concurrent_syncs = 5;

  void AddFlags(flags::FlagSection& section) {
    section.Add("concurrent-validating-admission-policy-status-syncs", concurrent_syncs,
                "Number of ValidatingAdmissionPolicies whose expressions may be type-checked for "
                "their status at the same time.");
  }

  // PARITY: upstream has a rule for this one, and never asks for it: no value is refused.

  void Describe(ConfigWriter& config) const {
    config.Add("ConcurrentPolicySyncs", concurrent_syncs);
  }
};

}  // namespace flyball::manager
