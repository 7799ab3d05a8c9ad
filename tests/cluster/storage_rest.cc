#include "tests/cluster/storage_rest.h"

#include <algorithm>

#include "flyball/api/label_selector.h"
#include "flyball/api/quantity.h"
#include "flyball/simulation/storage/volume_facts.h"
#include "tests/faults/claims_of_pod.h"

namespace flyball::cluster {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using faults::ClaimsOf;
using faults::UsesClaim;
using simulation::ClassOf;
using simulation::StorageIn;
using storage::v1::StorageClass;
using storage::v1::VolumeAttachment;

bool IsGoing(const auto& object) { return object.metadata.deletionTimestamp.has_value(); }

bool IsOf(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.spec.claimRef && volume.spec.claimRef->uid == claim.metadata.uid;
}

/// Whether somebody has reserved a volume for a claim, or bound it already.
bool IsMeantFor(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto& meant = volume.spec.claimRef;
  return meant && meant->namespace_ == claim.metadata.namespace_ &&
         meant->name == claim.metadata.name &&
         (meant->uid.empty() || meant->uid == claim.metadata.uid);
}

/// By what even one that is meant for a claim is judged.
bool IsLargeEnough(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto& offered = volume.spec.accessModes;
  return !IsGoing(volume) &&
         !(StorageIn(volume.spec.capacity) < StorageIn(claim.spec.resources.requests)) &&
         std::ranges::all_of(claim.spec.accessModes, [&](const std::string& mode) {
           return std::ranges::count(offered, mode) != 0;
         });
}

bool IsSelected(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (!claim.spec.selector) return true;
  const auto selector = api::Selector::FromMessage(claim.spec.selector);
  return selector && selector->Matches(volume.metadata.labels);
}

bool IsShared(const PersistentVolume& volume) {
  return std::ranges::any_of(volume.spec.accessModes, [](const std::string& mode) {
    return mode == "ReadWriteMany" || mode == "ReadOnlyMany";
  });
}

class Look {
 public:
  explicit Look(const StorageScene& scene) : scene_(scene) {}

  std::string Unrest(const PersistentVolumeClaim& claim) const;
  std::string Unrest(const PersistentVolume& volume) const;
  std::string Unrest(const Pod& pod) const;
  std::string Unrest(const VolumeAttachment& attachment) const;

 private:
  template <typename T>
  static const T* Named(const std::vector<T>& all, const std::string& name) {
    const auto found =
        std::ranges::find_if(all, [&](const T& one) { return one.metadata.name == name; });
    return found == all.end() ? nullptr : &*found;
  }
  const PersistentVolumeClaim* ClaimOf(const PersistentVolume& volume) const {
    const auto found =
        std::ranges::find_if(scene_.claims, [&](const auto& claim) { return IsOf(volume, claim); });
    return found == scene_.claims.end() ? nullptr : &*found;
  }
  /// Null: it has none, or one that is not its own.
  const PersistentVolume* VolumeOf(const PersistentVolumeClaim& claim) const {
    const auto* const volume = Named(scene_.volumes, claim.spec.volumeName);
    return volume != nullptr && IsOf(*volume, claim) ? volume : nullptr;
  }
  bool IsDelayed(const PersistentVolumeClaim& claim) const {
    const auto* const its = Named(scene_.classes, ClassOf(claim));
    return its != nullptr && its->volumeBindingMode == "WaitForFirstConsumer";
  }
  bool IsUsedOnANode(const PersistentVolumeClaim& claim) const {
    return std::ranges::any_of(scene_.pods, [&](const Pod& pod) {
      return !pod.spec.nodeName.empty() &&
             UsesClaim(pod, claim.metadata.namespace_, claim.metadata.name);
    });
  }
  /// A pod that is to be given a node, and for which only its delayed claims are missing.
  bool HasConsumer(const PersistentVolumeClaim& claim) const;
  bool CanBeBound(const PersistentVolumeClaim& claim) const;
  bool CanHaveNamed(const PersistentVolumeClaim& claim) const;
  /// Whether a pod has to wait for a claim, until somebody does something: it is not bound, or a
  /// node has its volume that does not give it away.
  bool HoldsUp(const Pod& pod, const std::string& name) const;

  const StorageScene& scene_;
};

bool Look::HasConsumer(const PersistentVolumeClaim& claim) const {
  return std::ranges::any_of(scene_.pods, [&](const Pod& pod) {
    if (IsGoing(pod)) return false;
    if (!UsesClaim(pod, claim.metadata.namespace_, claim.metadata.name)) return false;
    return std::ranges::all_of(ClaimsOf(pod), [&](const std::string& name) {
      const auto* const its = Named(scene_.claims, name);
      if (its == nullptr || IsGoing(*its) || its->status.phase == "Lost") return false;
      return its->status.phase == "Bound" || (its->spec.volumeName.empty() && IsDelayed(*its));
    });
  });
}

bool Look::CanHaveNamed(const PersistentVolumeClaim& claim) const {
  const auto* const volume = Named(scene_.volumes, claim.spec.volumeName);
  if (volume == nullptr) return false;
  if (volume->spec.claimRef) return IsMeantFor(*volume, claim);
  return IsLargeEnough(*volume, claim) && ClassOf(*volume) == ClassOf(claim);
}

bool Look::CanBeBound(const PersistentVolumeClaim& claim) const {
  if (!claim.spec.volumeName.empty()) return CanHaveNamed(claim);
  const bool in_time = !IsDelayed(claim) || HasConsumer(claim);
  const bool fits_one = std::ranges::any_of(scene_.volumes, [&](const PersistentVolume& volume) {
    if (!IsLargeEnough(volume, claim)) return false;
    if (volume.spec.claimRef) return IsMeantFor(volume, claim);
    return in_time && ClassOf(volume) == ClassOf(claim) && IsSelected(volume, claim);
  });
  if (fits_one) return true;
  const auto* const its = Named(scene_.classes, ClassOf(claim));
  return in_time && its != nullptr && its->provisioner == scene_.driver;
}

std::string Look::Unrest(const PersistentVolumeClaim& claim) const {
  const std::string& phase = claim.status.phase;
  const auto* const volume = VolumeOf(claim);
  if (IsGoing(claim)) return IsUsedOnANode(claim) ? "" : "goes";
  if (phase == "Lost") return volume == nullptr ? "" : "is lost, and has a volume";
  if (phase != "Bound") return CanBeBound(claim) ? "is " + phase + ", and can be bound" : "";
  if (volume == nullptr) return "is bound to a volume that is not its own";
  return volume->status.phase == "Bound" ? "" : "is bound, and its volume is not";
}

std::string Look::Unrest(const PersistentVolume& volume) const {
  const std::string& phase = volume.status.phase;
  const auto* const claim = ClaimOf(volume);
  const bool is_had = claim != nullptr && claim->spec.volumeName == volume.metadata.name;
  if (IsGoing(volume) && !is_had) return "goes";
  const auto& meant = volume.spec.claimRef;
  if (!meant || meant->uid.empty()) return phase == "Available" ? "" : "is nobody's and " + phase;
  if (is_had) return phase == "Bound" || claim->status.phase == "Lost" ? "" : "is had and " + phase;
  if (claim != nullptr) return "is that of a claim that does not have it";
  if (phase != "Released" && phase != "Failed") return "has no claim, and is " + phase;
  const std::string* const by = volume.metadata.annotations.find(simulation::kProvisionedBy);
  const bool is_deleted = by != nullptr && *by == scene_.driver &&
                          volume.spec.persistentVolumeReclaimPolicy == "Delete";
  return is_deleted ? "has no claim, and is to be deleted" : "";
}

bool Look::HoldsUp(const Pod& pod, const std::string& name) const {
  const auto* const claim = Named(scene_.claims, name);
  if (claim == nullptr || IsGoing(*claim) || claim->status.phase != "Bound") return true;
  const auto* const volume = VolumeOf(*claim);
  // Nobody attaches one that is to go.
  if (volume == nullptr || IsGoing(*volume)) return true;
  if (pod.spec.nodeName.empty() || IsShared(*volume)) return false;
  return std::ranges::any_of(scene_.attachments, [&](const VolumeAttachment& one) {
    return one.spec.source.persistentVolumeName == volume->metadata.name &&
           one.spec.nodeName != pod.spec.nodeName;
  });
}

std::string Look::Unrest(const Pod& pod) const {
  if (IsGoing(pod)) return "goes";
  if (pod.status.phase == "Running") return "";
  const auto claims = ClaimsOf(pod);
  // A node is found for it wherever its volumes are.
  const bool waits =
      std::ranges::any_of(claims, [&](const std::string& name) { return HoldsUp(pod, name); });
  return waits ? "" : "is " + pod.status.phase + ", and has all its volumes";
}

std::string Look::Unrest(const VolumeAttachment& attachment) const {
  if (IsGoing(attachment)) return "goes";
  const auto* const volume =
      Named(scene_.volumes, attachment.spec.source.persistentVolumeName.value_or(""));
  const bool wanted =
      volume != nullptr && volume->spec.claimRef &&
      std::ranges::any_of(scene_.pods, [&](const Pod& pod) {
        return pod.spec.nodeName == attachment.spec.nodeName &&
               UsesClaim(pod, volume->spec.claimRef->namespace_, volume->spec.claimRef->name);
      });
  if (!wanted) return "is at " + attachment.spec.nodeName + ", which does not want it";
  return attachment.status.attached || IsGoing(*volume) ? "" : "is not attached";
}

}  // namespace

std::vector<std::string> UnrestIn(const StorageScene& scene) {
  const Look look(scene);
  std::vector<std::string> all;
  const auto add = [&](const char* kind, const auto& objects) {
    for (const auto& one : objects) {
      const std::string unrest = look.Unrest(one);
      if (!unrest.empty()) all.push_back(kind + (" " + one.metadata.name) + " " + unrest);
    }
  };
  add("claim", scene.claims);
  add("volume", scene.volumes);
  add("pod", scene.pods);
  add("attachment", scene.attachments);
  return all;
}

}  // namespace flyball::cluster
