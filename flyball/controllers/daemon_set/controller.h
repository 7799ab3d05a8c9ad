#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps a pod of a template on every node that a DaemonSet asks for. Reads DaemonSets, their
/// revisions, pods and nodes; writes pods, revisions and the sets' status.
///
///   node_fitness.h  which nodes those are
///   daemon_pod.h    what the pods are made of
///   plan.h          which pods to make and to remove
///   rolling_plan.h  how old pods make way for new ones
///   history_plan.h  which revision is that of the template
///   daemon_status.h what the status is to say, and when to look again
namespace flyball::controllers::daemon_set {

struct Options {
  std::size_t workers = 2;  ///< --concurrent-daemonset-syncs
  /// The feature gate TaintTolerationComparisonOperators.
  bool compare_tolerations = false;
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::daemon_set
