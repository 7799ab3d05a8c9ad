#include "flyball/controllers/stateful_set/update_plan.h"

#include <algorithm>
#include <ranges>

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;

/// Ordinals below the partition are not updated. It counts from the first.
std::int64_t PartitionOf(const StatefulSet& set) {
  const auto& rolling = set.spec.updateStrategy.rollingUpdate;
  return RangeOf(set).start + (rolling ? rolling->partition.value_or(0) : 0);
}

bool IsOutdated(const views::Pod& pod, std::string_view latest) {
  return RevisionOf(pod) != latest;
}

/// The pods that are to be of the latest revision, from the highest ordinal down.
std::vector<PodRef> Targets(const StatefulSet& set, const ReplicaSlots& replica_slots) {
  const std::int64_t partition = PartitionOf(set);
  std::vector<PodRef> targets;
  for (const Slot& slot : replica_slots.replicas | std::views::reverse) {
    if (slot.pod && slot.ordinal >= partition) targets.push_back(slot.pod);
  }
  return targets;
}

}  // namespace

bool StaysAtCurrent(const StatefulSet& set, std::int64_t ordinal) {
  if (set.spec.updateStrategy.rollingUpdate) return ordinal < PartitionOf(set);
  // PARITY: a set that names its strategy and says no more is given no partition, so that it has
  // the pods made of the current revision that were of it last.
  return set.spec.updateStrategy.type == kRollingUpdate &&
         ordinal < RangeOf(set).start + set.status.currentReplicas;
}

Result<std::int64_t> MaxUnavailable(const StatefulSet& set) {
  const auto& rolling = set.spec.updateStrategy.rollingUpdate;
  if (!rolling || !rolling->maxUnavailable) return 1;
  FLYBALL_TRY(const std::int64_t most,
              rolling->maxUnavailable->ScaledValue(RangeOf(set).count, /*round_up=*/false));
  return std::max(most, std::int64_t{1});
}

Result<UpdatePlan> PlanUpdate(const StatefulSet& set, const ReplicaSlots& replica_slots,
                              std::string_view latest, WallTime now) {
  FLYBALL_TRY(const std::int64_t most, MaxUnavailable(set));
  UpdatePlan plan{.unavailable = replica_slots.missing};
  for (const Slot& slot : replica_slots.replicas) {
    if (slot.pod && IsUnavailable(set, *slot.pod, now)) ++plan.unavailable;
  }
  std::int64_t room = most - plan.unavailable;
  const std::vector<PodRef> targets = Targets(set, replica_slots);
  if (IsParallel(set)) {
    // Those that serve nobody cost nothing, so they go first, however many. If the available ones
    // went first, those at the bottom would be unavailable on top of what was allowed.
    for (const PodRef& pod : targets) {
      if (IsOutdated(*pod, latest) && !IsGoing(*pod) && IsUnavailable(set, *pod, now)) {
        plan.outdated.push_back(pod);
      }
    }
  }
  for (const PodRef& pod : targets) {
    if (room <= 0) break;
    if (!IsOutdated(*pod, latest) || IsGoing(*pod)) continue;
    if (IsParallel(set) && IsUnavailable(set, *pod, now)) continue;  // has gone already
    plan.outdated.push_back(pod);
    --room;
  }
  return plan;
}

UpdatePlan PlanUpdateOneByOne(const StatefulSet& set, const ReplicaSlots& replica_slots,
                              std::string_view latest, WallTime now) {
  std::int64_t expected = replica_slots.range.start + replica_slots.range.count - 1;
  for (const PodRef& pod : Targets(set, replica_slots)) {
    if (OrdinalOf(*pod) != expected) return {};  // the one above it has just been made
    if (IsOutdated(*pod, latest) && !IsGoing(*pod)) return {.outdated = {pod}};
    if (IsUnavailable(set, *pod, now)) return {};
    --expected;
  }
  return {};
}

}  // namespace flyball::controllers::stateful_set
