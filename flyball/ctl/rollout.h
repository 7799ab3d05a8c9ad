#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "flyball/ctl/cluster.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/selection.h"

/// `rollout status|history|undo|restart|pause|resume`.
namespace flyball::ctl {

struct RolloutOptions {
  Selection selection = {};
  std::int64_t revision = 0;              ///< of history, status and undo; zero: the last
  bool watch = true;                      ///< of status
  std::chrono::nanoseconds timeout = {};  ///< of status; zero: none
  std::string dry_run = "none";           ///< of undo
};

/// Shows how far rollouts are, until they are done.
Errors RolloutStatus(Cluster& cluster, const RolloutOptions& options);
Errors RolloutHistory(Cluster& cluster, const RolloutOptions& options);
Errors RolloutUndo(Cluster& cluster, const RolloutOptions& options);
Errors RolloutRestart(Cluster& cluster, const RolloutOptions& options);
Errors RolloutPause(Cluster& cluster, const RolloutOptions& options);
Errors RolloutResume(Cluster& cluster, const RolloutOptions& options);

}  // namespace flyball::ctl
