#pragma once

#include <memory>

#include "flyball/cache/informer_factory.h"
#include "flyball/runtime/controller_group.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/simulation/simulated_nodes.h"

namespace flyball::testkit {

/// What makes a server a cluster: the controllers that turn Deployments, StatefulSets, DaemonSets
/// and Jobs into pods, those that collect what is nobody's any more and empty namespaces, nodes
/// without machines, and a scheduler.
class Workloads {
 public:
  Workloads(sandbox::Sandbox& sandbox, int nodes);
  /// In a task.
  void Start();
  void Stop();

 private:
  runtime::Controller::Deps Harness();

  sandbox::Sandbox& sandbox_;
  cache::InformerFactory informers_;
  runtime::ControllerGroup group_;
  std::unique_ptr<simulation::SimulatedNodes> nodes_;
};

}  // namespace flyball::testkit
