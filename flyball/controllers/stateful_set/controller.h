#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps the pods of StatefulSets, each with a name and claims of its own, in existence and up to
/// date. Reads sets, pods, claims and revisions; writes pods, claims, revisions and the sets'
/// status.
///
///   identity.h             who a pod is: its name, labels, volumes and claims
///   claim_plan.h           which claims are made, and who owns them
///   replica_slots.h        the pods in their places
///   order_plan.h           which pods are made, repaired and removed, and in which order
///   update_plan.h          which pods make way for those of the latest revision
///   revision_plan.h        which revision that is, and what is kept of the history
///   stateful_set_status.h  what the status is to say, and when to look again
///   plan.h                 all of it together
///   writer.h               does it, and tells people
namespace flyball::controllers::stateful_set {

struct Options {
  std::size_t workers = 5;          ///< --concurrent-statefulset-syncs
  bool max_unavailable = true;      ///< the feature gate MaxUnavailableStatefulSet
  bool recreate = false;            ///< StatefulSetRecreateStrategy
  bool compares_by_meaning = true;  ///< StatefulSetSemanticRevisionComparison
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::stateful_set
