#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/options/client_options.h"
#include "flyball/manager/options/debugging_options.h"
#include "flyball/manager/options/leader_election_options.h"
#include "flyball/manager/options/leader_migration_options.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

/// What is not one controller's.
struct GenericOptions {
  DebuggingOptions debugging = {};
  LeaderMigrationOptions leader_migration = {};
  std::chrono::nanoseconds min_resync_period = std::chrono::hours(12);
  ClientOptions client = {};
  std::chrono::nanoseconds controller_start_interval = {};
  std::vector<std::string> controllers = {"*"};
  LeaderElectionOptions leader_election = {};
  std::chrono::nanoseconds controller_shutdown_timeout = std::chrono::seconds(10);

  void AddFlags(flags::FlagSet& flags);
  void Check(Problems& problems) const;
  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager
