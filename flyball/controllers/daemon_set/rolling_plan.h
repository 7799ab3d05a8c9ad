#pragma once

#include <cstdint>

#include "flyball/base/result.h"
#include "flyball/controllers/daemon_set/plan.h"

/// How pods of an old template make way for those of the new one.
namespace flyball::controllers::daemon_set {

inline constexpr std::string_view kRollingUpdate = "RollingUpdate";

/// Whether the set may have a new pod on a node beside the old one.
bool AllowsSurge(const apps::v1::DaemonSet& set);

/// How far a set that so many nodes ought to run may be from whole while it is updated.
struct UpdateLimits {
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;

  friend bool operator==(const UpdateLimits&, const UpdateLimits&) = default;
};

/// An error for a limit that is no number and no percentage.
Result<UpdateLimits> LimitsOf(const apps::v1::DaemonSet& set, std::int64_t desired);

/// Without surge old pods are removed, as many as may be missing, and PlanPods() makes new ones in
/// their place. With surge new ones are made beside old ones, as many as may be, and an old one
/// goes when the new one is available. Old pods that are not available are replaced at once.
Result<Plan> PlanRolling(const Observed& observed);

}  // namespace flyball::controllers::daemon_set
