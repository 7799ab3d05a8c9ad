#include "flyball/controllers/common/pod_claims.h"

#include <algorithm>
#include <optional>

#include "flyball/api/protobuf_decode.h"
#include "flyball/controllers/common/controller_ref.h"

namespace flyball::controllers::common {
namespace {

using core::v1::PersistentVolumeClaim;

constexpr std::string_view kClaimIndex = "claim";
/// Of VolumeSource.ephemeral, which all who read a pod's rare fields have in common.
constexpr std::uint64_t kEphemeralField = 29;

std::optional<std::uint64_t> TakeVarint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

/// Whether a message that has nothing but messages in it has this one.
bool HasMember(std::string_view message, std::uint64_t number) {
  while (!message.empty()) {
    const auto tag = TakeVarint(message);
    const auto size = TakeVarint(message);
    if (!tag || !size || *size > message.size()) return false;
    if (*tag >> 3 == number) return true;
    message.remove_prefix(*size);
  }
  return false;
}

bool HasEnded(const auto& status) {
  return status.state.terminated != nullptr || status.state.waiting != nullptr;
}

bool AllEphemeralContainersEnded(const views::Pod& pod) {
  if (pod.status.rare.empty()) return true;
  const auto status = api::DecodeProtobuf<core::v1::PodStatus>(pod.status.rare);
  if (!status) return false;
  return std::ranges::all_of(status->ephemeralContainerStatuses, [](const auto& container) {
    return container.state.terminated || container.state.waiting;
  });
}

}  // namespace

bool HasSource(const views::Pod::Volume& volume, std::uint64_t field) {
  return HasMember(volume.rare, field);
}

bool IsEphemeral(const views::Pod::Volume& volume) { return HasSource(volume, kEphemeralField); }

std::string EphemeralClaimName(const views::Pod& pod, const views::Pod::Volume& volume) {
  return std::string(pod.metadata.name) + "-" + std::string(volume.name);
}

std::vector<PodClaim> ClaimsOf(const views::Pod& pod) {
  std::vector<PodClaim> claims;
  for (const auto& volume : pod.spec.volumes) {
    if (volume.persistentVolumeClaim != nullptr) {
      claims.push_back({.name = std::string(volume.persistentVolumeClaim->claimName)});
    } else if (IsEphemeral(volume)) {
      claims.push_back({.name = EphemeralClaimName(pod, volume), .ephemeral = true});
    }
  }
  return claims;
}

meta::v1::OwnerReference ControllerRefToPod(std::string_view name, std::string_view uid) {
  core::v1::Pod pod;
  pod.metadata.name = name;
  pod.metadata.uid = uid;
  return ControllerRefTo(pod);
}

bool IsMadeFor(const PersistentVolumeClaim& claim, const views::Pod& pod) {
  const auto* const owner = ControllerOf(claim);
  return owner != nullptr && owner->uid == pod.metadata.uid &&
         claim.metadata.namespace_ == pod.metadata.namespace_;
}

bool Means(const PodClaim& meant, const views::Pod& pod, const PersistentVolumeClaim& claim) {
  if (meant.name != claim.metadata.name) return false;
  return !meant.ephemeral || IsMadeFor(claim, pod);
}

bool IsTerminated(const views::Pod& pod) {
  const auto& status = pod.status;
  if (status.phase == "Failed" || status.phase == "Succeeded") return true;
  if (!pod.metadata.deletionTimestamp) return false;
  const auto ended = [](const auto& container) { return HasEnded(container); };
  return std::ranges::all_of(status.initContainerStatuses, ended) &&
         std::ranges::all_of(status.containerStatuses, ended) && AllEphemeralContainersEnded(pod);
}

void IndexByClaim(const cache::Informer<views::Pod>& pods) {
  pods.AddIndex(std::string(kClaimIndex), [](const views::Pod& pod, cache::IndexValues& values) {
    const std::string namespace_(pod.metadata.namespace_);
    for (const PodClaim& claim : ClaimsOf(pod)) {
      std::string value = namespace_ + "/" + claim.name;
      if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
  });
}

std::vector<cache::Ref<views::Pod>> PodsOfClaim(const api::ObjectKey& claim,
                                                const cache::Lister<views::Pod>& pods) {
  return pods.ByIndex(kClaimIndex, claim.namespace_ + "/" + claim.name);
}

}  // namespace flyball::controllers::common
