#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/base/metrics.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/controllers/registry.h"
#include "flyball/runtime/controller.h"
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
    std::shared_ptr<const transport::SendGate> gate = {};
    std::string user_agent = "small-manager";
    controllers::Settings settings = {};
    Logger log = {};
  };
  explicit SmallManager(Deps deps);
  /// Stops.
  ~SmallManager();

  /// Returns when the caches are filled and all controllers run.
  Result<> Start(const std::stop_token& stop = {});
  /// False if some reconcile has not ended by the deadline.
  [[nodiscard]] bool Stop(SteadyTime deadline);

  std::string metrics() const { return metrics_.Text(); }

 private:
  class Account;
  Result<std::string> TokenOf(std::string_view service_account) const;

  const Deps deps_;
  MetricRegistry metrics_;
  Timers timers_{deps_.executor};
  const std::unique_ptr<Account> own_;
  cache::InformerFactory informers_;
  std::vector<std::unique_ptr<Account>> accounts_;
  std::vector<std::unique_ptr<runtime::Controller>> controllers_;
};

}  // namespace flyball::cluster
