#include "flyball/simulation/storage/pod_volumes.h"

#include <algorithm>
#include <utility>

#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using storage::v1::VolumeAttachment;
using Pod = views::KubeletPod;
using VolumeRef = cache::Ref<PersistentVolume>;

constexpr std::string_view kClaimIndex = "simulation/claim";
constexpr std::string_view kPlaceIndex = "simulation/place";

std::string PlaceOf(std::string_view volume, std::string_view node) {
  return std::string(volume) + " " + std::string(node);
}

}  // namespace

std::vector<PodClaim> ClaimsOf(const Pod& pod) {
  std::vector<PodClaim> claims;
  for (const auto& volume : pod.spec.volumes) {
    PodClaim claim;
    if (volume.persistentVolumeClaim != nullptr) {
      claim.name = volume.persistentVolumeClaim->claimName;
    } else if (!volume.rare.empty()) {
      // PARITY: an ephemeral volume's claim is called after the pod and the volume.
      claim.name = std::string(pod.metadata.name.view()) + "-" + std::string(volume.name.view());
      claim.ephemeral = true;
    } else {
      continue;
    }
    if (std::ranges::find(claims, claim) == claims.end()) claims.push_back(std::move(claim));
  }
  return claims;
}

bool IsMadeFor(const PersistentVolumeClaim& claim, const Pod& pod) {
  return std::ranges::any_of(claim.metadata.ownerReferences, [&](const auto& owner) {
    return owner.controller.value_or(false) && owner.uid == pod.metadata.uid;
  });
}

void IndexByClaim(const cache::Informer<Pod>& pods) {
  pods.AddIndex(std::string(kClaimIndex), [](const Pod& pod, cache::IndexValues& values) {
    const std::string namespace_(pod.metadata.namespace_.view());
    for (const PodClaim& claim : ClaimsOf(pod)) values.push_back(namespace_ + "/" + claim.name);
  });
}

std::vector<cache::Ref<Pod>> PodsOfClaim(const api::ObjectKey& claim,
                                         const cache::Lister<Pod>& pods) {
  return pods.ByIndex(kClaimIndex, claim.namespace_ + "/" + claim.name);
}

void PodVolumes::Index(const cache::Informer<VolumeAttachment>& attachments) {
  attachments.AddIndex(std::string(kPlaceIndex),
                       [](const VolumeAttachment& one, cache::IndexValues& values) {
                         const auto& volume = one.spec.source.persistentVolumeName;
                         if (volume) values.push_back(PlaceOf(*volume, one.spec.nodeName));
                       });
}

Result<VolumeRef> PodVolumes::VolumeOf(const Pod& pod, const PodClaim& meant) const {
  const auto claim = deps_.claims.Get({std::string(pod.metadata.namespace_.view()), meant.name});
  const std::string name = "PersistentVolumeClaim \"" + meant.name + "\"";
  if (!claim) return Fail(ErrorCode::kNotFound, name + " is not there");
  if (claim->metadata.deletionTimestamp && pod.status.podIP.empty()) {
    return Fail(ErrorCode::kConflict, name + " is being deleted");
  }
  if (meant.ephemeral && !IsMadeFor(*claim, pod)) {
    return Fail(ErrorCode::kConflict, name + " is not the pod's own");
  }
  if (claim->status.phase != "Bound" || claim->spec.volumeName.empty()) {
    return Fail(ErrorCode::kConflict, name + " is not bound");
  }
  auto volume = deps_.volumes.Get({"", claim->spec.volumeName});
  if (!volume || !IsBoundTo(*volume, *claim)) {
    return Fail(ErrorCode::kConflict, name + " has a volume that is not its own");
  }
  return volume;
}

bool PodVolumes::HasToBeAttached(const PersistentVolume& volume) const {
  if (!volume.spec.csi) return false;
  const auto driver = deps_.drivers.Get({"", volume.spec.csi->driver});
  // PARITY: of a driver that nobody told of it is assumed.
  return !driver || driver->spec.attachRequired.value_or(true);
}

bool PodVolumes::IsAttached(const std::string& volume, std::string_view node) const {
  return std::ranges::any_of(
      deps_.attachments.ByIndex(kPlaceIndex, PlaceOf(volume, node)),
      [](const auto& one) { return one->status.attached && !one->metadata.deletionTimestamp; });
}

std::optional<std::string> PodVolumes::Obstacle(const Pod& pod,
                                                const views::KubeletNode& node) const {
  for (const PodClaim& claim : ClaimsOf(pod)) {
    const auto volume = VolumeOf(pod, claim);
    if (!volume) return volume.error().message();
    if (!HasToBeAttached(**volume)) continue;
    const std::string name = UniqueNameOf(**volume);
    const auto& in_use = node.status.volumesInUse;
    const bool reported = std::ranges::any_of(in_use, [&](const auto& one) { return one == name; });
    if (!reported) return "volume " + name + " is not reported as in use yet";
    const auto& attached = node.status.volumesAttached;
    const bool listed =
        std::ranges::any_of(attached, [&](const auto& one) { return one.name == name; });
    if (!listed || !IsAttached((*volume)->metadata.name, node.metadata.name)) {
      return "volume " + name + " is not attached";
    }
  }
  return std::nullopt;
}

std::vector<std::string> PodVolumes::Attachable(const Pod& pod) const {
  std::vector<std::string> names;
  for (const PodClaim& claim : ClaimsOf(pod)) {
    const auto volume = VolumeOf(pod, claim);
    if (volume && HasToBeAttached(**volume)) names.push_back(UniqueNameOf(**volume));
  }
  return names;
}

}  // namespace flyball::simulation
