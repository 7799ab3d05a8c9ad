#include "flyball/controllers/garbage_collector/plan.h"

#include <algorithm>
#include <cstddef>

namespace flyball::controllers::garbage_collector {
namespace {

using meta::v1::ObjectMeta;

std::vector<std::string> OwnersThatAre(OwnerState state, const ObjectMeta& object,
                                       std::span<const OwnerState> owners) {
  std::vector<std::string> uids;
  for (std::size_t at = 0; at < owners.size(); ++at) {
    if (owners[at] == state) uids.push_back(object.ownerReferences[at].uid);
  }
  return uids;
}

/// What becomes of its own dependents was decided by whoever gave it its finalizers.
std::string_view Propagation(const ObjectMeta& object) {
  if (HasFinalizer(object, kOrphanFinalizer)) return "Orphan";
  if (HasFinalizer(object, kForegroundFinalizer)) return "Foreground";
  return "Background";
}

}  // namespace

bool HasFinalizer(const ObjectMeta& object, std::string_view finalizer) {
  return std::ranges::find(object.finalizers, finalizer) != object.finalizers.end();
}

OwnerState StateOf(const ObjectMeta& owner) {
  return owner.deletionTimestamp && HasFinalizer(owner, kForegroundFinalizer) ? OwnerState::kWaiting
                                                                              : OwnerState::kSolid;
}

Plan PlanFor(const ObjectMeta& object, std::span<const OwnerState> owners,
             const Neighbours& neighbours) {
  if (object.deletionTimestamp) return {.reason = "it is being deleted"};
  if (owners.empty()) return {.reason = "it has no owner"};

  const std::vector<std::string> waiting = OwnersThatAre(OwnerState::kWaiting, object, owners);
  if (std::ranges::find(owners, OwnerState::kSolid) != owners.end()) {
    Plan plan{.remove = OwnersThatAre(OwnerState::kDangling, object, owners)};
    // Those that wait would do so for ever.
    plan.remove.insert(plan.remove.end(), waiting.begin(), waiting.end());
    if (plan.remove.empty()) return {.reason = "an owner of it is there"};
    plan.action = Plan::Action::kRemoveReferences;
    plan.reason = "an owner of it is there, others are not or are to go";
    return plan;
  }
  if (!waiting.empty() && neighbours.has_dependents) {
    // Two that wait for each other, maybe over others, would do so for ever. What looks so may be
    // none: then an owner goes before its dependents, and no harm is done.
    return {.action = Plan::Action::kDelete,
            .unblock = neighbours.has_waiting_dependent,
            .propagation = "Foreground",
            .reason = "an owner of it waits for it to go, and it has dependents"};
  }
  return {.action = Plan::Action::kDelete,
          .propagation = Propagation(object),
          .reason = waiting.empty() ? "none of its owners is there"
                                    : "an owner of it waits for it to go"};
}

std::string Plan::ToString() const {
  std::string text;
  switch (action) {
    case Action::kLeave:
      text = "leave it";
      break;
    case Action::kRemoveReferences:
      text = "remove " + std::to_string(remove.size()) + " references";
      break;
    case Action::kDelete:
      text = "delete it (" + std::string(propagation) + (unblock ? ", unblocked first)" : ")");
      break;
  }
  return text + ": " + std::string(reason);
}

}  // namespace flyball::controllers::garbage_collector
