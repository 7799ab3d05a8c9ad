#include "flyball/controllers/stateful_set/stateful_set_status.h"

#include <algorithm>
#include <utility>

#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/stateful_set/update_plan.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using apps::v1::StatefulSetCondition;
using apps::v1::StatefulSetStatus;

constexpr std::string_view kProgressing = "Progressing";

void Count(const StatefulSet& set, const Facts& facts, StatefulSetStatus& status) {
  status.replicas = status.readyReplicas = status.availableReplicas = 0;
  status.currentReplicas = status.updatedReplicas = 0;
  for (const PodRef& pod : facts.pods) {
    const bool created = !pod->status.phase.empty();
    if (created) ++status.replicas;
    if (IsRunningAndReady(*pod)) {
      ++status.readyReplicas;
      if (common::IsAvailable(*pod, set.spec.minReadySeconds, facts.now)) {
        ++status.availableReplicas;
      }
    }
    if (!created || IsGoing(*pod)) continue;
    if (RevisionOf(*pod) == facts.current) ++status.currentReplicas;
    if (RevisionOf(*pod) == facts.update) ++status.updatedReplicas;
  }
  // PARITY: taken off whether or not the pod was of the current revision, until the next look.
  // DIVERGES: upstream gets below zero where it was not, and its status is refused for that.
  status.currentReplicas = std::max(status.currentReplicas - facts.outdated_removed, 0);
}

void SetProgress(StatefulSetStatus& status, const Progress& progress, WallTime now) {
  StatefulSetCondition condition;
  condition.type = kProgressing;
  condition.status = progress.going_on ? "True" : "False";
  condition.reason = progress.going_on ? "RecreateInProgress" : "RecreateCompleted";
  condition.message = progress.message;
  condition.lastTransitionTime = api::Time(now);
  const auto found =
      std::ranges::find(status.conditions, kProgressing,
                        [](const auto& its) -> std::string_view { return its.type; });
  if (found == status.conditions.end()) {
    status.conditions.push_back(std::move(condition));
    return;
  }
  if (found->status == condition.status) condition.lastTransitionTime = found->lastTransitionTime;
  *found = std::move(condition);
}

bool HasProgress(const StatefulSetStatus& status) {
  return std::ranges::any_of(status.conditions,
                             [](const auto& its) { return its.type == kProgressing; });
}

}  // namespace

StatefulSetStatus StatusFor(const StatefulSet& set, const Facts& facts) {
  StatefulSetStatus status = set.status;
  status.observedGeneration = set.metadata.generation;
  status.currentRevision = facts.current;
  status.updateRevision = facts.update;
  status.collisionCount = facts.collisions;
  Count(set, facts, status);
  if (facts.progress) SetProgress(status, *facts.progress, facts.now);

  const std::int64_t wanted = RangeOf(set).count;
  if (status.updatedReplicas == wanted && status.readyReplicas == wanted &&
      status.replicas == wanted) {
    status.currentReplicas = status.updatedReplicas;
    status.currentRevision = status.updateRevision;
    if (set.spec.updateStrategy.type == kRecreate && HasProgress(status)) {
      SetProgress(status, {.going_on = false, .message = "All pods recreated successfully"},
                  facts.now);
    }
  }
  return status;
}

bool NeedsWriting(const StatefulSet& set, const StatefulSetStatus& status) {
  StatefulSetStatus same = status;
  same.collisionCount = set.status.collisionCount;
  same.observedGeneration = set.status.observedGeneration;
  return status.observedGeneration > set.status.observedGeneration || same != set.status;
}

}  // namespace flyball::controllers::stateful_set
