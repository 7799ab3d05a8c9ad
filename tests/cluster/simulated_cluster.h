#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "flyball/base/executor.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/client.h"
#include "flyball/simulation/scheduler.h"
#include "flyball/simulation/simulated_nodes.h"
#include "flyball/simulation/storage/simulated_storage.h"
#include "tests/cluster/control_plane.h"

namespace flyball::cluster {

/// Simulated nodes and a scheduler beside a control plane, and storage where it is asked for, as
/// somebody who may do everything. They have no controllers: that is a manager's part.
///
/// What a test wants to watch through the same caches it asks of informers() before Start().
/// One thread.
class SimulatedCluster {
 public:
  struct Options {
    int nodes = 3;
    simulation::NodeShape shape = {};
    simulation::Timings timings = {};
    /// How often nodes renew their leases: as seldom as a manager takes without missing them, since
    /// hundreds of nodes would write little else.
    std::chrono::nanoseconds lease = std::chrono::seconds(20);
    /// Simulated storage, with a default class `standard`; a manager has to bind what it makes.
    /// Nothing: claims are not looked at.
    std::optional<simulation::StorageTimings> storage = std::nullopt;
    bool attach_volumes = false;  ///< nodes wait for a manager that attaches volumes
  };

  SimulatedCluster(const ControlPlane& plane, Executor& executor, transport::Network& network,
                   Options options);
  ~SimulatedCluster();
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  /// Returns when pods can be placed.
  Result<> Start();

  cache::InformerFactory& informers() { return informers_; }
  const client::Client& client() const { return client_; }

 private:
  bool NodesAreReady();

  Executor& executor_;
  const Options options_;
  transport::HttpTransport transport_;
  client::RestClient rest_;
  const client::Client client_{rest_};
  Timers timers_;
  cache::InformerFactory informers_;
  const runtime::Controller::Deps harness_;
  const std::unique_ptr<simulation::SimulatedStorage> storage_;  // null: there is none
  simulation::SimulatedNodes nodes_;
  const std::unique_ptr<runtime::Controller> scheduler_;
};

}  // namespace flyball::cluster
