#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/api/object_key.h"
#include "flyball/api/storage/v1.h"
#include "flyball/cache/informer.h"

namespace flyball::simulation {

struct PodClaim {
  std::string name;
  bool ephemeral = false;  ///< made for this pod, and no other is meant
  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};
/// The claims that a pod uses, each once.
std::vector<PodClaim> ClaimsOf(const views::KubeletPod& pod);
bool IsMadeFor(const core::v1::PersistentVolumeClaim& claim, const views::KubeletPod& pod);

/// Finds pods by their claims.
void IndexByClaim(const cache::Informer<views::KubeletPod>& pods);
std::vector<cache::Ref<views::KubeletPod>> PodsOfClaim(
    const api::ObjectKey& claim, const cache::Lister<views::KubeletPod>& pods);

/// What a node knows of the volumes of its pods.
/// Reads PersistentVolumeClaims, PersistentVolumes, CSIDrivers and VolumeAttachments. Any thread.
class PodVolumes {
 public:
  struct Deps {
    cache::Lister<core::v1::PersistentVolumeClaim> claims;
    cache::Lister<core::v1::PersistentVolume> volumes;
    cache::Lister<storage::v1::CSIDriver> drivers;
    cache::Lister<storage::v1::VolumeAttachment> attachments;
  };
  explicit PodVolumes(Deps deps) : deps_(std::move(deps)) {}

  /// Finds attachments by volume and node.
  static void Index(const cache::Informer<storage::v1::VolumeAttachment>& attachments);

  /// Why a pod cannot be started yet: a claim is not bound, or a volume not attached. PARITY:
  /// kubelet waits until its node says that a volume is in use, so that nobody takes it away; until
  /// the attach-detach controller says on the node that it is attached; and until the driver says
  /// so.
  std::optional<std::string> Obstacle(const views::KubeletPod& pod,
                                      const views::KubeletNode& node) const;

  /// The volumes of a pod that have to be attached, by the names that nodes have for them; as far
  /// as its claims are bound.
  std::vector<std::string> Attachable(const views::KubeletPod& pod) const;

 private:
  /// The volume of a claim of the pod's; an error says why there is none. One that is being deleted
  /// stays with the pods that have it.
  Result<cache::Ref<core::v1::PersistentVolume>> VolumeOf(const views::KubeletPod& pod,
                                                          const PodClaim& meant) const;
  bool HasToBeAttached(const core::v1::PersistentVolume& volume) const;
  bool IsAttached(const std::string& volume, std::string_view node) const;

  const Deps deps_;
};

}  // namespace flyball::simulation
