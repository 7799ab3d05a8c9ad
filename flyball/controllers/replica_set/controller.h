#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps as many pods of a template in existence as a ReplicaSet, or a ReplicationController, asks
/// for. Reads those and pods; writes pods and the sets' status.
///
///   plan.h           how many pods to make or remove
///   deletion_plan.h  which ones to remove
///   set_status.h     what the status is to say, and when to look again
namespace flyball::controllers::replica_set {

struct Options {
  std::size_t workers = 5;  ///< --concurrent-replicaset-syncs, --concurrent-rc-syncs
  /// The feature gate DeploymentReplicaSetTerminatingReplicas. A ReplicationController never tells.
  bool tell_terminating = true;
  bool by_deletion_cost = true;  ///< the feature gate PodDeletionCost
};

std::unique_ptr<runtime::Controller> MakeReplicaSetController(const runtime::Controller::Deps& deps,
                                                              Options options);
std::unique_ptr<runtime::Controller> MakeReplicationControllerController(
    const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::replica_set
