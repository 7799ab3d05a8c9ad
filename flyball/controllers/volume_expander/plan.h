#pragma once

#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"

namespace flyball::controllers::volume_expander {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;

inline constexpr std::string_view kResizer = "volume.kubernetes.io/storage-resizer";

/// Whether a change of a claim is one that this controller looks at: it asks for more than it did,
/// or has got more.
bool Grows(const PersistentVolumeClaim& before, const PersistentVolumeClaim& now);

/// What is to be done about a claim that is bound: nothing where there is no message.
struct Plan {
  std::string message = {};  ///< who is waited for
  std::string resizer =
      {};  ///< the driver that is to see it, where another has been replaced by it

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides. Who makes volumes larger is never this manager.
// DIVERGES: FlexVolumes, which nothing has to be done for but on their nodes, are left to others,
// too. Upstream marks their claims.
Plan PlanFor(const PersistentVolumeClaim& claim, const PersistentVolume& volume);
/// Whether a volume says that it is this claim's.
bool IsOf(const PersistentVolume& volume, const PersistentVolumeClaim& claim);

/// What tells a driver that it is to make the claim larger, at this version of the claim.
api::Json ResizerPatch(const PersistentVolumeClaim& claim, const std::string& resizer);
bool HasResizer(const PersistentVolumeClaim& claim, const std::string& resizer);

}  // namespace flyball::controllers::volume_expander
