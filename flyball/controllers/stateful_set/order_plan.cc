#include "flyball/controllers/stateful_set/order_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::stateful_set {
namespace {

/// What is to be done for a slot, and what the slots after it have to wait for, if they have to.
struct SlotPlan {
  std::optional<PodTask> task = std::nullopt;
  std::string waits_for = {};
};

ClaimPlan AllClaims(const Observed& observed, const Member& member) {
  ClaimPlan plan = PlanMissingClaims(observed.set, member, observed.find_claim);
  plan.adjust = PlanClaimOwners(observed.set, member, observed.find_claim);
  return plan;
}

SlotPlan PlanMissingSlot(const Observed& observed, std::int64_t ordinal) {
  const Member member = MemberAt(observed.set, ordinal);
  if (HasStaleClaim(observed.set, member, observed.find_claim)) {
    return {.waits_for = "the claims of the last " + member.name + " to go with it"};
  }
  return {.task = PodTask{.ordinal = ordinal, .claims = AllClaims(observed, member)},
          .waits_for = member.name + " to come up"};
}

std::string WhatIsMissing(const Observed& observed, const views::Pod& pod) {
  const std::string name(pod.metadata.name);
  if (IsGoing(pod)) return name + " to end";
  if (!IsRunningAndReady(pod)) return name + " to be ready";
  const bool available = common::IsAvailable(pod, observed.set.spec.minReadySeconds, observed.now);
  return available ? "" : name + " to be available";
}

/// Adds to a task what brings its pod, and who owns its claims, to what they should be.
void RepairIdentity(const Observed& observed, PodTask& task) {
  const apps::v1::StatefulSet& set = observed.set;
  const Member member = MemberOf(*task.pod);
  const bool lacks_storage = !HasStorage(set, *task.pod);
  if (lacks_storage && task.claims == ClaimPlan()) {
    task.claims = PlanMissingClaims(set, member, observed.find_claim);
  }
  task.patch = lacks_storage || !HasIdentity(set, *task.pod);
  task.repair = task.patch;
  // DIVERGES: upstream sets the owners of the claims of a pending pod twice where nobody waits for
  // it to be ready, is refused the second time, and tells people that it failed.
  if (task.claims.adjust.empty() && !ClaimOwnersMatch(set, member, observed.find_claim)) {
    task.claims.adjust = PlanClaimOwners(set, member, observed.find_claim);
    task.repair = true;
  }
}

SlotPlan PlanSlot(const Observed& observed, const Slot& slot) {
  if (!slot.pod) return PlanMissingSlot(observed, slot.ordinal);
  const views::Pod& pod = *slot.pod;
  PodTask task{.ordinal = slot.ordinal, .pod = slot.pod};
  // However it ended: kubelet tells a pod that was evicted, or whose node went down, as one that
  // has succeeded if that is what its containers made of it.
  if (HasEnded(pod)) {
    task.remove = !IsGoing(pod);
    return {.task = std::move(task), .waits_for = std::string(pod.metadata.name) + " to go"};
  }
  // It may be waiting for a claim that somebody has deleted.
  if (pod.status.phase == "Pending") task.claims = AllClaims(observed, MemberOf(pod));
  std::string waits_for = WhatIsMissing(observed, pod);
  if (waits_for.empty() || IsParallel(observed.set)) RepairIdentity(observed, task);
  return {.task = std::move(task), .waits_for = std::move(waits_for)};
}

bool HasWork(const PodTask& task) {
  return task.Creates() || task.remove || task.repair || task.claims != ClaimPlan();
}

/// Of those that are to go only the one with the highest ordinal goes, and that only if no other is
/// unhealthy: it might be the one that the others need in order to recover.
void PlanScaleDownInOrder(const Observed& observed, OrderPlan& plan) {
  const auto& condemned = observed.replica_slots.condemned;
  if (condemned.empty()) return;
  const PodRef& next = condemned.front();
  plan.waits_for = std::string(next->metadata.name) + " to end";
  if (IsGoing(*next)) return;
  const auto lowest_unhealthy = std::find_if(
      condemned.rbegin(), condemned.rend(),
      [&](const PodRef& pod) { return IsUnavailable(observed.set, *pod, observed.now); });
  // PARITY: a pod that is ready but not running is waited for, and is not the unhealthy one that
  // may go: there may be none such at all.
  const bool is_unhealthy = lowest_unhealthy != condemned.rend() && *lowest_unhealthy == next;
  if (const std::string missing = WhatIsMissing(observed, *next);
      !missing.empty() && !is_unhealthy) {
    plan.waits_for = missing;
    return;
  }
  plan.condemned.push_back(next);
}

void PlanScaleDown(const Observed& observed, OrderPlan& plan) {
  const auto& condemned = observed.replica_slots.condemned;
  for (const PodRef& pod : condemned) {
    const Member member = MemberOf(*pod);
    if (ClaimOwnersMatch(observed.set, member, observed.find_claim)) continue;
    std::ranges::move(PlanClaimOwners(observed.set, member, observed.find_claim),
                      std::back_inserter(plan.condemned_claims));
  }
  if (!IsParallel(observed.set)) return PlanScaleDownInOrder(observed, plan);
  std::ranges::copy_if(condemned, std::back_inserter(plan.condemned),
                       [](const PodRef& pod) { return !IsGoing(*pod); });
}

}  // namespace

OrderPlan PlanOrder(const Observed& observed) {
  OrderPlan plan;
  for (const Slot& slot : observed.replica_slots.replicas) {
    SlotPlan slot_plan = PlanSlot(observed, slot);
    if (slot_plan.task && HasWork(*slot_plan.task))
      plan.replicas.push_back(*std::move(slot_plan.task));
    if (IsParallel(observed.set) || slot_plan.waits_for.empty()) continue;
    plan.waits_for = std::move(slot_plan.waits_for);
    return plan;
  }
  PlanScaleDown(observed, plan);
  return plan;
}

}  // namespace flyball::controllers::stateful_set
