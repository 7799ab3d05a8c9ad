#include "flyball/controllers/claim_protection/plan.h"

#include <algorithm>

#include "flyball/api/time.h"
#include "flyball/controllers/common/pod_claims.h"

namespace flyball::controllers::claim_protection {
namespace {

using common::PodClaim;
using common::Protection;

constexpr const char* kUnused = "Unused";

/// The node has taken down what it had of it, or it was deleted by force. It may still wait for a
/// finalizer, and that for the claim to go: so it does not keep the claim which was made for it.
bool IsShutDown(const views::Pod& pod) {
  return pod.metadata.deletionTimestamp && pod.metadata.deletionGracePeriodSeconds == 0;
}

/// PARITY: one that has ended keeps its claims until it is deleted, too. Before it has a node it
/// keeps none: nodes start no pods whose claims are to go.
bool Keeps(const views::Pod& pod, const PodClaim& meant) {
  return !pod.spec.nodeName.empty() && !(meant.ephemeral && IsShutDown(pod));
}

const PersistentVolumeClaimCondition* Find(const PersistentVolumeClaim& claim) {
  const auto& conditions = claim.status.conditions;
  const auto found = std::ranges::find(conditions, kUnused, &PersistentVolumeClaimCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

PersistentVolumeClaimCondition UnusedCondition(bool used, WallTime now) {
  PersistentVolumeClaimCondition condition;
  condition.type = kUnused;
  condition.status = used ? "False" : "True";
  condition.reason = used ? "PodUsingPVC" : "NoPodsUsingPVC";
  condition.message = used ? "A pod is currently referencing this PVC"
                           : "No pods are currently referencing this PVC";
  condition.lastTransitionTime = api::Time(now).WholeSeconds();
  return condition;
}

/// PARITY: a condition that is neither true nor false is true for a claim in use.
bool Says(const PersistentVolumeClaimCondition& condition, bool used) {
  return used ? condition.status != "True" : condition.status == "True";
}

}  // namespace

Usage& Usage::operator|=(const Usage& other) {
  keeps |= other.keeps;
  referred |= other.referred;
  return *this;
}

Usage UsageBy(const views::Pod& pod, const PersistentVolumeClaim& claim) {
  Usage usage;
  for (const PodClaim& meant : common::ClaimsOf(pod)) {
    if (!common::Means(meant, pod, claim)) continue;
    usage |= {.keeps = Keeps(pod, meant), .referred = !common::IsTerminated(pod)};
  }
  return usage;
}

bool ChangesUsage(const views::Pod& before, const views::Pod& now) {
  return before.spec.nodeName != now.spec.nodeName || IsShutDown(before) != IsShutDown(now) ||
         common::IsTerminated(before) != common::IsTerminated(now);
}

bool Concerns(const PersistentVolumeClaim& claim) {
  return Find(claim) == nullptr || common::LacksProtection(claim, kFinalizer) ||
         common::IsKeptByProtection(claim, kFinalizer);
}

Plan PlanFor(const PersistentVolumeClaim& claim, const Usage& usage, WallTime now) {
  Plan plan{.protection = common::ProtectionFor(claim, kFinalizer, usage.keeps)};
  // Before it is bound its status is the binder's.
  if (claim.metadata.deletionTimestamp || claim.status.phase != "Bound") return plan;
  const auto* const said = Find(claim);
  if (said == nullptr || !Says(*said, usage.referred)) {
    plan.unused = UnusedCondition(usage.referred, now);
  }
  return plan;
}

void Say(const PersistentVolumeClaimCondition& unused, PersistentVolumeClaim& claim) {
  auto& conditions = claim.status.conditions;
  const auto found =
      std::ranges::find(conditions, unused.type, &PersistentVolumeClaimCondition::type);
  if (found == conditions.end()) {
    conditions.push_back(unused);
  } else {
    *found = unused;
  }
}

std::string Plan::ToString() const {
  std::string text(common::ToString(protection));
  if (!unused) return text;
  const std::string said =
      unused->status == "True" ? "say that no pod uses it" : "say that a pod uses it";
  return protection == Protection::kLeave ? said : said + ", " + text;
}

}  // namespace flyball::controllers::claim_protection
