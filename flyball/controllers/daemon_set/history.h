#pragma once

#include <span>
#include <string>
#include <vector>

#include "flyball/controllers/daemon_set/history_plan.h"
#include "flyball/runtime/context.h"

/// Carries out what PlanHistory() says.
namespace flyball::controllers::daemon_set {

struct History {
  std::string hash;  ///< of the set's template
  /// Pods were told to be of it that the caches show to be of another.
  bool relabelled = false;
  std::vector<RevisionRef> old;
};

/// Sees to it that the set's template has one revision, the newest of all. `revisions` and `pods`
/// are those that the set controls. An error where it has none in the end; one of a name that
/// another has is followed by a count of collisions in the set's status, with which the next try
/// finds another name.
Result<History> KeepHistory(runtime::Context& context, const apps::v1::DaemonSet& set,
                            std::vector<RevisionRef> revisions, std::span<const PodRef> pods);

}  // namespace flyball::controllers::daemon_set
