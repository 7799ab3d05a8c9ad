#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/pod_admission.h"
#include "flyball/sandbox/kinds/pod_checks.h"
#include "flyball/sandbox/kinds/pod_conditions.h"
#include "flyball/sandbox/kinds/pod_update.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using core::v1::Container;
using core::v1::Pod;
using core::v1::PodCondition;

using LabelSelectorPtr = api::Box<meta::v1::LabelSelector>;

/// Keys whose values are the pod's own become requirements: the selector is what counts later.
void AddLabelKeys(LabelSelectorPtr& selector, const std::vector<std::string>& keys,
                  std::string_view op, const Pod& pod) {
  if (!selector) return;
  for (const std::string& key : keys) {
    const std::string* const value = pod.metadata.labels.find(key);
    if (value == nullptr) continue;
    auto& expression = selector->matchExpressions.emplace_back();
    expression.key = key;
    expression.operator_ = op;
    expression.values = {*value};
  }
}

template <typename Affinity>
void ResolveLabelKeys(Affinity& affinity, const Pod& pod) {
  const auto resolve = [&](core::v1::PodAffinityTerm& term) {
    AddLabelKeys(term.labelSelector, term.matchLabelKeys, "In", pod);
    AddLabelKeys(term.labelSelector, term.mismatchLabelKeys, "NotIn", pod);
  };
  for (auto& each : affinity.preferredDuringSchedulingIgnoredDuringExecution) {
    resolve(each.podAffinityTerm);
  }
  for (auto& each : affinity.requiredDuringSchedulingIgnoredDuringExecution) resolve(each);
}

void ResolveLabelKeys(Pod& pod) {
  if (pod.spec.affinity) {
    auto& affinity = *pod.spec.affinity;
    if (affinity.podAffinity) ResolveLabelKeys(*affinity.podAffinity, pod);
    if (affinity.podAntiAffinity) ResolveLabelKeys(*affinity.podAntiAffinity, pod);
  }
  for (auto& constraint : pod.spec.topologySpreadConstraints) {
    AddLabelKeys(constraint.labelSelector, constraint.matchLabelKeys, "In", pod);
  }
}

/// Clients that do not know a part of the status yet must not lose it.
void KeepObservedGenerations(Pod& now, const Pod& before) {
  if (now.status.observedGeneration == 0) {
    now.status.observedGeneration = before.status.observedGeneration;
  }
  // Conditions of the same type are matched in their order.
  std::vector<const PodCondition*> left;
  for (const PodCondition& each : before.status.conditions) left.push_back(&each);
  for (PodCondition& condition : now.status.conditions) {
    const auto old = std::ranges::find(left, condition.type,
                                       [](const PodCondition* each) { return each->type; });
    if (old == left.end()) continue;
    if (condition.observedGeneration == 0) {
      condition.observedGeneration = (*old)->observedGeneration;
    }
    left.erase(old);
  }
}

void KeepStatusRules(Pod& now, const Pod& before) {
  now.metadata.ownerReferences = before.metadata.ownerReferences;
  auto& status = now.status;
  const auto& old = before.status;
  if (status.qosClass.empty()) status.qosClass = old.qosClass;
  if (status.resourceClaimStatuses.empty()) {
    status.resourceClaimStatuses = old.resourceClaimStatuses;
  }
  if (!status.extendedResourceClaimStatus) {
    status.extendedResourceClaimStatus = old.extendedResourceClaimStatus;
  }
  if (status.nodeAllocatableResourceClaimStatuses.empty()) {
    status.nodeAllocatableResourceClaimStatuses = old.nodeAllocatableResourceClaimStatuses;
  }
  KeepObservedGenerations(now, before);
}

/// The metadata of those subresources that bring only a part of the spec.
void KeepMetadata(Pod& now, const Pod& before) {
  auto& metadata = now.metadata;
  metadata.labels = before.metadata.labels;
  metadata.annotations = before.metadata.annotations;
  metadata.finalizers = before.metadata.finalizers;
  metadata.ownerReferences = before.metadata.ownerReferences;
}

/// Takes the resources of containers that are still the same; others are left for the check.
void TakeResources(std::vector<Container>& to, const std::vector<Container>& from) {
  if (to.size() != from.size()) {
    to = from;
    return;
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i].name != from[i].name) {
      to = from;
      return;
    }
    to[i].resources = from[i].resources;
    to[i].resizePolicy = from[i].resizePolicy;
  }
}

class PodKind final : public StrategyFor<Pod> {
  StatusOr<> AdmitNew(Pod& pod, const Write& write) const override { return AdmitPod(pod, write); }

  void PrepareNew(Pod& pod, const Write& write) const override {
    pod.status.phase = "Pending";
    if (!pod.spec.schedulingGates.empty()) {
      PodCondition gated;
      gated.type = "PodScheduled";
      gated.status = "False";
      gated.reason = "SchedulingGated";
      gated.message = "Scheduling is blocked due to non-empty scheduling gates";
      SetCondition(pod.status, std::move(gated), write.context.Now());
    }
    ResolveLabelKeys(pod);
    pod.status.qosClass = QosClassOf(pod);
  }

  StatusOr<> AdmitChange(Pod& now, const Pod& before, const Write& write) const override {
    if (!write.subresource.empty()) return {};
    TolerateNodesInTrouble(now);
    if (!now.spec.priority) now.spec.priority = before.spec.priority;
    if (!now.spec.preemptionPolicy) now.spec.preemptionPolicy = before.spec.preemptionPolicy;
    CopyTopologyLabels(now.metadata, now.spec.nodeName, write.context);
    return {};
  }

  void PrepareChange(Pod& now, const Pod& before, const Write& write) const override {
    if (write.subresource == "status") {
      KeepStatusRules(now, before);
    } else if (write.subresource == "ephemeralcontainers") {
      auto added = std::move(now.spec.ephemeralContainers);
      now.spec = before.spec;
      now.spec.ephemeralContainers = std::move(added);
      now.status = before.status;
      KeepMetadata(now, before);
    } else if (write.subresource == "resize") {
      core::v1::PodSpec spec = before.spec;
      TakeResources(spec.containers, now.spec.containers);
      TakeResources(spec.initContainers, now.spec.initContainers);
      spec.resources = now.spec.resources;
      now.spec = std::move(spec);
      now.status = before.status;
      KeepMetadata(now, before);
    } else if (!now.spec.resources) {
      now.spec.resources = before.spec.resources;
    }
  }

  FieldErrors CheckNew(const Pod& pod, const Write&) const override { return CheckNewPod(pod); }

  FieldErrors CheckChange(const Pod& now, const Pod& before, const Write& write) const override {
    return CheckPodChange(now, before, write.subresource);
  }

  /// Only the kubelet knows when the containers have ended; where there is none, or they have,
  /// there is nothing to wait for.
  std::optional<std::int64_t> GracePeriodOf(const Pod& pod,
                                            std::optional<std::int64_t> asked) const override {
    const std::string& phase = pod.status.phase;
    if (pod.spec.nodeName.empty() || phase == "Failed" || phase == "Succeeded") return 0;
    const std::int64_t period = asked ? *asked : pod.spec.terminationGracePeriodSeconds.value_or(0);
    return period < 0 ? 1 : period;
  }
};

}  // namespace

const RestStrategy& PodRestStrategy() {
  static const PodKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
