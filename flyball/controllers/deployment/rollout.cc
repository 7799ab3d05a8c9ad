#include "flyball/controllers/deployment/rollout.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "flyball/api/equality.h"
#include "flyball/base/wrapping.h"
#include "flyball/controllers/deployment/annotations.h"

namespace flyball::controllers::deployment {

using apps::v1::Deployment;
using apps::v1::DeploymentStatus;
using apps::v1::ReplicaSet;

std::vector<SetRef> Rollout::All() const {
  std::vector<SetRef> all = old;
  if (current) all.push_back(current);
  return all;
}

Rollout RolloutOf(const Deployment& deployment, std::vector<SetRef> sets) {
  std::ranges::sort(sets, IsOlder);
  const auto current = std::ranges::find_if(sets, [&](const SetRef& set) {
    return SameTemplate(set->spec.template_, deployment.spec.template_);
  });
  Rollout rollout{.deployment = deployment};
  if (current != sets.end()) {
    rollout.current = *current;
    sets.erase(current);
  }
  rollout.old = std::move(sets);
  return rollout;
}

bool SameTemplate(const core::v1::PodTemplateSpec& a, const core::v1::PodTemplateSpec& b) {
  // The specs are the large part, and are not copied for this.
  if (!api::SemanticEqual(a.spec, b.spec)) return false;
  meta::v1::ObjectMeta a_metadata = a.metadata;
  meta::v1::ObjectMeta b_metadata = b.metadata;
  a_metadata.labels.erase(kHashLabel);
  b_metadata.labels.erase(kHashLabel);
  return api::SemanticEqual(a_metadata, b_metadata);
}

bool IsOlder(const SetRef& a, const SetRef& b) {
  return std::tie(a->metadata.creationTimestamp, a->metadata.name) <
         std::tie(b->metadata.creationTimestamp, b->metadata.name);
}

// The server puts 1 where nothing is said.
std::int32_t SizeOf(const Deployment& deployment) { return deployment.spec.replicas.value_or(1); }
std::int32_t SizeOf(const ReplicaSet& set) { return set.spec.replicas.value_or(1); }

std::int32_t TotalSize(const std::vector<SetRef>& sets) {
  std::int32_t total = 0;
  for (const SetRef& set : sets) total = WrappingAdd(total, SizeOf(*set));
  return total;
}

std::int32_t TotalAvailable(const std::vector<SetRef>& sets) {
  std::int32_t total = 0;
  for (const SetRef& set : sets) total = WrappingAdd(total, set->status.availableReplicas);
  return total;
}

std::vector<SetRef> Active(std::vector<SetRef> sets) {
  std::erase_if(sets, [](const SetRef& set) { return SizeOf(*set) == 0; });
  return sets;
}

Limits LimitsOf(const Deployment& deployment) {
  if (deployment.spec.strategy.type != kRollingUpdate) return {};
  const std::int32_t size = SizeOf(deployment);
  const auto scaled = [size](const std::optional<api::IntOrString>& limit, bool round_up) {
    return limit.value_or(api::IntOrString()).ScaledValue(size, round_up);
  };
  const auto& rolling = deployment.spec.strategy.rollingUpdate;
  const auto surge = scaled(rolling ? rolling->maxSurge : std::nullopt, true);
  const auto unavailable = scaled(rolling ? rolling->maxUnavailable : std::nullopt, false);
  if (!surge || !unavailable) return {};  // the server lets none in that cannot be read
  Limits limits{.surge = static_cast<std::int32_t>(*surge),
                .unavailable = static_cast<std::int32_t>(*unavailable)};
  // Rounding may have left no room for any step. Fewer pods always work; more may be beyond a
  // quota.
  if (limits.surge == 0 && limits.unavailable == 0) limits.unavailable = 1;
  limits.unavailable = std::min(limits.unavailable, size);
  return limits;
}

bool IsComplete(const Deployment& deployment, const DeploymentStatus& status) {
  const std::int32_t size = SizeOf(deployment);
  return status.updatedReplicas == size && status.replicas == size &&
         status.availableReplicas == size &&
         status.observedGeneration >= deployment.metadata.generation;
}

}  // namespace flyball::controllers::deployment
