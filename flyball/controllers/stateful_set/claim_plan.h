#pragma once

#include <functional>
#include <string>
#include <vector>

#include "flyball/controllers/stateful_set/identity.h"

/// What becomes of the claims of a set's pods: which are made, and who owns them. What owns a claim
/// takes it with it when it goes, and that is all that deletes one: the controller never does.
namespace flyball::controllers::stateful_set {

using ClaimRef = cache::Ref<core::v1::PersistentVolumeClaim>;
/// The claim of this name in the set's namespace, as the cache has it; null if there is none.
using FindClaim = std::function<ClaimRef(const std::string& name)>;

/// What is to be done about the claims of one pod.
struct ClaimPlan {
  struct Adjustment {
    core::v1::PersistentVolumeClaim claim = {};  ///< with the owners that it is to have
    bool contested = false;                      ///< another controls it, which people are told of
    bool write = true;                           ///< false: that is all

    friend bool operator==(const Adjustment&, const Adjustment&) = default;
  };

  std::vector<core::v1::PersistentVolumeClaim> create = {};
  std::vector<std::string> going = {};  ///< being deleted, so that no pod can use them
  std::vector<Adjustment> adjust = {};

  friend bool operator==(const ClaimPlan&, const ClaimPlan&) = default;
};

/// The claims that a pod needs and that are not there, or not for long.
// PARITY: one that is there is good enough, whatever its template says of its size by now.
ClaimPlan PlanMissingClaims(const apps::v1::StatefulSet& set, const Member& member,
                            const FindClaim& find);

/// Brings the owners of a pod's claims in line with the set's retention policy:
///
///   whenScaled  whenDeleted  a pod that is asked for   one that is to go
///   Retain      Retain       nobody                    nobody
///   Retain      Delete       the set                   the set
///   Delete      Retain       nobody                    the pod
///   Delete      Delete       the set                   the pod
///
/// What others own a claim stays. Claims of a set or a pod of the same name that is gone, and those
/// that another controls, are left to them.
std::vector<ClaimPlan::Adjustment> PlanClaimOwners(const apps::v1::StatefulSet& set,
                                                   const Member& member, const FindClaim& find);

/// Whether the owners of all claims that there are of a pod are as they are to be.
bool ClaimOwnersMatch(const apps::v1::StatefulSet& set, const Member& member,
                      const FindClaim& find);

/// Whether a pod that is to be made would find a claim that goes with its predecessor: it has to
/// wait for that.
bool HasStaleClaim(const apps::v1::StatefulSet& set, const Member& member, const FindClaim& find);

}  // namespace flyball::controllers::stateful_set
