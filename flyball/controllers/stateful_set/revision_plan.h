#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flyball/controllers/common/revision_history.h"
#include "flyball/controllers/stateful_set/identity.h"

/// Which revision of its template a set is to have, and which of its history it keeps.
namespace flyball::controllers::stateful_set {

using common::RevisionRef;

/// How the set comes to the revision of its template.
struct RevisionPlan {
  enum class How : std::uint8_t {
    kKeep,      ///< the latest is the one
    kRenumber,  ///< an older one is, which becomes the latest: a roll-back
    kCreate,    ///< there is none yet
  };
  How how = How::kKeep;
  RevisionRef revision = nullptr;  ///< of those that there are; null if one is to be created
  std::int64_t number = 0;         ///< the number that it is to have
  std::string data = {};           ///< what a new one holds

  friend bool operator==(const RevisionPlan&, const RevisionPlan&) = default;
};

/// Decides on a history, the oldest revision first. `by_meaning`: the latest also is the one if its
/// data differs by nothing but defaults (the feature gate StatefulSetSemanticRevisionComparison).
/// Fails for a template that cannot be put into words.
Result<RevisionPlan> PlanRevision(const apps::v1::StatefulSet& set,
                                  std::span<const RevisionRef> history, bool by_meaning);

/// The revision that pods have which are not to be updated yet.
RevisionRef CurrentRevision(const apps::v1::StatefulSet& set, std::span<const RevisionRef> history,
                            const RevisionRef& update);

/// Those that are more than the history's limit, the oldest first. A revision that a pod has, or
/// that is one of `in_use`, is not of the history yet.
std::vector<RevisionRef> PlanTruncation(const apps::v1::StatefulSet& set,
                                        const std::vector<RevisionRef>& history,
                                        std::span<const PodRef> pods,
                                        std::span<const RevisionRef> in_use);

}  // namespace flyball::controllers::stateful_set
