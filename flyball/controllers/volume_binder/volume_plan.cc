#include "flyball/controllers/volume_binder/volume_plan.h"

#include <algorithm>
#include <optional>

namespace flyball::controllers::volume_binder {
namespace {

using common::Normal;
using common::Warning;

bool IsOver(const PersistentVolume& volume) {
  return volume.status.phase == "Released" || volume.status.phase == "Failed";
}

void Say(VolumePlan& plan, const PersistentVolume& volume, const char* phase) {
  if (volume.status.phase != phase) plan.phase = phase;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

/// A failure, which is told when it is new.
void FailReclaim(VolumePlan& plan, const PersistentVolume& volume, const char* reason,
                 std::string why) {
  if (volume.status.phase == "Failed") return;
  plan.reclaimed_phase = "Failed";
  plan.reclaim_events.push_back(Warning(reason, std::move(why)));
}

/// Of any machine.
constexpr std::string_view kTemporary = "/tmp/";  // lint: allow /tmp/: a fact of upstream's

/// PARITY: anywhere in the path.
bool IsTemporary(const std::string& path) {
  const auto found = path.find(kTemporary);
  return found != std::string::npos && found + kTemporary.size() < path.size();
}

/// Why nobody deletes what is behind a hostPath.
// DIVERGES: upstream deletes a path below /tmp of the machine that the manager happens to be on.
std::string WhyNotHostPath(const std::string& path) {
  if (IsTemporary(path)) {
    return "host_path deleter is not supported: delete " + path + " by hand";
  }
  return "host_path deleter only supports " + std::string(kTemporary) +
         ".+ but received provided " + path;
}

/// Why this manager cannot delete what is behind a volume. None if that is somebody else's to do.
std::optional<std::string> WhyNotDeleted(const PersistentVolume& volume) {
  const auto* const provisioner = AnnotationOf(volume, kProvisionedBy);
  const std::string path = volume.spec.hostPath ? volume.spec.hostPath->path : std::string();
  if (provisioner != nullptr && !provisioner->empty()) {
    if (!IsInTree(*provisioner)) return std::nullopt;
    if (*provisioner == "kubernetes.io/host-path") return WhyNotHostPath(path);
    if (*provisioner == "kubernetes.io/nfs") return "no deletable volume plugin matched";
    return "no volume plugin matched name: " + *provisioner;
  }
  if (HasAnnotation(volume, kMigratedTo) || volume.spec.csi) return std::nullopt;
  if (volume.spec.hostPath) return WhyNotHostPath(path);
  return "error getting deleter volume plugin for volume \"" + volume.metadata.name + "\": " +
         (volume.spec.nfs ? "no deletable volume plugin matched" : "no volume plugin matched");
}

/// DIVERGES: volumes of hostPath and NFS are emptied by a pod upstream. That was given up long ago
/// in favour of provisioners, and is refused here.
void PlanToRecycle(VolumePlan& plan, const PersistentVolume& volume, const VolumeFacts& facts) {
  const auto pods = facts.pods ? facts.pods() : std::vector<std::string>();
  if (!pods.empty() && !facts.name_in_use) {
    plan.reclaim_events.push_back(
        Normal("VolumeFailedRecycle", "Volume is used by pods: " + Joined(pods)));
    return;
  }
  const bool recyclable = volume.spec.hostPath || volume.spec.nfs;
  FailReclaim(plan, volume, "VolumeFailedRecycle",
              recyclable ? "Recycle failed: recycling is not supported, empty the volume by hand"
                         : "No recycler plugin found for the volume!");
}

void PlanToReclaim(VolumePlan& plan, const PersistentVolume& volume, const VolumeFacts& facts) {
  const auto* const migrated = AnnotationOf(volume, kMigratedTo);
  if (migrated != nullptr && !migrated->empty()) return;
  const std::string& policy = volume.spec.persistentVolumeReclaimPolicy;
  if (policy == "Retain") return;
  if (policy == "Recycle") return PlanToRecycle(plan, volume, facts);
  if (policy == "Delete") {
    plan.deletion = VolumePlan::Deletion::kByDriver;
    if (auto why = WhyNotDeleted(volume)) {
      plan.deletion = VolumePlan::Deletion::kFails;
      FailReclaim(plan, volume, "VolumeFailedDelete", *std::move(why));
    }
    return;
  }
  FailReclaim(plan, volume, "VolumeUnknownReclaimPolicy",
              "Volume has unrecognized PersistentVolumeReclaimPolicy");
}

/// It is nobody's any more.
VolumePlan PlanToRelease(const PersistentVolume& volume, const VolumeFacts& facts) {
  VolumePlan plan;
  if (!IsOver(volume)) plan.phase = "Released";
  PlanToReclaim(plan, volume, facts);
  return plan;
}

/// Its claim does not name a volume yet.
VolumePlan PlanForUnboundClaim(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  VolumePlan plan;
  if (ModeOf(volume) == ModeOf(claim)) {
    plan.wake_claim = true;
    return plan;
  }
  plan.events.push_back(Warning(
      "VolumeMismatch", "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"" +
                            claim.metadata.name + "\" due to incompatible volumeMode."));
  plan.claim_events.push_back(
      Warning("VolumeMismatch", "Cannot bind PersistentVolume \"" + volume.metadata.name +
                                    "\" to requested PersistentVolumeClaim due to incompatible "
                                    "volumeMode."));
  return plan;
}

}  // namespace

bool IsBound(const PersistentVolume& volume) {
  return volume.spec.claimRef && !volume.spec.claimRef->uid.empty();
}

VolumePlan PlanFor(const PersistentVolume& volume, const VolumeFacts& facts) {
  VolumePlan plan;
  if (!IsBound(volume)) {
    Say(plan, volume, "Available");
    return plan;
  }
  if (!facts.claim) return PlanToRelease(volume, facts);
  const std::string& claimed = facts.claim->spec.volumeName;
  if (claimed.empty()) return PlanForUnboundClaim(volume, *facts.claim);
  if (claimed == volume.metadata.name) {
    Say(plan, volume, "Bound");
    return plan;
  }
  // The claim has got another.
  const bool made_for_it = HasAnnotation(volume, kProvisionedBy) &&
                           volume.spec.persistentVolumeReclaimPolicy == "Delete";
  if (made_for_it) return PlanToRelease(volume, facts);
  plan.unbind = true;
  return plan;
}

std::string VolumePlan::ToString() const {
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (!phase.empty()) add("it is " + phase);
  if (unbind) add("take back its binding");
  if (wake_claim) add("have its claim looked at");
  for (const auto& event : events) add("say " + event.reason);
  for (const auto& event : claim_events) add("say " + event.reason + " of its claim");
  if (deletion == Deletion::kByDriver) add("leave it to its driver");
  if (!reclaimed_phase.empty()) add("it is " + reclaimed_phase);
  for (const auto& event : reclaim_events) add("say " + event.reason);
  return text.empty() ? "leave it" : text;
}

}  // namespace flyball::controllers::volume_binder
