#pragma once

#include <chrono>
#include <optional>

#include "flyball/controllers/daemon_set/plan.h"

/// What a set says of itself.
namespace flyball::controllers::daemon_set {

apps::v1::DaemonSetStatus StatusOf(const Observed& observed);

/// Until the next pod has been ready for long enough to count as available; nothing if none is on
/// its way to.
std::optional<std::chrono::nanoseconds> NextAvailabilityCheck(const Observed& observed);

}  // namespace flyball::controllers::daemon_set
