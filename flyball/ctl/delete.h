#pragma once

#include <chrono>
#include <string>

#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/selection.h"

namespace flyball::ctl {

struct DeleteOptions {
  Selection selection = {};
  std::string output = {};  ///< "name", or nothing
  std::string cascade = "background";
  std::string dry_run = "none";
  std::int64_t grace_period = -1;  ///< negative: as the object says
  bool all = false;                ///< of a type that no name follows
  bool force = false;
  bool now = false;
  bool wait = true;
  bool ignore_not_found = false;
  std::chrono::nanoseconds timeout = {};  ///< of the wait; zero: as long as it takes
};

/// Deletes objects, and waits until they are gone.
Errors Delete(Cluster& cluster, DeleteOptions options);

}  // namespace flyball::ctl
