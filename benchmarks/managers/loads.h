#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/managers/stage.h"
#include "tests/cluster/deployment_fleet.h"

/// The kinds of work that managers are compared by. Each is a file `<topic>_load.cc` and a row of
/// Loads().
namespace flyball::bench {

/// So many of something, and so many of something else for each: "100x20".
struct Size {
  int count = 0;
  int each = 0;

  static std::optional<Size> Parse(const std::string& text);
  int all() const { return count * each; }
};

/// What ours may be of theirs at most; zero: no more than told.
struct Goals {
  double wall = 1;
  double cpu = 0.25;
  double resident = 0.125;
  double peak = 0;
  double requests = 1;
  double streams = 1;
  double received = 0.5;
};

/// Nodes for a load.
struct Nodes {
  int count = 0;
  /// See SimulatedCluster.
  std::chrono::nanoseconds heartbeat = std::chrono::seconds(20);
};

struct Load {
  std::string_view name;  ///< as people ask for it
  Size size;              ///< unless they ask for another
  /// For people, with its two numbers: "%d deployments x %d pods".
  const char* what;
  /// The controllers without which it would wait in vain.
  std::vector<std::string_view> controllers;
  Nodes (*nodes)(const Size& size, const Stage::Touches& touches);
  /// Has the caches read what it needs to see.
  void (*watch)(cache::InformerFactory& informers);
  /// Gives the manager the work, and notes what it takes.
  Result<> (*run)(Stage& stage, const Size& size);
  Goals (*goals)(std::string_view phase, const Size& size);
  /// Simulated, with volumes that have to be attached.
  bool storage = false;
};

const std::vector<Load>& Loads();
/// Null: there is none of that name.
const Load* FindLoad(std::string_view name);

/// Nodes on which so many pods fit twice, since those that go are there a while.
Nodes NodesForPods(int pods);

/// Deployments for one who needs some.
cluster::DeploymentFleet FleetIn(const Stage& stage, std::string space, int deployments, int pods);

Result<> RunDeployments(Stage& stage, const Size& size);
Result<> RunDaemonSets(Stage& stage, const Size& size);
Result<> RunStatefulSets(Stage& stage, const Size& size);
Result<> RunJobs(Stage& stage, const Size& size);
Result<> RunServices(Stage& stage, const Size& size);
Result<> RunNodes(Stage& stage, const Size& size);
Result<> RunClaims(Stage& stage, const Size& size);
Result<> RunAttachments(Stage& stage, const Size& size);

}  // namespace flyball::bench
