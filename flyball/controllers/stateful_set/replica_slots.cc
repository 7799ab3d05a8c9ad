#include "flyball/controllers/stateful_set/replica_slots.h"

#include <functional>
#include <map>

#include "flyball/base/stable_sort.h"
#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::stateful_set {

using apps::v1::StatefulSet;

std::vector<PodRef> ReplicaSlots::Pods() const {
  std::vector<PodRef> pods;
  for (const Slot& slot : replicas) {
    if (slot.pod) pods.push_back(slot.pod);
  }
  pods.insert(pods.end(), condemned.begin(), condemned.end());
  return pods;
}

ReplicaSlots ReplicaSlotsOf(const StatefulSet& set, std::span<const PodRef> pods) {
  ReplicaSlots replica_slots{.range = RangeOf(set)};
  std::map<std::int64_t, PodRef> present;
  for (const PodRef& pod : pods) {
    const std::int64_t ordinal = OrdinalOf(*pod);
    if (ordinal < 0) continue;
    if (!replica_slots.range.Contains(ordinal)) {
      replica_slots.condemned.push_back(pod);
      continue;
    }
    const auto [at, first] = present.try_emplace(ordinal, pod);
    if (!first && pod->metadata.name == PodName(set, ordinal)) at->second = pod;
  }
  StableSort(replica_slots.condemned, std::ranges::greater(),
             [](const PodRef& pod) { return OrdinalOf(*pod); });
  replica_slots.missing = replica_slots.range.count - static_cast<std::int64_t>(present.size());

  std::int64_t next = replica_slots.range.start;
  std::size_t told = 0;
  const auto tell_missing_before = [&](std::int64_t ordinal) {
    for (; next < ordinal && told < kMostMissing; ++next, ++told) {
      replica_slots.replicas.push_back({.ordinal = next});
    }
    next = ordinal + 1;
  };
  for (const auto& [ordinal, pod] : present) {
    tell_missing_before(ordinal);
    replica_slots.replicas.push_back({.ordinal = ordinal, .pod = pod});
  }
  tell_missing_before(replica_slots.range.start + replica_slots.range.count);
  return replica_slots;
}

bool IsRunningAndReady(const views::Pod& pod) {
  return pod.status.phase == "Running" && common::IsReady(pod);
}

bool HasEnded(const views::Pod& pod) {
  return pod.status.phase == "Failed" || pod.status.phase == "Succeeded";
}

bool IsGoing(const views::Pod& pod) { return pod.metadata.deletionTimestamp.has_value(); }

bool IsUnavailable(const StatefulSet& set, const views::Pod& pod, WallTime now) {
  return IsGoing(pod) || !common::IsAvailable(pod, set.spec.minReadySeconds, now);
}

bool IsParallel(const StatefulSet& set) { return set.spec.podManagementPolicy == "Parallel"; }

}  // namespace flyball::controllers::stateful_set
