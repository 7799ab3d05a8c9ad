#pragma once

#include <chrono>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

/// What this manager has in common with a cloud's.
struct CloudOptions {
  std::string provider = {};
  std::string config_file = {};
  std::string external_volume_plugin = {};
  bool use_service_account_credentials = false;
  bool allow_untagged_cloud = false;
  std::chrono::nanoseconds route_reconciliation_period = std::chrono::seconds(10);
  std::string cluster_name = "kubernetes";
  std::string cluster_cidr = {};  ///< one, or two with a comma between them
  bool allocate_node_cidrs = false;
  std::string cidr_allocator_type = "RangeAllocator";
  bool configure_cloud_routes = true;
  std::chrono::nanoseconds node_sync_period = {};

  void AddFlags(flags::FlagSection& section);
  void Check(Problems& problems) const;
  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager
