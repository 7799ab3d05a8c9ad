#pragma once

#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/common/protection.h"

namespace flyball::controllers::volume_protection {

using core::v1::PersistentVolume;

inline constexpr std::string_view kFinalizer = "kubernetes.io/pv-protection";

/// Decides. A volume is in use while it is bound, and it says that itself: who lets it go at the
/// version at which it was not bound cannot be wrong.
common::Protection PlanFor(const PersistentVolume& volume);

}  // namespace flyball::controllers::volume_protection
