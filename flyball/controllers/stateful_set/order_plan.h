#pragma once

#include <string>
#include <vector>

#include "flyball/controllers/stateful_set/claim_plan.h"
#include "flyball/controllers/stateful_set/replica_slots.h"

/// Which pods are created, repaired and deleted so that a set has those that it asks for.
/// OrderedReady: one after the other, each when those before it are available, and the last first
/// on the way down. Parallel: all at once.
namespace flyball::controllers::stateful_set {

/// What is known when it is decided on a set.
struct Observed {
  const apps::v1::StatefulSet& set;
  const ReplicaSlots& replica_slots;
  const FindClaim& find_claim;
  WallTime now;
};

/// All that is to be done about one pod that is asked for, in this order.
struct PodTask {
  std::int64_t ordinal = 0;
  PodRef pod = nullptr;  ///< null: it is created, after its claims
  bool remove = false;   ///< it has ended. Another is made when it is gone
  ClaimPlan claims = {};
  bool repair = false;  ///< it, or the owners of its claims, are not what they should be
  bool patch = false;   ///< the pod itself is not

  bool Creates() const { return pod == nullptr; }
  friend bool operator==(const PodTask&, const PodTask&) = default;
};

struct OrderPlan {
  std::vector<PodTask> replicas = {};
  /// Of the claims of pods that are to go. They are right before those do.
  std::vector<ClaimPlan::Adjustment> condemned_claims = {};
  std::vector<PodRef> condemned = {};  ///< to be deleted
  /// What has to happen before anything else is done: "db-0 to be ready". Empty: nothing.
  std::string waits_for = {};

  friend bool operator==(const OrderPlan&, const OrderPlan&) = default;
};

OrderPlan PlanOrder(const Observed& observed);

}  // namespace flyball::controllers::stateful_set
