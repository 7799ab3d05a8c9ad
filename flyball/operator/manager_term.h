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
#include "flyball/runtime/account.h"
#include "flyball/runtime/controller_group.h"
#include "flyball/runtime/tenure.h"
#include "flyball/runtime/trace/trace_report.h"

namespace flyball {

/// A manager's controllers at work on an API server, for as long as they may. Each starts when what
/// it reads is there: while a CRD is missing its controllers wait, and the others work.
class ManagerTerm final : public runtime::Term {
 public:
  using OpenAccount =
      std::function<Result<std::unique_ptr<runtime::Account>>(const std::string& controller)>;

  struct Deps {
    Executor& executor;
    Timers& timers;
    client::Client reader;     ///< fills the caches
    OpenAccount open_account;  ///< for a controller to write under
    api::RandomBits random;    ///< for any thread
    Logger log = {};
  };

  /// The manager must outlive it.
  ManagerTerm(Manager& manager, Deps deps);
  /// Stops, however long that takes.
  ~ManagerTerm() override;

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
