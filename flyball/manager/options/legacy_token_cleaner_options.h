#pragma once

#include <chrono>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct LegacyTokenCleanerOptions {
  std::chrono::nanoseconds clean_up_period = std::chrono::hours(24 * 365);

  void AddFlags(flags::FlagSection& section) {
    section.Add("legacy-service-account-token-clean-up-period", clean_up_period,
                "How long a legacy service account token must not have been used for it to be "
                "deleted.");
  }

  void Describe(ConfigWriter& config) const { config.Add("CleanUpPeriod", clean_up_period); }
};

}  // namespace flyball::manager
