#pragma once

#include "flyball/controllers/daemon_set/plan.h"

/// What a set says of itself.
namespace flyball::controllers::daemon_set {

apps::v1::DaemonSetStatus StatusOf(const Observed& observed);

}  // namespace flyball::controllers::daemon_set
