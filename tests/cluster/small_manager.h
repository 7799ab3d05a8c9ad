#pragma once

#include <memory>
#include <string>

#include "flyball/base/executor.h"
#include "flyball/base/metrics.h"
#include "flyball/base/timers.h"
#include "flyball/client/access_config.h"
#include "flyball/controllers/registry.h"
#include "flyball/manager/controller_host.h"
#include "flyball/runtime/client_identity.h"
#include "flyball/transport/transport.h"

namespace flyball::cluster {

/// Runs all controllers of the registry as kube-controller-manager does: caches are read as the
/// manager; each controller writes, and records events, as its own service account, for which the
/// manager gets a token, or as the manager where upstream does. No flags, no endpoints, and who
/// leads is for others to say.
///
/// One thread.
class SmallManager {
 public:
  struct Deps {
    Executor& executor;
    transport::Transport& transport;  ///< without a client certificate, which would outdo tokens
    client::AccessConfig access;      ///< the manager's own
    /// Holds back what changes something.
    std::shared_ptr<const transport::WriteFence> fence = {};
    std::string user_agent = "small-manager";
    controllers::Settings settings = {};
    Logger log = {};
  };
  explicit SmallManager(Deps deps);

  /// Returns when the caches are being filled.
  Result<> Start(const std::stop_token& stop = {}) { return host_.Start(stop); }
  /// False if some reconcile has not ended by the deadline.
  [[nodiscard]] bool Stop(SteadyTime deadline) { return host_.Stop(deadline); }

  std::string metrics() const { return metrics_.Text(); }

 private:
  runtime::ClientIdentity::Deps IdentityDeps() const;
  Result<std::unique_ptr<runtime::ClientIdentity>> OpenIdentity(
      const controllers::Entry& entry) const;

  const Deps deps_;
  MetricRegistry metrics_;
  Timers timers_{deps_.executor};
  const std::unique_ptr<runtime::ClientIdentity> own_;
  manager::ControllerHost host_;
};

}  // namespace flyball::cluster
