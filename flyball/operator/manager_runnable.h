#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/names.h"
#include "flyball/base/executor.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/operator/manager.h"
#include "flyball/runtime/client_identity.h"
#include "flyball/runtime/controller_group.h"
#include "flyball/runtime/leader_elected_runner.h"
#include "flyball/runtime/trace/trace_report.h"

namespace flyball {

/// A manager's controllers on an API server, while this process leads. Each starts when what it
/// reads is there: while a CRD is missing its controllers wait, and the others work.
class ManagerRunnable final : public runtime::Runnable {
 public:
  using OpenIdentity = std::function<Result<std::unique_ptr<runtime::ClientIdentity>>(
      const std::string& controller)>;

  struct Deps {
    Executor& executor;
    Timers& timers;
    client::Client reader;       ///< fills the caches
    OpenIdentity open_identity;  ///< for a controller to write as
    api::RandomBits random;      ///< for any thread
    Logger log = {};
  };

  /// The manager must outlive it.
  ManagerRunnable(Manager& manager, Deps deps);
  /// Stops, however long that takes.
  ~ManagerRunnable() override;

  Result<> Start(const std::stop_token& stop) override;
  [[nodiscard]] bool Stop(SteadyTime deadline) override { return group_.Stop(deadline); }

  /// kUnavailable, with what is missing and why, until all caches have been filled. Any thread.
  Result<> Ready() const;
  /// What the controllers are at; none before Start(). Any thread.
  std::vector<const runtime::Controller*> Controllers() const { return group_.Controllers(); }

 private:
  Manager& manager_;
  const Deps deps_;
  cache::InformerFactory informers_;
  runtime::ControllerGroup group_;
};

}  // namespace flyball
