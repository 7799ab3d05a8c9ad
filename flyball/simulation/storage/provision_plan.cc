#include "flyball/simulation/storage/provision_plan.h"

#include <utility>
#include <vector>

#include "flyball/simulation/storage/storage_script.h"
#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using core::v1::NodeSelectorTerm;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using storage::v1::StorageClass;

void Require(NodeSelectorTerm& term, const std::string& key, std::vector<std::string> values) {
  auto& requirement = term.matchExpressions.emplace_back();
  requirement.key = key;
  requirement.operator_ = "In";
  requirement.values = std::move(values);
}

/// Where a volume can be had: near the node that was chosen, or else where its class allows.
std::vector<NodeSelectorTerm> TopologyFor(const StorageClass& storage_class,
                                          const views::KubeletNode* node) {
  std::vector<NodeSelectorTerm> terms;
  if (node != nullptr) {
    const std::string* const key = storage_class.parameters.find(kTopologyParameter);
    const auto value = key == nullptr ? std::nullopt : node->metadata.labels.find(*key);
    if (value) Require(terms.emplace_back(), *key, {std::string(*value)});
    return terms;
  }
  for (const auto& allowed : storage_class.allowedTopologies) {
    NodeSelectorTerm& term = terms.emplace_back();
    for (const auto& label : allowed.matchLabelExpressions) Require(term, label.key, label.values);
  }
  return terms;
}

}  // namespace

std::string VolumeNameFor(const PersistentVolumeClaim& claim) {
  return "pvc-" + claim.metadata.uid;
}

std::string SelectedNodeOf(const PersistentVolumeClaim& claim) {
  const std::string* const node = claim.metadata.annotations.find(kSelectedNode);
  return node == nullptr ? std::string() : *node;
}

bool IsToBeProvisioned(const PersistentVolumeClaim& claim, const StorageClass& storage_class,
                       std::string_view driver) {
  if (!claim.spec.volumeName.empty() || claim.metadata.deletionTimestamp) return false;
  const auto& annotations = claim.metadata.annotations;
  const std::string* provisioner = annotations.find(kProvisioner);
  if (provisioner == nullptr) provisioner = annotations.find(kBetaProvisioner);
  if (provisioner == nullptr || *provisioner != driver) return false;
  if (storage_class.provisioner != driver) return false;
  // The binder names the provisioner when a node is chosen, and does not take it back when the
  // provisioner gives the node up.
  return storage_class.volumeBindingMode != "WaitForFirstConsumer" ||
         !SelectedNodeOf(claim).empty();
}

PersistentVolume VolumeFor(const PersistentVolumeClaim& claim, const StorageClass& storage_class,
                           const views::KubeletNode* node, std::string_view driver) {
  PersistentVolume volume;
  volume.metadata.name = VolumeNameFor(claim);
  volume.metadata.annotations = ScriptOfVolume(claim);
  volume.metadata.annotations[kProvisionedBy] = driver;
  // PARITY: whose secret is used when the volume is deleted, said also where there is none.
  volume.metadata.annotations["volume.kubernetes.io/provisioner-deletion-secret-name"] = "";
  volume.metadata.annotations["volume.kubernetes.io/provisioner-deletion-secret-namespace"] = "";

  auto& spec = volume.spec;
  spec.persistentVolumeReclaimPolicy = storage_class.reclaimPolicy.value_or("Delete");
  if (spec.persistentVolumeReclaimPolicy == "Delete") {
    volume.metadata.finalizers.emplace_back(kProvisionerFinalizer);
  }
  const api::Quantity asked = StorageIn(claim.spec.resources.requests);
  spec.capacity["storage"] =
      api::Quantity::FromInt64(asked.Value(), api::Quantity::Format::kBinarySi);
  spec.accessModes = claim.spec.accessModes;
  spec.mountOptions = storage_class.mountOptions;
  spec.storageClassName = ClassOf(claim);
  spec.volumeMode = claim.spec.volumeMode;
  spec.volumeAttributesClassName = claim.spec.volumeAttributesClassName;
  spec.claimRef = ReferenceToClaim(claim);
  auto& csi = spec.csi.emplace();
  csi.driver = driver;
  csi.volumeHandle = volume.metadata.name;
  if (claim.spec.volumeMode.value_or("Filesystem") == "Filesystem") csi.fsType = "ext4";
  csi.volumeAttributes["storage.kubernetes.io/csiProvisionerIdentity"] =
      "simulation-" + std::string(driver);
  if (auto terms = TopologyFor(storage_class, node); !terms.empty()) {
    spec.nodeAffinity.emplace().required.emplace().nodeSelectorTerms = std::move(terms);
  }
  return volume;
}

bool IsOfTheNode(std::string_view error) { return error.contains("code = ResourceExhausted"); }

bool IsToBeDeleted(const PersistentVolume& volume, std::string_view driver) {
  const std::string* const by = volume.metadata.annotations.find(kProvisionedBy);
  if (by == nullptr || *by != driver || !IsOf(volume, driver)) return false;
  // It has been deleted already, and stays for others.
  const bool done =
      volume.metadata.deletionTimestamp && !HasFinalizer(volume.metadata, kProvisionerFinalizer);
  return !done && volume.status.phase == "Released" &&
         volume.spec.persistentVolumeReclaimPolicy == "Delete";
}

std::optional<PersistentVolume> WithFinalizerAligned(const PersistentVolume& volume,
                                                     std::string_view driver) {
  const std::string* const by = volume.metadata.annotations.find(kProvisionedBy);
  if (by == nullptr || *by != driver) return std::nullopt;
  const bool there = HasFinalizer(volume.metadata, kProvisionerFinalizer);
  const bool goes_with_it = volume.spec.persistentVolumeReclaimPolicy == "Delete";
  const bool may_be_added = !volume.metadata.deletionTimestamp && volume.status.phase == "Bound";
  if (there == goes_with_it || (goes_with_it && !may_be_added)) return std::nullopt;
  PersistentVolume changed = volume;
  if (goes_with_it) {
    changed.metadata.finalizers.emplace_back(kProvisionerFinalizer);
  } else {
    RemoveFinalizer(changed.metadata, kProvisionerFinalizer);
  }
  return changed;
}

}  // namespace flyball::simulation
