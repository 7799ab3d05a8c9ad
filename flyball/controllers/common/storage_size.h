#pragma once

#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/quantity.h"

/// How large claims and volumes are. What is not said is nothing.
namespace flyball::controllers::common {

/// On a volume whose file system is yet to grow: what it was before.
inline constexpr std::string_view kPreResizeCapacity =
    "volume.alpha.kubernetes.io/pre-resize-capacity";

inline api::Quantity StorageIn(const core::v1::ResourceList& resources) {
  const api::Quantity* const found = resources.find("storage");
  return found == nullptr ? api::Quantity() : *found;
}
inline api::Quantity SizeOf(const core::v1::PersistentVolume& volume) {
  return StorageIn(volume.spec.capacity);
}
/// What a claim asks for.
inline api::Quantity RequestOf(const core::v1::PersistentVolumeClaim& claim) {
  return StorageIn(claim.spec.resources.requests);
}
/// What it has.
inline api::Quantity CapacityOf(const core::v1::PersistentVolumeClaim& claim) {
  return StorageIn(claim.status.capacity);
}

}  // namespace flyball::controllers::common
