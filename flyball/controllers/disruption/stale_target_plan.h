#pragma once

#include <chrono>
#include <optional>

#include "flyball/api/json.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"

/// A pod that is about to be disrupted says so (its condition DisruptionTarget), and whoever said
/// it deletes the pod next. If that does not happen the pod must not say so for ever: others act
/// upon it.
namespace flyball::controllers::disruption {

/// How long a pod may say so without being deleted.
inline constexpr std::chrono::minutes kStaleAfter(2);

/// In how much time what a pod says is to be taken back. Nothing if it says no such thing, if it is
/// going or has ended, or if its node says it: then it may take any time.
std::optional<std::chrono::nanoseconds> StaleIn(const views::Pod& pod, WallTime now);

/// The strategic merge patch of its status that takes it back. Refused if the pod has changed.
api::Json TakeBackPatch(const views::Pod& pod, WallTime now);

}  // namespace flyball::controllers::disruption
