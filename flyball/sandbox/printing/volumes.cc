#include <algorithm>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using storage::v1::CSIDriver;
using storage::v1::CSINode;
using storage::v1::StorageClass;
using storage::v1::VolumeAttachment;
using storage::v1::VolumeAttributesClass;

std::string AccessModes(const std::vector<std::string>& modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {{"ReadWriteOnce", "RWO"},
                                                                      {"ReadOnlyMany", "ROX"},
                                                                      {"ReadWriteMany", "RWX"},
                                                                      {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string_view> texts;
  for (const auto& [mode, text] : kShort) {
    if (std::ranges::find(modes, mode) != modes.end()) texts.push_back(text);
  }
  return Join(texts);
}

/// An annotation that is older than the field, if there is one.
std::string ClassOf(const meta::v1::ObjectMeta& metadata, std::string_view name) {
  const std::string* const annotated =
      metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
  return annotated != nullptr ? *annotated : std::string(name);
}

std::string StorageText(const api::Map<api::Quantity>& resources) {
  const api::Quantity* const storage = resources.find("storage");
  return storage != nullptr ? storage->ToString() : "0";
}

constexpr Column kVolumeColumns[] = {
    kName,      {"Capacity"}, {"Access Modes"},  {"Reclaim Policy"},
    {"Status"}, {"Claim"},    {"StorageClass"},  {"VolumeAttributesClass"},
    {"Reason"}, kAge,         Wide("VolumeMode")};

Cells VolumeCells(const PersistentVolume& volume, WallTime now) {
  const auto& spec = volume.spec;
  const auto& claim = spec.claimRef;
  return {volume.metadata.name,
          StorageText(spec.capacity),
          AccessModes(spec.accessModes),
          spec.persistentVolumeReclaimPolicy,
          volume.metadata.deletionTimestamp ? "Terminating" : volume.status.phase,
          claim ? claim->namespace_ + "/" + claim->name : "",
          ClassOf(volume.metadata, spec.storageClassName),
          TextOr(spec.volumeAttributesClassName, "<unset>"),
          volume.status.reason,
          AgeOf(volume, now),
          TextOr(spec.volumeMode, "<unset>")};
}

constexpr Column kClaimColumns[] = {kName,
                                    {"Status"},
                                    {"Volume"},
                                    {"Capacity"},
                                    {"Access Modes"},
                                    {"StorageClass"},
                                    {"VolumeAttributesClass"},
                                    kAge,
                                    Wide("VolumeMode")};

Cells ClaimCells(const PersistentVolumeClaim& claim, WallTime now) {
  const auto& spec = claim.spec;
  const bool bound = !spec.volumeName.empty();
  return {claim.metadata.name,
          claim.metadata.deletionTimestamp ? "Terminating" : claim.status.phase,
          spec.volumeName,
          bound ? StorageText(claim.status.capacity) : "",
          bound ? AccessModes(claim.status.accessModes) : "",
          ClassOf(claim.metadata, spec.storageClassName ? *spec.storageClassName : ""),
          TextOr(spec.volumeAttributesClassName, "<unset>"),
          AgeOf(claim, now),
          TextOr(spec.volumeMode, "<unset>")};
}

constexpr Column kStorageClassColumns[] = {
    kName, {"Provisioner"}, {"ReclaimPolicy"}, {"VolumeBindingMode"}, {"AllowVolumeExpansion"},
    kAge};

/// DIVERGES: upstream marks of several defaults in a list only the newest, and none alone.
Cells StorageClassCells(const StorageClass& object, WallTime now) {
  std::string name = object.metadata.name;
  const std::string* const is_default =
      object.metadata.annotations.find("storageclass.kubernetes.io/is-default-class");
  if (is_default != nullptr && *is_default == "true") name += " (default)";
  return {name,
          object.provisioner,
          TextOr(object.reclaimPolicy, "Delete"),
          TextOr(object.volumeBindingMode, "Immediate"),
          object.allowVolumeExpansion.value_or(false),
          AgeOf(object, now)};
}

constexpr Column kAttributesClassColumns[] = {kName, {"DriverName"}, kAge};

Cells AttributesClassCells(const VolumeAttributesClass& object, WallTime now) {
  return {object.metadata.name, object.driverName, AgeOf(object, now)};
}

constexpr Column kAttachmentColumns[] = {
    kName, {.name = "Attacher", .format = "name"}, {"PV"}, {"Node"}, Boolean("Attached"), kAge};

Cells AttachmentCells(const VolumeAttachment& object, WallTime now) {
  return {object.metadata.name,
          object.spec.attacher,
          TextOr(object.spec.source.persistentVolumeName, ""),
          object.spec.nodeName,
          object.status.attached,
          AgeOf(object, now)};
}

constexpr Column kCsiNodeColumns[] = {kName, Integer("Drivers"), kAge};

Cells CsiNodeCells(const CSINode& node, WallTime now) {
  return {node.metadata.name, Count(node.spec.drivers), AgeOf(node, now)};
}

constexpr Column kCsiDriverColumns[] = {kName,
                                        Boolean("AttachRequired"),
                                        Boolean("PodInfoOnMount"),
                                        Boolean("StorageCapacity"),
                                        {"TokenRequests"},
                                        Boolean("RequiresRepublish"),
                                        {"Modes"},
                                        kAge};

Cells CsiDriverCells(const CSIDriver& driver, WallTime now) {
  const auto& spec = driver.spec;
  std::vector<std::string_view> audiences;
  for (const auto& request : spec.tokenRequests) audiences.push_back(request.audience);
  return {driver.metadata.name,
          spec.attachRequired.value_or(true),
          spec.podInfoOnMount.value_or(false),
          spec.storageCapacity.value_or(false),
          spec.tokenRequests.empty() ? "<unset>" : Join(audiences),
          spec.requiresRepublish.value_or(false),
          Or(Join(spec.volumeLifecycleModes), "<none>"),
          AgeOf(driver, now)};
}

constexpr Printer kPrinters[] = {
    For<PersistentVolume, VolumeCells>(kVolumeColumns),
    For<PersistentVolumeClaim, ClaimCells>(kClaimColumns),
    For<StorageClass, StorageClassCells>(kStorageClassColumns),
    For<VolumeAttributesClass, AttributesClassCells>(kAttributesClassColumns),
    For<VolumeAttachment, AttachmentCells>(kAttachmentColumns),
    For<CSINode, CsiNodeCells>(kCsiNodeColumns),
    For<CSIDriver, CsiDriverCells>(kCsiDriverColumns),
};

}  // namespace

std::span<const Printer> StoragePrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
