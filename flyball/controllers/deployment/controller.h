#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Brings the pods of a deployment from one template to the next, by ReplicaSets: one for each
/// template, which it creates, resizes and in the end deletes. It touches no pod.
///
/// Reads Deployments, ReplicaSets and Pods (whether any are left, where a deployment waits for
/// that); writes ReplicaSets, Deployments and their status.
///
///   plan.h               decides, by what these come to:
///     rollout.h            which set is the current one, what sizes and limits there are
///     rolling_plan.h       the next step of a rolling update
///     scale_plan.h         how a change of size is shared out
///     rollback_plan.h      going back to an earlier revision
///     revisions.h          revisions, and the annotations of sets
///     new_replica_set.h    the set for a new template
///     deployment_status.h  what is counted
///     progress.h           whether it gets on
///   reconciler.h         does
///   controller.h         what it reads, and which changes concern whom
namespace flyball::controllers::deployment {

struct Options {
  std::size_t workers = 5;        ///< --concurrent-deployment-syncs
  bool count_terminating = true;  ///< the feature DeploymentReplicaSetTerminatingReplicas
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::deployment
