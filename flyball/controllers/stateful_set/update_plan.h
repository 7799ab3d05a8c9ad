#pragma once

#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/controllers/stateful_set/replica_slots.h"

/// Which pods make way for others of the latest revision.
namespace flyball::controllers::stateful_set {

inline constexpr std::string_view kRollingUpdate = "RollingUpdate";
inline constexpr std::string_view kOnDelete = "OnDelete";
inline constexpr std::string_view kRecreate = "Recreate";

/// Whether a pod that is made now is made of the current revision, not of the latest: those below
/// the partition are.
bool StaysAtCurrent(const apps::v1::StatefulSet& set, std::int64_t ordinal);

/// How many pods may be unavailable while a set is updated: at least one. An error for what is
/// neither a number nor a percentage.
Result<std::int64_t> MaxUnavailable(const apps::v1::StatefulSet& set);

struct UpdatePlan {
  std::vector<PodRef> outdated = {};  ///< to be deleted, in this order
  std::int64_t unavailable = 0;       ///< of those that the set asks for
};

/// For a set that rolls and has no pods to add or remove before that.
Result<UpdatePlan> PlanUpdate(const apps::v1::StatefulSet& set, const ReplicaSlots& replica_slots,
                              std::string_view latest, WallTime now);
/// The same without the feature gate MaxUnavailableStatefulSet: one pod at a time.
UpdatePlan PlanUpdateOneByOne(const apps::v1::StatefulSet& set, const ReplicaSlots& replica_slots,
                              std::string_view latest, WallTime now);

}  // namespace flyball::controllers::stateful_set
