#pragma once

#include <cstdint>
#include <string>

#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/selection.h"

namespace flyball::ctl {

struct ScaleOptions {
  Selection selection = {};
  std::int64_t replicas = -1;
  std::int64_t current_replicas = -1;  ///< how many there must be; negative: never mind
  std::string resource_version = {};   ///< which version it must be; empty: never mind
  std::string output = {};             ///< "name", or nothing
  std::string dry_run = "none";
  bool all = false;
};

/// Sets how many replicas objects are to have.
Errors Scale(Cluster& cluster, const ScaleOptions& options);

}  // namespace flyball::ctl
