#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "flyball/api/object_key.h"
#include "flyball/base/logging.h"
#include "flyball/client/access_config.h"
#include "flyball/operator/health_server.h"
#include "flyball/operator/manager.h"
#include "flyball/runtime/lease_record.h"

namespace flyball {

/// Of several processes with the same lease one works, and the others wait.
struct LeaderElection {
  api::ObjectKey lease;
  runtime::LeaseTimes times = {};
};

/// Where and how an operator runs.
struct RunOptions {
  client::AccessConfig access;                       ///< where the API server is, and who we are
  std::optional<LeaderElection> election = {};       ///< none: this is the only process
  std::optional<HealthServer::Options> health = {};  ///< none: nothing is served
  /// How long reconciles may take to end when the process is to end.
  std::chrono::nanoseconds shutdown_timeout = std::chrono::seconds(10);
};

/// Runs a manager on a cluster until SIGTERM or SIGINT. Then reconciles that are under way end, and
/// the lease is released. An error where it could not begin, and where it had to be given up: then
/// threads may be at anything, and the process has to end without waiting for them, by _exit(). To
/// be called before there are other threads.
Result<> Run(Manager& manager, const RunOptions& options, const Logger& log);

}  // namespace flyball
