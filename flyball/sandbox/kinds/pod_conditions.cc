#include "flyball/sandbox/kinds/pod_conditions.h"

#include <algorithm>
#include <utility>

namespace flyball::sandbox {
namespace {

using core::v1::Pod;
using core::v1::PodCondition;
using core::v1::PodStatus;
using core::v1::ResourceRequirements;

enum class Qos : std::uint8_t { kUnset, kBestEffort, kBurstable, kGuaranteed };

/// Of parts that agree, what they are; of others, burstable.
Qos Join(Qos a, Qos b) {
  if (a == Qos::kUnset || a == b) return b;
  return Qos::kBurstable;
}

Qos QosOf(const ResourceRequirements& resources, std::string_view resource) {
  const auto amount = [&](const core::v1::ResourceList& list) {
    const api::Quantity* const found = list.find(resource);
    return found == nullptr ? api::Quantity() : *found;
  };
  const api::Quantity request = amount(resources.requests);
  if (request != amount(resources.limits)) return Qos::kBurstable;
  return request.IsZero() ? Qos::kBestEffort : Qos::kGuaranteed;
}

Qos QosOf(const ResourceRequirements& resources) {
  return Join(QosOf(resources, "cpu"), QosOf(resources, "memory"));
}

}  // namespace

const PodCondition* FindCondition(const PodStatus& status, std::string_view type) {
  const auto found = std::ranges::find(status.conditions, type, &PodCondition::type);
  return found == status.conditions.end() ? nullptr : &*found;
}

void SetCondition(PodStatus& status, PodCondition condition, WallTime now) {
  condition.lastTransitionTime = api::Time(now).WholeSeconds();
  const auto found = std::ranges::find(status.conditions, condition.type, &PodCondition::type);
  if (found == status.conditions.end()) {
    status.conditions.push_back(std::move(condition));
    return;
  }
  if (found->status == condition.status) condition.lastTransitionTime = found->lastTransitionTime;
  *found = std::move(condition);
}

bool IsReady(const Pod& pod) {
  const PodCondition* const ready = FindCondition(pod.status, "Ready");
  return ready != nullptr && ready->status == "True";
}

std::string QosClassOf(const Pod& pod) {
  Qos qos = Qos::kUnset;
  if (pod.spec.resources) {
    qos = QosOf(*pod.spec.resources);
  } else {
    for (const auto& each : pod.spec.initContainers) qos = Join(qos, QosOf(each.resources));
    for (const auto& each : pod.spec.containers) qos = Join(qos, QosOf(each.resources));
  }
  if (qos == Qos::kGuaranteed) return "Guaranteed";
  return qos == Qos::kBurstable ? "Burstable" : "BestEffort";
}

}  // namespace flyball::sandbox
