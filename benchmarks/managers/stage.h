#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/managers/manager_meter.h"
#include "tests/cluster/simulated_cluster.h"

namespace flyball::bench {

/// What a manager took for each of the things that it was given to do, in order.
struct RunCosts {
  std::vector<std::pair<std::string, Cost>> phases;
  /// Of one touch, by the number of other deployments.
  std::vector<std::pair<int, Cost>> touches;
};

/// One manager, whichever it is, on a control plane of its own, and what a load needs to give it
/// work and to measure it. For the main thread only.
class Stage {
 public:
  struct Deps {
    cluster::RealControlPlane& plane;
    cluster::SimulatedCluster& simulated;
    Executor& executor;
    transport::Network& network;
  };
  /// Beside how many others one deployment is touched, from few to many, and how often.
  struct Touches {
    std::vector<int> others = {99, 999};
    int count = 200;
  };
  struct Options {
    std::filesystem::path program;
    std::string controllers;  ///< the flag
    std::filesystem::path log;
    Touches touches;
  };
  static constexpr auto kPatience = std::chrono::minutes(15);

  Stage(const Deps& deps, Options options);

  /// A server that was just started has room for few events, and ends the watches of those who do
  /// not hear of them at once: as it will, and not as one who is measured deserves.
  Result<> WarmUpServer();
  /// Starts it and waits until it has looked at a deployment that nobody has looked at.
  Result<> StartManager();
  Result<> StopManager();

  /// A namespace in which there can be pods.
  Result<std::string> NewSpace();
  Result<> DeleteSpace(const std::string& space);
  /// What every load ends with: a manager that starts where all is there, and the end of it all.
  Result<> MeasureRestartAndEnd(const std::string& space);

  void Begin() { meter_.Begin(); }
  /// What it took since then, or since the manager was started.
  void Note(std::string phase) { costs_.phases.emplace_back(std::move(phase), meter_.End()); }
  ManagerMeter& meter() { return meter_; }
  RunCosts& costs() { return costs_; }

  const Touches& touches() const { return options_.touches; }
  const client::Client& client() const { return deps_.simulated.client(); }
  cache::InformerFactory& informers() const { return deps_.simulated.informers(); }
  Clock& clock() const { return clock_; }
  /// Until it is so; an error that says what is not.
  Result<> Await(std::chrono::nanoseconds patience, const char* what,
                 const std::function<bool()>& so) const;

 private:
  Result<> AwaitSignOfLife();

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
