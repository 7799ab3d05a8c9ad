#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"

/// Drivers that were part of Kubernetes, and have been replaced by ones that are not.
namespace flyball::controllers::common {

/// The driver that has taken over from one that was part of Kubernetes; none if nobody has.
std::optional<std::string> MigratedTo(std::string_view in_tree);

/// The name of the driver that a volume was of, if another has taken over from that.
std::optional<std::string> MigratedDriverOf(const core::v1::PersistentVolume& volume);

}  // namespace flyball::controllers::common
