#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/common/protection.h"

namespace flyball::controllers::claim_protection {

using core::v1::PersistentVolumeClaim;
using core::v1::PersistentVolumeClaimCondition;

inline constexpr std::string_view kFinalizer = "kubernetes.io/pvc-protection";

/// What a claim is to its pods.
struct Usage {
  bool keeps = false;     ///< one is on a node that may have it mounted: the claim must not go
  bool referred = false;  ///< one that has not ended names it

  Usage& operator|=(const Usage& other);
  friend bool operator==(const Usage&, const Usage&) = default;
};
/// Of one pod in the claim's namespace.
Usage UsageBy(const views::Pod& pod, const PersistentVolumeClaim& claim);

/// Whether claims of a pod may fare otherwise, now that it has changed. They are what they are for
/// as long as it lives.
bool ChangesUsage(const views::Pod& before, const views::Pod& now);
/// Whether a claim is looked at because of what it says itself. What becomes of its pods is told by
/// them.
bool Concerns(const PersistentVolumeClaim& claim);

struct Plan {
  std::optional<PersistentVolumeClaimCondition> unused = {};  ///< to be said
  common::Protection protection = common::Protection::kLeave;

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides. That a claim is to be let go has to be decided once more on what the server knows of
/// pods: a cache may not have heard of the last one.
Plan PlanFor(const PersistentVolumeClaim& claim, const Usage& usage, WallTime now);

/// The claim's status with the condition.
void Say(const PersistentVolumeClaimCondition& unused, PersistentVolumeClaim& claim);

}  // namespace flyball::controllers::claim_protection
