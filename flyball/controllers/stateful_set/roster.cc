#include "flyball/controllers/stateful_set/roster.h"

#include <functional>
#include <map>

#include "flyball/base/stable_sort.h"
#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::stateful_set {

using apps::v1::StatefulSet;

std::vector<PodRef> Roster::Pods() const {
  std::vector<PodRef> pods;
  for (const Slot& slot : replicas) {
    if (slot.pod) pods.push_back(slot.pod);
  }
  pods.insert(pods.end(), condemned.begin(), condemned.end());
  return pods;
}

Roster RosterOf(const StatefulSet& set, std::span<const PodRef> pods) {
  Roster roster{.range = RangeOf(set)};
  std::map<std::int64_t, PodRef> present;
  for (const PodRef& pod : pods) {
    const std::int64_t ordinal = OrdinalOf(*pod);
    if (ordinal < 0) continue;
    if (!roster.range.Contains(ordinal)) {
      roster.condemned.push_back(pod);
      continue;
    }
    const auto [at, first] = present.try_emplace(ordinal, pod);
    if (!first && pod->metadata.name == PodName(set, ordinal)) at->second = pod;
  }
  StableSort(roster.condemned, std::ranges::greater(),
             [](const PodRef& pod) { return OrdinalOf(*pod); });
  roster.missing = roster.range.count - static_cast<std::int64_t>(present.size());

  std::int64_t next = roster.range.start;
  std::size_t told = 0;
  const auto tell_missing_before = [&](std::int64_t ordinal) {
    for (; next < ordinal && told < kMostMissing; ++next, ++told) {
      roster.replicas.push_back({.ordinal = next});
    }
    next = ordinal + 1;
  };
  for (const auto& [ordinal, pod] : present) {
    tell_missing_before(ordinal);
    roster.replicas.push_back({.ordinal = ordinal, .pod = pod});
  }
  tell_missing_before(roster.range.start + roster.range.count);
  return roster;
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
