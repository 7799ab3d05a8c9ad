#include "flyball/controllers/stateful_set/claim_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/pod_claims.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using core::v1::PersistentVolumeClaim;
using meta::v1::OwnerReference;

constexpr std::string_view kRetain = "Retain";
constexpr std::string_view kDelete = "Delete";

/// Who a claim belongs to by the policy.
struct Belongs {
  bool to_set = false;
  bool to_pod = false;
};

struct Policy {
  std::string_view when_deleted = kRetain;
  std::string_view when_scaled = kRetain;

  bool RetainsAll() const { return when_deleted == kRetain && when_scaled == kRetain; }
};

Policy PolicyOf(const StatefulSet& set) {
  const auto& policy = set.spec.persistentVolumeClaimRetentionPolicy;
  if (!policy) return {};
  return {.when_deleted = policy->whenDeleted, .when_scaled = policy->whenScaled};
}

Belongs BelongsTo(const StatefulSet& set, const Member& member) {
  const Policy policy = PolicyOf(set);
  const auto known = [](std::string_view type) { return type == kRetain || type == kDelete; };
  // What cannot be understood deletes nothing.
  if (!known(policy.when_deleted) || !known(policy.when_scaled)) return {};
  const bool to_go = !RangeOf(set).Contains(member.ordinal);
  const bool to_pod = policy.when_scaled == kDelete && to_go;
  return {.to_set = policy.when_deleted == kDelete && !to_pod, .to_pod = to_pod};
}

OwnerReference ReferenceToSet(const StatefulSet& set) { return common::ControllerRefTo(set); }

/// Of the same kind and name, though perhaps an earlier one.
bool Names(const OwnerReference& owner, const OwnerReference& whom) {
  return owner.apiVersion == whom.apiVersion && owner.kind == whom.kind && owner.name == whom.name;
}

bool IsOwnedBy(const PersistentVolumeClaim& claim, const std::string& uid) {
  return std::ranges::any_of(claim.metadata.ownerReferences,
                             [&](const OwnerReference& owner) { return owner.uid == uid; });
}

bool IsStale(const PersistentVolumeClaim& claim, const OwnerReference& whom) {
  const auto& owners = claim.metadata.ownerReferences;
  const auto found =
      std::ranges::find_if(owners, [&](const OwnerReference& owner) { return Names(owner, whom); });
  return found != owners.end() && found->uid != whom.uid;
}

/// What is asked of a claim in the light of the set and the pod that it is for.
class Ownership {
 public:
  Ownership(const StatefulSet& set, const Member& member)
      : policy_(PolicyOf(set)),
        belongs_(BelongsTo(set, member)),
        set_(ReferenceToSet(set)),
        pod_(common::ControllerRefToPod(member.name, member.uid)) {}

  /// Somebody else decides when it goes. Where it is to stay in any case, they may.
  bool IsContested(const PersistentVolumeClaim& claim) const {
    if (policy_.RetainsAll()) return false;
    return std::ranges::any_of(claim.metadata.ownerReferences, [&](const OwnerReference& owner) {
      if (Names(owner, set_)) return owner.uid != set_.uid;
      if (Names(owner, pod_)) return owner.uid != pod_.uid;
      return owner.controller.value_or(false);
    });
  }

  bool IsRight(const PersistentVolumeClaim& claim) const {
    // An earlier set or pod's, and about to go with it.
    if (IsStale(claim, set_) || IsStale(claim, pod_)) return true;
    const bool owned_by_set = IsOwnedBy(claim, set_.uid);
    const bool owned_by_pod = IsOwnedBy(claim, pod_.uid);
    if (IsContested(claim)) return !owned_by_set && !owned_by_pod;
    if (IsOwnedButNotControlled(claim)) return false;
    return owned_by_set == belongs_.to_set && owned_by_pod == belongs_.to_pod;
  }

  PersistentVolumeClaim Corrected(PersistentVolumeClaim claim) const {
    const bool contested = IsContested(claim);
    auto& owners = claim.metadata.ownerReferences;
    std::erase_if(owners, [&](const OwnerReference& owner) {
      return Names(owner, set_) || Names(owner, pod_);
    });
    if (contested) return claim;
    if (belongs_.to_pod) Add(pod_, claim);
    if (belongs_.to_set) Add(set_, claim);
    return claim;
  }

  bool GoesWithAnEarlierPod(const PersistentVolumeClaim& claim) const {
    return IsStale(claim, pod_);
  }

 private:
  static void Add(const OwnerReference& owner, PersistentVolumeClaim& claim) {
    if (!IsOwnedBy(claim, owner.uid)) claim.metadata.ownerReferences.push_back(owner);
  }

  bool IsOwnedButNotControlled(const PersistentVolumeClaim& claim) const {
    return std::ranges::any_of(claim.metadata.ownerReferences, [&](const OwnerReference& owner) {
      return (owner.uid == set_.uid || owner.uid == pod_.uid) && !owner.controller.value_or(false);
    });
  }

  const Policy policy_;
  const Belongs belongs_;
  const OwnerReference set_;
  const OwnerReference pod_;
};

/// The claims that there are of a pod.
std::vector<ClaimRef> FoundClaims(const StatefulSet& set, const Member& member,
                                  const FindClaim& find) {
  std::vector<ClaimRef> found;
  for (const PersistentVolumeClaim& made_of : set.spec.volumeClaimTemplates) {
    if (auto claim = find(ClaimName(set, made_of, member.ordinal))) {
      found.push_back(std::move(claim));
    }
  }
  return found;
}

}  // namespace

ClaimPlan PlanMissingClaims(const StatefulSet& set, const Member& member, const FindClaim& find) {
  ClaimPlan plan;
  for (PersistentVolumeClaim& claim : ClaimsFor(set, member.ordinal)) {
    const ClaimRef found = find(claim.metadata.name);
    if (!found) {
      plan.create.push_back(std::move(claim));
    } else if (found->metadata.deletionTimestamp) {
      plan.going.push_back(claim.metadata.name);
    }
  }
  return plan;
}

std::vector<ClaimPlan::Adjustment> PlanClaimOwners(const StatefulSet& set, const Member& member,
                                                   const FindClaim& find) {
  const Ownership ownership(set, member);
  std::vector<ClaimPlan::Adjustment> adjust;
  for (const ClaimRef& claim : FoundClaims(set, member, find)) {
    const bool contested = ownership.IsContested(*claim);
    const bool right = ownership.IsRight(*claim);
    if (!contested && right) continue;
    adjust.push_back({.claim = right ? *claim : ownership.Corrected(*claim),
                      .contested = contested,
                      .write = !right});
  }
  return adjust;
}

bool ClaimOwnersMatch(const StatefulSet& set, const Member& member, const FindClaim& find) {
  if (set.spec.volumeClaimTemplates.empty()) return true;
  const Ownership ownership(set, member);
  return std::ranges::all_of(FoundClaims(set, member, find),
                             [&](const ClaimRef& claim) { return ownership.IsRight(*claim); });
}

bool HasStaleClaim(const StatefulSet& set, const Member& member, const FindClaim& find) {
  // Where claims outlive the pods that are scaled away they are there to be used again.
  if (PolicyOf(set).when_scaled == kRetain) return false;
  const Ownership ownership(set, member);
  return std::ranges::any_of(FoundClaims(set, member, find), [&](const ClaimRef& claim) {
    return ownership.GoesWithAnEarlierPod(*claim);
  });
}

}  // namespace flyball::controllers::stateful_set
