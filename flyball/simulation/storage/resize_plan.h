#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/base/clock.h"

/// What an external resizer decides of a claim that asks for more than it has, and what a node does
/// about its file system then. The claim's status tells each from the other.
namespace flyball::simulation {

enum class ResizeStep : std::uint8_t {
  kNone,
  kAnnounce,  ///< say in the claim's status that its volume is to grow
  kExpand,    ///< have the driver do it, and say on the volume how large it is
  kHandOver,  ///< say in the claim's status that the rest is a node's
  kFinish,    ///< no node has anything to do: say that it has grown
  kTidy,      ///< the volume still says what it was before
};

struct ResizePlan {
  ResizeStep step = ResizeStep::kNone;
  api::Quantity size = {};  ///< to which it grows

  friend bool operator==(const ResizePlan&, const ResizePlan&) = default;
};

ResizePlan PlanResize(const core::v1::PersistentVolumeClaim& claim,
                      const core::v1::PersistentVolume& volume, std::string_view driver);

/// The claim, or the volume, as a step leaves it.
core::v1::PersistentVolumeClaim Announced(const core::v1::PersistentVolumeClaim& claim,
                                          const api::Quantity& size, WallTime now);
core::v1::PersistentVolume Expanded(const core::v1::PersistentVolume& volume,
                                    const core::v1::PersistentVolumeClaim& claim,
                                    const api::Quantity& size);
core::v1::PersistentVolumeClaim HandedOver(const core::v1::PersistentVolumeClaim& claim,
                                           WallTime now);
core::v1::PersistentVolumeClaim FailedToExpand(const core::v1::PersistentVolumeClaim& claim,
                                               const std::string& error, WallTime now);
/// Nothing is left to be done.
core::v1::PersistentVolumeClaim Finished(const core::v1::PersistentVolumeClaim& claim,
                                         const api::Quantity& size);

/// Whether a node has to see to the file system, when it has a pod that uses the claim.
bool AwaitsNode(const core::v1::PersistentVolumeClaim& claim);

}  // namespace flyball::simulation
