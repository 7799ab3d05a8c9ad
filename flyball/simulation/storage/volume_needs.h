#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/api/node_selector.h"
#include "flyball/api/storage/v1.h"

/// What upstream's scheduler makes of the volumes of a pod: pure functions of claims, volumes and
/// classes.
namespace flyball::simulation {

using VolumeRef = std::shared_ptr<const core::v1::PersistentVolume>;
using ClaimRef = std::shared_ptr<const core::v1::PersistentVolumeClaim>;
using ClassRef = std::shared_ptr<const storage::v1::StorageClass>;

/// Where a volume can be had; anywhere, if it does not say.
class VolumePlace {
 public:
  explicit VolumePlace(const core::v1::PersistentVolume& volume);
  bool Has(const views::KubeletNode& node) const;

 private:
  std::optional<api::NodeSelector> required_;
};

/// A claim that gets its volume when a node is chosen for the pod.
struct DelayedClaim {
  ClaimRef claim;
  ClassRef storage_class;
  std::string node = {};  ///< that was chosen already; empty: none
  /// Volumes that are there and fit, the smallest first; unless a node was chosen.
  std::vector<VolumeRef> candidates = {};
};

/// What a pod's volumes ask of a node.
struct VolumeNeeds {
  /// Why no node will do at all; empty: one may.
  std::string problem = {};
  std::vector<VolumePlace> bound = {};
  bool missing = false;                    ///< a claim is bound to a volume that is not there
  std::vector<DelayedClaim> delayed = {};  ///< in the order of their sizes
};

/// Whether a claim waits with its volume for the first pod that uses it. Null: its class is not
/// there.
bool IsDelayed(const core::v1::PersistentVolumeClaim& claim,
               const storage::v1::StorageClass* storage_class);

/// Whether a claim that is delayed could have a volume, wherever that is.
bool CouldHave(const core::v1::PersistentVolumeClaim& claim,
               const core::v1::PersistentVolume& volume);

/// What speaks against a node, in upstream's words; nothing: it will do.
std::vector<std::string> ObjectionsTo(const VolumeNeeds& needs, const views::KubeletNode& node);

/// What a node means for the claims that are delayed.
struct VolumeChoice {
  struct Binding {
    ClaimRef claim;
    VolumeRef volume;
  };
  std::vector<Binding> bindings = {};     ///< to volumes that are there
  std::vector<ClaimRef> provisions = {};  ///< of those for which none is
};
/// Of a node that nothing speaks against.
VolumeChoice ChooseVolumes(const VolumeNeeds& needs, const views::KubeletNode& node);

}  // namespace flyball::simulation
