#pragma once

#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/base/clock.h"

namespace flyball::sandbox {

/// Null if the pod has none of the type.
const core::v1::PodCondition* FindCondition(const core::v1::PodStatus& status,
                                            std::string_view type);

/// Sets the condition of a type; its time of transition is `now` only if its status changes.
void SetCondition(core::v1::PodStatus& status, core::v1::PodCondition condition, WallTime now);

bool IsReady(const core::v1::Pod& pod);

/// "Guaranteed", "Burstable" or "BestEffort", by what the containers request and are limited to.
std::string QosClassOf(const core::v1::Pod& pod);

}  // namespace flyball::sandbox
