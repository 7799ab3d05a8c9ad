#pragma once

#include <string>

#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/manifest.h"

namespace flyball::ctl {

struct ApplyOptions {
  Files files = {};
  std::string output = {};
  std::string selector = {};
  std::string dry_run = "none";
  std::string validate = "strict";
  std::string field_manager = {};  ///< empty: kubectl's
  bool overwrite = true;
  bool server_side = false;
  bool force_conflicts = false;
};

/// Makes objects be as files say: creates those that are not there, and patches the others.
Errors Apply(Cluster& cluster, const ApplyOptions& options);

}  // namespace flyball::ctl
