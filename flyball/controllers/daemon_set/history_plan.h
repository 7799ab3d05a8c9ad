#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/controllers/common/revision_history.h"
#include "flyball/controllers/daemon_set/daemon_pod.h"

/// Which of a set's revisions is that of its template.
namespace flyball::controllers::daemon_set {

using apps::v1::ControllerRevision;
using common::RevisionRef;

struct HistoryPlan {
  /// That of the template; null if there is none yet.
  RevisionRef current;
  /// The number that it ought to have at least: going back to an old template makes it the newest.
  std::int64_t number = 1;
  std::vector<RevisionRef> duplicates;  ///< others of the same template, which are to go
  std::vector<RevisionRef> old;
};

/// `data` is that of the set's template.
HistoryPlan PlanHistory(std::vector<RevisionRef> revisions, std::string_view data);

/// What a revision is called on the pods that are made of it; empty if it does not say.
std::string_view HashOf(const ControllerRevision& revision);

/// The first revision of a template, named for it and the set's count of collisions.
// PARITY: the name is not cut to what names may be long.
ControllerRevision RevisionOf(const apps::v1::DaemonSet& set, std::string data,
                              std::int64_t number);

/// Old revisions that are too many, and that no pod is of.
std::vector<RevisionRef> RevisionsToDrop(const apps::v1::DaemonSet& set,
                                         std::vector<RevisionRef> old,
                                         std::span<const PodRef> pods);

}  // namespace flyball::controllers::daemon_set
