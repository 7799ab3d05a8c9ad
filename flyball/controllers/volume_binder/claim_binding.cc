#include "flyball/controllers/volume_binder/claim_binding.h"

#include "flyball/api/quantity.h"

namespace flyball::controllers::volume_binder {
namespace {

void Annotate(auto& object, std::string_view name, const std::string& value = "yes") {
  if (!HasAnnotation(object, name)) object.metadata.annotations[name] = value;
}

core::v1::ObjectReference ReferenceTo(const PersistentVolumeClaim& claim) {
  core::v1::ObjectReference reference;
  reference.apiVersion = "v1";
  reference.kind = "PersistentVolumeClaim";
  reference.namespace_ = claim.metadata.namespace_;
  reference.name = claim.metadata.name;
  reference.uid = claim.metadata.uid;
  reference.resourceVersion = claim.metadata.resourceVersion;
  return reference;
}

/// The capacity that a claim has when it is bound: while its file system waits to be grown, what it
/// was before.
Result<core::v1::ResourceList> CapacityFor(const PersistentVolumeClaim& claim,
                                           const PersistentVolume& volume) {
  const api::Quantity* const offered = volume.spec.capacity.find("storage");
  if (offered == nullptr) {
    return Fail(ErrorCode::kInvalid,
                "PersistentVolume \"" + volume.metadata.name + "\" is without a storage capacity");
  }
  if (const auto* const before = AnnotationOf(volume, kPreResizeCapacity)) {
    core::v1::ResourceList capacity = claim.status.capacity;
    const auto parsed = api::Quantity::Parse(*before);
    capacity["storage"] = parsed ? *parsed : *offered;
    return capacity;
  }
  const api::Quantity* const had = claim.status.capacity.find("storage");
  if (had != nullptr && *had == *offered) return claim.status.capacity;
  return volume.spec.capacity;
}

template <typename T>
std::optional<T> IfChanged(T now, const T& before) {
  if (now == before) return std::nullopt;
  return now;
}

}  // namespace

std::optional<PersistentVolume> BoundVolume(const PersistentVolume& volume,
                                            const PersistentVolumeClaim& claim) {
  PersistentVolume bound = volume;
  const auto& reference = volume.spec.claimRef;
  const bool meant = IsMeantFor(volume, claim);
  if (!meant || reference->uid != claim.metadata.uid) bound.spec.claimRef = ReferenceTo(claim);
  // Without this it was reserved by somebody, and stays so when it is let go.
  if (!meant) Annotate(bound, kBoundByController);
  return IfChanged(std::move(bound), volume);
}

std::optional<PersistentVolumeClaim> BoundClaim(const PersistentVolumeClaim& claim,
                                                const PersistentVolume& volume) {
  PersistentVolumeClaim bound = claim;
  if (claim.spec.volumeName != volume.metadata.name) {
    bound.spec.volumeName = volume.metadata.name;
    Annotate(bound, kBoundByController);
  }
  Annotate(bound, kBindCompleted);
  return IfChanged(std::move(bound), claim);
}

std::optional<PersistentVolume> WithPhase(const PersistentVolume& volume, const std::string& phase,
                                          const std::string& message) {
  if (volume.status.phase == phase) return std::nullopt;
  PersistentVolume now = volume;
  now.status.phase = phase;
  now.status.message = message;
  return now;
}

Result<std::optional<PersistentVolumeClaim>> WithBoundStatus(const PersistentVolumeClaim& claim,
                                                             const PersistentVolume& volume) {
  PersistentVolumeClaim now = claim;
  now.status.accessModes = volume.spec.accessModes;
  // Of one that is bound the two may differ: what a file system has is not always what a disk has.
  // And its attributes are its driver's to say.
  if (claim.status.phase != "Bound") {
    now.status.phase = "Bound";
    FLYBALL_TRY(now.status.capacity, CapacityFor(claim, volume));
    if (claim.status.phase == "Pending") {
      now.status.currentVolumeAttributesClassName = volume.spec.volumeAttributesClassName;
    }
  }
  return IfChanged(std::move(now), claim);
}

std::optional<PersistentVolumeClaim> WithoutVolume(const PersistentVolumeClaim& claim,
                                                   const std::string& phase) {
  PersistentVolumeClaim now = claim;
  now.status.phase = phase;
  now.status.accessModes.clear();
  now.status.capacity.clear();
  now.status.currentVolumeAttributesClassName.reset();
  return IfChanged(std::move(now), claim);
}

PersistentVolume Unbound(const PersistentVolume& volume) {
  PersistentVolume unbound = volume;
  if (unbound.metadata.annotations.erase(kBoundByController)) {
    unbound.spec.claimRef.reset();
  } else if (unbound.spec.claimRef) {
    unbound.spec.claimRef->uid.clear();
  }
  return unbound;
}

std::optional<PersistentVolumeClaim> WithProvisioner(const PersistentVolumeClaim& claim,
                                                     const std::string& provisioner) {
  const auto* const said = AnnotationOf(claim, kProvisioner);
  if (said != nullptr && *said == provisioner) return std::nullopt;
  PersistentVolumeClaim now = claim;
  now.metadata.annotations[kBetaProvisioner] = provisioner;
  now.metadata.annotations[kProvisioner] = provisioner;
  AlignMigration(now);
  return now;
}

}  // namespace flyball::controllers::volume_binder
