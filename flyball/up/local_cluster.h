#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/metrics.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/controllers/registry.h"
#include "flyball/endpoints/controllers_handler.h"
#include "flyball/manager/controller_host.h"
#include "flyball/runtime/event_sink.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/simulation/simulated_nodes.h"
#include "flyball/simulation/storage/simulated_storage.h"

namespace flyball::up {

/// A cluster in one process: the embedded API server on a socket, simulated nodes, a scheduler,
/// simulated storage with a default class, and the controllers of kube-controller-manager. They
/// talk to the server as their own accounts, but without a socket between.
///
/// Made and destroyed by one thread; the rest by any.
class LocalCluster {
 public:
  struct Deps {
    Executor& executor;
    Timers& timers;
    transport::Network& network;
    Logger log = {};
  };
  /// How soon a node that falls silent is given up. As upstream has it, if nothing is said.
  struct NodePulse {
    std::chrono::nanoseconds lease = simulation::Heartbeats().lease;
    controllers::node_lifecycle::Options lifecycle = {};
  };
  struct Options {
    std::filesystem::path data_dir = {};  ///< empty: in memory
    std::uint16_t port = 0;               ///< zero: any that is free
    int nodes = 3;
    simulation::Timings timings = {};
    simulation::StorageTimings storage = {};
    NodePulse pulse = {};
    std::vector<const controllers::Entry*> controllers = {};  ///< none: the API server alone
    /// What the manager's requests go through on their way to the server, for tests of what may go
    /// wrong there. It must outlive the cluster.
    std::function<transport::Transport&(transport::Transport& server)> on_the_way = {};
  };

  /// Returns when it can be used; controllers may still be on their way up.
  static Result<std::unique_ptr<LocalCluster>> Start(Deps deps, Options options,
                                                     const std::stop_token& stop);
  /// Stops.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  /// How others get in.
  const sandbox::Access& access() const { return access_; }
  /// As the administrator, without a socket.
  const client::Client& client() const { return sandbox_->client(); }
  /// Caches of the administrator's, for those who look on to fill. They must not outlive this.
  std::unique_ptr<cache::InformerFactory> NewInformers() const;
  /// Whether a controller is among those that run.
  bool Has(std::string_view controller) const;
  /// What the controllers are at.
  std::vector<endpoints::ControllerReport> Controllers() const;
  /// What they did last. Others see it at /debug/trace of the server's address.
  std::vector<runtime::ControllerTrace> Trace(const runtime::TraceQuery& query) const;

 private:
  LocalCluster(Deps deps, Options options);
  Result<> StartServer();
  Result<> StartControllers(const std::stop_token& stop);
  Result<> StartNodes(const std::stop_token& stop);
  Result<> MakeNodes();
  Result<std::unique_ptr<runtime::ClientIdentity>> OpenIdentity(const std::string& user);
  controllers::Settings Settings() const;
  std::optional<sandbox::Answer> AnswerPath(const sandbox::Request& request) const;

  const Deps deps_;
  const Options options_;
  MetricRegistry metrics_;
  // In the order in which they are made; they end in the other.
  std::unique_ptr<sandbox::Sandbox> sandbox_;
  sandbox::Access access_;
  std::vector<std::unique_ptr<sandbox::Session>> sessions_;
  std::unique_ptr<runtime::ClientIdentity> own_;
  std::unique_ptr<manager::ControllerHost> host_;
  std::atomic<const manager::ControllerHost*> running_ =
      nullptr;                                  // for requests that ask what it does
  std::unique_ptr<runtime::EventSink> events_;  // of what is simulated
  std::unique_ptr<cache::InformerFactory> informers_;
  std::unique_ptr<simulation::SimulatedStorage> storage_;
  std::unique_ptr<simulation::SimulatedNodes> nodes_;
  std::unique_ptr<runtime::Controller> scheduler_;
};

}  // namespace flyball::up
