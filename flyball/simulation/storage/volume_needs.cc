#include "flyball/simulation/storage/volume_needs.h"

#include <algorithm>

#include "flyball/api/label_selector.h"
#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using storage::v1::StorageClass;

// PARITY: upstream's words.
constexpr std::string_view kWrongPlace = "node(s) didn't match PersistentVolume's node affinity";
constexpr std::string_view kNoVolume = "node(s) didn't find available persistent volumes to bind";
constexpr std::string_view kMissing =
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
constexpr std::string_view kNobody = "kubernetes.io/no-provisioner";

/// Whether a volume of a class can be made for a node.
bool CanBeProvisioned(const StorageClass& storage_class, const views::KubeletNode& node) {
  if (storage_class.provisioner == kNobody) return false;
  const auto& allowed = storage_class.allowedTopologies;
  if (allowed.empty()) return true;
  return std::ranges::any_of(allowed, [&](const core::v1::TopologySelectorTerm& term) {
    return std::ranges::all_of(term.matchLabelExpressions, [&](const auto& label) {
      const auto value = node.metadata.labels.find(label.key);
      return value && std::ranges::find(label.values, *value) != label.values.end();
    });
  });
}

/// Goes through claims with the volume that each would get on a node; null: one is to be made.
template <typename Get>
void ForEachDelayed(const VolumeNeeds& needs, const views::KubeletNode& node, Get get) {
  std::vector<std::string_view> chosen;
  for (const DelayedClaim& delayed : needs.delayed) {
    VolumeRef found;
    for (const VolumeRef& volume : delayed.candidates) {
      if (std::ranges::find(chosen, volume->metadata.name) != chosen.end()) continue;
      if (!VolumePlace(*volume).Has(node)) continue;
      found = volume;
      chosen.push_back(volume->metadata.name);
      break;
    }
    get(delayed, found);
  }
}

}  // namespace

VolumePlace::VolumePlace(const PersistentVolume& volume) {
  const auto& affinity = volume.spec.nodeAffinity;
  if (affinity && affinity->required) required_.emplace(*affinity->required);
}

bool VolumePlace::Has(const views::KubeletNode& node) const {
  return !required_ || required_->Matches(node.metadata.name, node.metadata.labels);
}

bool IsDelayed(const PersistentVolumeClaim& claim, const StorageClass* storage_class) {
  // PARITY: one that names its volume is the binder's.
  return storage_class != nullptr && claim.spec.volumeName.empty() &&
         storage_class->volumeBindingMode == "WaitForFirstConsumer";
}

bool CouldHave(const PersistentVolumeClaim& claim, const PersistentVolume& volume) {
  if (volume.metadata.deletionTimestamp || ClassOf(volume) != ClassOf(claim)) return false;
  if (StorageIn(volume.spec.capacity) < StorageIn(claim.spec.resources.requests)) return false;
  if (volume.spec.volumeMode.value_or("Filesystem") !=
      claim.spec.volumeMode.value_or("Filesystem")) {
    return false;
  }
  const auto& offered = volume.spec.accessModes;
  const bool offers_all = std::ranges::all_of(claim.spec.accessModes, [&](const auto& mode) {
    return std::ranges::find(offered, mode) != offered.end();
  });
  if (!offers_all) return false;
  if (const auto& reference = volume.spec.claimRef) {
    return reference->namespace_ == claim.metadata.namespace_ &&
           reference->name == claim.metadata.name &&
           (reference->uid.empty() || reference->uid == claim.metadata.uid);
  }
  if (volume.status.phase != "Available") return false;
  if (!claim.spec.selector) return true;
  const auto selector = api::Selector::FromMessage(claim.spec.selector);
  return selector && selector->Matches(volume.metadata.labels);
}

std::vector<std::string> ObjectionsTo(const VolumeNeeds& needs, const views::KubeletNode& node) {
  std::vector<std::string> objections;
  if (std::ranges::any_of(needs.bound, [&](const VolumePlace& at) { return !at.Has(node); })) {
    objections.emplace_back(kWrongPlace);
  }
  bool all_found = true;
  ForEachDelayed(needs, node, [&](const DelayedClaim& delayed, const VolumeRef& volume) {
    if (!delayed.node.empty() && delayed.node != node.metadata.name.view()) all_found = false;
    if (!volume && !CanBeProvisioned(*delayed.storage_class, node)) all_found = false;
  });
  if (!all_found) objections.emplace_back(kNoVolume);
  if (needs.missing) objections.emplace_back(kMissing);
  return objections;
}

VolumeChoice ChooseVolumes(const VolumeNeeds& needs, const views::KubeletNode& node) {
  VolumeChoice choice;
  ForEachDelayed(needs, node, [&](const DelayedClaim& delayed, const VolumeRef& volume) {
    if (volume) {
      choice.bindings.push_back({delayed.claim, volume});
    } else {
      choice.provisions.push_back(delayed.claim);
    }
  });
  return choice;
}

}  // namespace flyball::simulation
