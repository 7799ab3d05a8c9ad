#include "flyball/controllers/volume_binder/writer.h"

#include <utility>

#include "flyball/controllers/volume_binder/claim_binding.h"

namespace flyball::controllers::volume_binder {
namespace {

/// Takes what is new, if anything is, and goes on with that.
template <typename T>
bool Take(T& object, std::optional<T> changed) {
  if (!changed) return false;
  object = *std::move(changed);
  return true;
}

}  // namespace

Result<> Writer::Put(PersistentVolume& volume) {
  FLYBALL_TRY(const auto stored, context_.Update(volume));
  volume.metadata.resourceVersion = stored.metadata.resourceVersion;
  own_writes_.Wrote(volume.metadata.name, stored.metadata.resourceVersion);
  return {};
}

Result<> Writer::PutStatus(PersistentVolume& volume) {
  FLYBALL_TRY(const auto stored, context_.UpdateStatus(volume));
  volume.metadata.resourceVersion = stored.metadata.resourceVersion;
  own_writes_.Wrote(volume.metadata.name, stored.metadata.resourceVersion);
  context_.log().V(2).Info("Volume entered phase",
                           {{"volumeName", volume.metadata.name}, {"phase", volume.status.phase}});
  return {};
}

Result<> Writer::Put(PersistentVolumeClaim& claim) {
  FLYBALL_TRY(const auto stored, context_.Update(claim));
  claim.metadata.resourceVersion = stored.metadata.resourceVersion;
  return {};
}

Result<> Writer::PutStatus(PersistentVolumeClaim& claim) {
  FLYBALL_TRY(const auto stored, context_.UpdateStatus(claim));
  claim.metadata.resourceVersion = stored.metadata.resourceVersion;
  context_.log().V(2).Info("Claim entered phase",
                           {{"PVC", api::KObj(claim)}, {"phase", claim.status.phase}});
  return {};
}

Result<> Writer::Bind(PersistentVolume volume, PersistentVolumeClaim claim) {
  const std::string& name = volume.metadata.name;
  if (Take(volume, BoundVolume(volume, claim))) {
    FLYBALL_TRY(Put(volume));
    context_.log().V(2).Info("Claim bound to volume",
                             {{"PVC", api::KObj(claim)}, {"volumeName", name}});
  }
  if (Take(volume, WithPhase(volume, "Bound"))) FLYBALL_TRY(PutStatus(volume));
  if (Take(claim, BoundClaim(claim, volume))) {
    FLYBALL_TRY(Put(claim));
    context_.log().V(2).Info("Volume bound to claim",
                             {{"PVC", api::KObj(claim)}, {"volumeName", name}});
  }
  FLYBALL_TRY(auto status, WithBoundStatus(claim, volume));
  if (Take(claim, std::move(status))) FLYBALL_TRY(PutStatus(claim));
  return {};
}

Result<> Writer::Unbind(const PersistentVolume& volume) {
  PersistentVolume unbound = Unbound(volume);
  FLYBALL_TRY(Put(unbound));
  if (Take(unbound, WithPhase(unbound, "Available"))) FLYBALL_TRY(PutStatus(unbound));
  context_.log().V(4).Info("Updating PersistentVolume: rolled back",
                           {{"volumeName", volume.metadata.name}});
  return {};
}

}  // namespace flyball::controllers::volume_binder
