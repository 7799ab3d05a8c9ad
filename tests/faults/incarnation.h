#pragma once

#include <memory>

#include "flyball/api/names.h"
#include "flyball/base/executor.h"
#include "flyball/base/metrics.h"
#include "flyball/base/timers.h"
#include "flyball/controllers/registry.h"
#include "flyball/manager/controller_host.h"
#include "flyball/runtime/account.h"
#include "flyball/sandbox/faults.h"

namespace flyball::faults {

/// A manager from its start to its end: all controllers of the registry, on a line to the server
/// that is its own. One that is killed hears nothing more and is heard no more; what is left of it
/// then winds itself up, of which nobody takes notice.
///
/// For tasks of a DeterministicExecutor.
class Incarnation {
 public:
  struct Deps {
    Executor& executor;
    Timers& timers;
    transport::Transport& server;
    api::RandomBits random;
    const controllers::Settings& settings;
    Logger log = {};
  };
  explicit Incarnation(const Deps& deps);

  /// Returns when all controllers are at work.
  Result<> Start();
  /// Ends in order, or, if nothing gets through any more, in pieces.
  void Stop() { static_cast<void>(host_.Stop(SteadyTime::max())); }

  sandbox::Faults& line() { return line_; }

 private:
  Result<std::unique_ptr<runtime::Account>> OpenAccount();

  const Deps deps_;
  sandbox::Faults line_;
  MetricRegistry metrics_;
  const std::unique_ptr<runtime::Account> own_;
  manager::ControllerHost host_;
};

}  // namespace flyball::faults
