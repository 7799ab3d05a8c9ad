#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/managers/manager_meter.h"
#include "tests/cluster/deployment_fleet.h"
#include "tests/cluster/simulated_cluster.h"

namespace flyball::bench {

/// How much there is to do.
struct Workload {
  int deployments = 100;
  int pods = 20;  ///< of each
  /// Beside how many others one deployment is touched, from few to many, and how often.
  std::vector<int> others = {99, 999};
  int touches = 200;
};

/// What a manager took for each of the things that it was given to do, in order.
struct RunCosts {
  std::vector<std::pair<std::string, Cost>> phases;
  /// Of one touch, by the number of other deployments.
  std::vector<std::pair<int, Cost>> touches;
};

/// Gives one manager, whichever it is, the whole workload on a control plane of its own. For the
/// main thread only.
class ManagerRun {
 public:
  struct Deps {
    cluster::RealControlPlane& plane;
    cluster::SimulatedCluster& simulated;
    Executor& executor;
    transport::Network& network;
  };
  struct Options {
    std::filesystem::path program;
    std::string controllers;  ///< the flag
    std::filesystem::path log;
    Workload work;
  };

  ManagerRun(const Deps& deps, Options options);
  Result<RunCosts> Run();

 private:
  /// A server that was just started has room for few events, and ends the watches of those who do
  /// not hear of them at once: as it will, and not as one who is measured deserves.
  Result<> WarmUpServer();
  Result<> StartManager();
  Result<> StopManager();
  /// Until a deployment that nobody has looked at has been.
  Result<> AwaitSignOfLife();
  Result<std::string> NewSpace();
  Result<> DeleteSpace(const std::string& space);
  cluster::DeploymentFleet FleetIn(std::string space, int deployments, int pods) const;

  Result<> MeasureTouches();
  /// What it took since the meter began.
  void Note(const char* phase);

  const Deps deps_;
  const Options options_;
  Clock& clock_;
  /// On the way to the API server, and not as a proxy that the manager knows of: client-go shares
  /// no connections between clients that have one.
  scripted::Proxy proxy_;
  ManagerMeter meter_;
  std::optional<cluster::ManagerBinary> manager_;
  RunCosts costs_;
};

}  // namespace flyball::bench
