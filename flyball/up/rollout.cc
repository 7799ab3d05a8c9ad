#include "flyball/up/rollout.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/wrapping.h"

namespace flyball::up {
namespace {

using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::StatefulSet;

template <typename Condition>
const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

std::int64_t RevisionOf(const Deployment& deployment) {
  const auto* const text =
      deployment.metadata.annotations.find("deployment.kubernetes.io/revision");
  std::int64_t revision = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), revision);
  return revision;
}

std::string ImageOf(const auto& workload) {
  const auto& containers = workload.spec.template_.spec.containers;
  return containers.empty() ? std::string() : containers.front().image;
}

/// How many pods a StatefulSet replaces by itself when its template changes.
std::int32_t ToUpdate(const StatefulSet& set, std::int32_t desired) {
  const auto& strategy = set.spec.updateStrategy;
  if (strategy.type == "OnDelete") return 0;
  const std::int32_t partition =
      strategy.rollingUpdate ? strategy.rollingUpdate->partition.value_or(0) : 0;
  return std::max(0, desired - partition);
}

/// `to_update`: so many pods have to be as they are meant to be.
Rollout::State StateOf(const auto& workload, const Rollout& rollout, std::int32_t to_update) {
  if (!rollout.reason.empty()) return Rollout::State::kStuck;
  const bool done = workload.status.observedGeneration >= workload.metadata.generation &&
                    rollout.updated >= to_update && rollout.available >= rollout.desired;
  return done ? Rollout::State::kDone : Rollout::State::kUnderWay;
}

}  // namespace

Rollout RolloutOf(const Deployment& deployment) {
  const auto& status = deployment.status;
  Rollout rollout{.name = api::ObjectKey::Of(deployment).ToString(),
                  .kind = "deployment",
                  .image = ImageOf(deployment),
                  .revision = RevisionOf(deployment),
                  .desired = deployment.spec.replicas.value_or(1),
                  .updated = status.updatedReplicas,
                  .available = status.availableReplicas,
                  .old = std::max(0, WrappingSubtract(status.replicas, status.updatedReplicas))};
  const auto* const failure = FindCondition(status.conditions, "ReplicaFailure");
  const auto* const progress = FindCondition(status.conditions, "Progressing");
  if (failure != nullptr && failure->status == "True") {
    rollout.reason = failure->message;
  } else if (progress != nullptr && progress->reason == "ProgressDeadlineExceeded") {
    rollout.reason = progress->message;
  }
  rollout.state = StateOf(deployment, rollout, rollout.desired);
  if (rollout.state == Rollout::State::kDone && rollout.old > 0) {
    rollout.state = Rollout::State::kUnderWay;
  }
  if (deployment.spec.paused) rollout.state = Rollout::State::kPaused;
  return rollout;
}

Rollout RolloutOf(const StatefulSet& set) {
  Rollout rollout{
      .name = api::ObjectKey::Of(set).ToString(),
      .kind = "statefulset",
      .image = ImageOf(set),
      .desired = set.spec.replicas.value_or(1),
      .updated = set.status.updatedReplicas,
      .available = set.status.availableReplicas,
      .old = std::max(0, WrappingSubtract(set.status.replicas, set.status.updatedReplicas))};
  rollout.state = StateOf(set, rollout, ToUpdate(set, rollout.desired));
  return rollout;
}

Rollout RolloutOf(const DaemonSet& set) {
  const auto& status = set.status;
  Rollout rollout{.name = api::ObjectKey::Of(set).ToString(),
                  .kind = "daemonset",
                  .image = ImageOf(set),
                  .desired = status.desiredNumberScheduled,
                  .updated = status.updatedNumberScheduled,
                  .available = status.numberAvailable,
                  .old = std::max(0, WrappingSubtract(status.currentNumberScheduled,
                                                      status.updatedNumberScheduled))};
  const bool by_itself = set.spec.updateStrategy.type != "OnDelete";
  rollout.state = StateOf(set, rollout, by_itself ? rollout.desired : 0);
  return rollout;
}

}  // namespace flyball::up
