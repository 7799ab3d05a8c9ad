#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/names.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/metrics.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/discovery.h"
#include "flyball/controllers/registry.h"
#include "flyball/endpoints/controllers_handler.h"
#include "flyball/runtime/client_identity.h"
#include "flyball/runtime/controller_group.h"
#include "flyball/runtime/leader_elected_runner.h"

namespace flyball::manager {

/// Runs controllers together: caches that they share, and a client identity for each to write as.
///
///   build all -> start the caches -> each controller starts when what it reads is there
///
/// So one kind that cannot be read holds up those who need it, and nobody else.
///
/// For one leadership: started once, stopped once, by one thread.
class ControllerHost final : public runtime::Runnable {
 public:
  using OpenIdentity = std::function<Result<std::unique_ptr<runtime::ClientIdentity>>(
      const controllers::Entry& entry)>;

  struct Deps {
    Executor& executor;
    Timers& timers;
    runtime::ClientIdentity& own;  ///< fills the caches
    OpenIdentity open_identity;    ///< for a controller to write as
    api::RandomBits random;        ///< for any thread
    MetricRegistry& metrics;
    Logger log = {};
  };
  struct Options {
    std::vector<const controllers::Entry*> controllers;  ///< in the order in which they are built
    controllers::Settings settings = {};
    /// Before a controller starts: once to twice this.
    std::chrono::nanoseconds start_interval = {};
  };

  ControllerHost(Deps deps, Options options);
  /// Stops, however long that takes.
  ~ControllerHost() override;

  /// Returns when all is under way, not when all is there. Waits for the server, and says so.
  Result<> Start(const std::stop_token& stop) override;
  /// Asks all to end. False if some have not by the deadline; they are in the log.
  [[nodiscard]] bool Stop(SteadyTime deadline) override;

  /// Those that were built, each queue with at most so many keys; none before Start() has returned.
  /// Any thread.
  std::vector<endpoints::ControllerReport> Report(std::size_t most_keys) const;
  /// The same for what they did last. Any thread.
  std::vector<runtime::ControllerTrace> Trace(const runtime::TraceQuery& query) const;

  cache::InformerFactory& informers() { return informers_; }

 private:
  Result<client::Served> WaitForServer(const std::stop_token& stop);
  Result<> Build(const client::Served& served);

  const Deps deps_;
  const Options options_;
  const GaugeFamily running_;
  cache::InformerFactory informers_;
  runtime::ControllerGroup group_;
};

}  // namespace flyball::manager
