#include "flyball/controllers/deployment/progress.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "flyball/base/saturating.h"
#include "flyball/base/wrapping.h"
#include "flyball/controllers/deployment/conditions.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::DeploymentCondition;
using apps::v1::DeploymentStatus;
using apps::v1::ReplicaSetCondition;

api::Time Deadline(const Deployment& deployment, const DeploymentCondition& progressing) {
  return progressing.lastUpdateTime +
         std::chrono::seconds(deployment.spec.progressDeadlineSeconds.value_or(0));
}

bool IsProgress(const DeploymentStatus& before, const DeploymentStatus& status) {
  return status.updatedReplicas > before.updatedReplicas ||
         WrappingSubtract(status.replicas, status.updatedReplicas) <
             WrappingSubtract(before.replicas, before.updatedReplicas) ||
         status.readyReplicas > before.readyReplicas ||
         status.availableReplicas > before.availableReplicas;
}

bool IsTimedOut(const Deployment& deployment, const DeploymentStatus& status, WallTime now) {
  const auto* const condition = FindCondition(status, kProgressing);
  // What was reached before is no measure for a rollout whose begin has not been noted yet.
  if (condition == nullptr || condition->reason == kSetAvailable) return false;
  return condition->reason == kTimedOut || Deadline(deployment, *condition) < api::Time(now);
}

/// "ReplicaSet "web-1" is progressing."
std::string About(const Rollout& rollout, std::string_view what) {
  const std::string who = rollout.current
                              ? "ReplicaSet \"" + rollout.current->metadata.name + "\""
                              : "Deployment \"" + rollout.deployment.metadata.name + "\"";
  return who + " " + std::string(what);
}

void NoteProgressing(const Rollout& rollout, const DeploymentStatus& before,
                     DeploymentStatus& status, WallTime now) {
  const Deployment& deployment = rollout.deployment;
  const auto note = [&](std::string_view holds, std::string_view reason, std::string_view what) {
    return MakeCondition(kProgressing, holds, reason, About(rollout, what), now);
  };
  if (IsComplete(deployment, status)) {
    SetCondition(status, note("True", kSetAvailable, "has successfully progressed."));
  } else if (IsProgress(before, status)) {
    // Each step counts, also where the last one did: it moves the time of the last update.
    DeploymentCondition condition = note("True", kSetUpdated, "is progressing.");
    if (const auto* const last = FindCondition(before, kProgressing)) {
      if (last->status == "True") condition.lastTransitionTime = last->lastTransitionTime;
      RemoveCondition(status, kProgressing);
    }
    SetCondition(status, std::move(condition));
  } else if (IsTimedOut(deployment, status, now)) {
    SetCondition(status, note("False", kTimedOut, "has timed out progressing."));
  }
}

/// What keeps a set from having its pods, the current one first; null if nothing does.
const ReplicaSetCondition* FindFailure(const Rollout& rollout) {
  std::vector<SetRef> sets = rollout.All();
  if (rollout.current) std::ranges::rotate(sets, sets.end() - 1);
  for (const SetRef& set : sets) {
    const auto& conditions = set->status.conditions;
    const auto failure = std::ranges::find(conditions, kReplicaFailure, &ReplicaSetCondition::type);
    if (failure != conditions.end()) return &*failure;
  }
  return nullptr;
}

}  // namespace

bool HasProgressDeadline(const Deployment& deployment) {
  constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();
  return deployment.spec.progressDeadlineSeconds.value_or(kNever) != kNever;
}

void NotePause(const Deployment& deployment, DeploymentStatus& status, WallTime now) {
  if (!HasProgressDeadline(deployment)) return;
  const auto* const condition = FindCondition(status, kProgressing);
  // That it took too long is not to be forgotten.
  if (condition != nullptr && condition->reason == kTimedOut) return;
  const bool noted = condition != nullptr && condition->reason == kPaused;
  if (deployment.spec.paused == noted) return;
  SetCondition(
      status, deployment.spec.paused
                  ? MakeCondition(kProgressing, "Unknown", kPaused, "Deployment is paused", now)
                  : MakeCondition(kProgressing, "Unknown", kResumed, "Deployment is resumed", now));
}

void NoteProgress(const Rollout& rollout, const DeploymentStatus& before, DeploymentStatus& status,
                  WallTime now) {
  if (!HasProgressDeadline(rollout.deployment)) {
    RemoveCondition(status, kProgressing);
  } else {
    const auto* const last = FindCondition(before, kProgressing);
    // Pods that come and go after a rollout is over are not its progress.
    const bool over = status.replicas == status.updatedReplicas && last != nullptr &&
                      last->reason == kSetAvailable;
    if (!over) NoteProgressing(rollout, before, status, now);
  }

  const auto* const failure = FindFailure(rollout);
  if (failure == nullptr) return RemoveCondition(status, kReplicaFailure);
  DeploymentCondition condition;
  condition.type = failure->type;
  condition.status = failure->status;
  condition.reason = failure->reason;
  condition.message = failure->message;
  condition.lastTransitionTime = condition.lastUpdateTime = failure->lastTransitionTime;
  SetCondition(status, std::move(condition));
}

std::optional<std::chrono::nanoseconds> NextProgressCheck(const Deployment& deployment,
                                                          const DeploymentStatus& status,
                                                          WallTime now) {
  const auto* const condition = FindCondition(status, kProgressing);
  if (!HasProgressDeadline(deployment) || condition == nullptr) return std::nullopt;
  // DIVERGES: a deployment that was complete, and has lost a pod since, upstream looks at ten times
  // a second, for as long as that lasts. Nothing can come of it.
  if (condition->reason == kTimedOut || condition->reason == kSetAvailable) return std::nullopt;
  if (IsComplete(deployment, status)) return std::nullopt;
  // A second more, since times are kept in whole seconds.
  return SaturatingAdd(
      std::max(Deadline(deployment, *condition) - api::Time(now), std::chrono::nanoseconds(0)),
      std::chrono::seconds(1));
}

}  // namespace flyball::controllers::deployment
