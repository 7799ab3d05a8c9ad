#pragma once

#include <optional>

#include "flyball/api/json.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"

/// What is said of pods of a node that is not ready. Pure.
namespace flyball::controllers::node_lifecycle {

/// Has a pod say that it is not ready, as a strategic merge patch of its status, which is a
/// conflict if the pod is not what it was when this was decided. None if it does not say that it
/// is.
std::optional<api::Json> NotReadyPatch(const views::Pod& pod, WallTime now);

}  // namespace flyball::controllers::node_lifecycle
