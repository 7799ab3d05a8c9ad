#pragma once

#include <chrono>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct LegacyTokenCleanerOptions {
  std::chrono::nanoseconds clean_up_period = std::chrono::hours(24 * 365);

  void AddFlags(flags::FlagSection& section) {
    section.Add("legacy-service-account-token-clean-up-period", clean_up_period,
                "Time for which a legacy ServiceAccount token Secret must have been unused before "
                "it is deleted.");
  }

  void Describe(ConfigWriter& config) const { config.Add("CleanUpPeriod", clean_up_period); }
};

}  // namespace flyball::manager
