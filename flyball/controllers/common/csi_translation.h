#pragma once

#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/base/result.h"

/// Volumes of drivers that were part of Kubernetes, as those who took over from them know them.
namespace flyball::controllers::common {

/// Whether a volume that a pod itself describes is of a driver that another has taken over from.
bool IsMigrated(const core::v1::VolumeSource& source);

/// A volume for which MigratedDriverOf() knows a driver: the same with a CSI source in the place of
/// its own. Where it may be used from is not translated, since nobody here asks. Fails where
/// upstream would not know what to do with it, either.
Result<core::v1::PersistentVolumeSpec> TranslatedToCsi(const core::v1::PersistentVolume& volume);

/// What a pod of this namespace describes and IsMigrated(), as a volume of its own, with the name
/// that messages have for it.
Result<core::v1::PersistentVolume> TranslatedToCsi(const core::v1::Volume& volume,
                                                   std::string_view pod_namespace);

}  // namespace flyball::controllers::common
