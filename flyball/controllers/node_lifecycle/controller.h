#pragma once

#include <memory>

#include "flyball/controllers/node_lifecycle/monitor.h"
#include "flyball/runtime/controller.h"

/// Finds out which nodes are there and well, and says so: of a node of which nothing is heard, that
/// its state is unknown and its pods are not ready; by taints, that pods are to stay off a node,
/// and when those on it are to go.
///
///   health_plan.h  decides whether a node is there
///   taint_plan.h   decides which taints and labels a node has
///   zone_plan.h    decides how fast pods are driven out of the nodes of a zone
///   pod_plan.h     decides what a pod of a lost node says
///   monitor.h      looks at all nodes every few seconds
///   evictions.h    whose turn it is to have its pods driven out
///   reconciler.h   looks at a node, at a zone, at a pod
///
/// Who deletes the pods is the taint eviction controller.
namespace flyball::controllers::node_lifecycle {

struct Options {
  Monitor::Options monitor = {};
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::node_lifecycle
