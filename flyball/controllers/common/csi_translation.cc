#include "flyball/controllers/common/csi_translation.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace flyball::controllers::common {
namespace {

using core::v1::CSIPersistentVolumeSource;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeSpec;

constexpr const char* kOnce = "ReadWriteOnce";
constexpr const char* kReadOnlyMany = "ReadOnlyMany";
constexpr const char* kMany = "ReadWriteMany";
constexpr const char* kUnspecified = "UNSPECIFIED";

/// Of a label or an annotation; empty if there is none.
std::string Value(const api::Map<std::string>& map, std::string_view key) {
  const std::string* const found = map.find(key);
  return found == nullptr ? "" : *found;
}

CSIPersistentVolumeSource Source(std::string driver, std::string handle) {
  CSIPersistentVolumeSource source;
  source.driver = std::move(driver);
  source.volumeHandle = std::move(handle);
  return source;
}

/// The part of an "aws://zone/vol-1" behind the zone.
std::string PathOfAwsName(std::string_view name) {
  name.remove_prefix(std::string_view("aws://").size());
  name = name.substr(0, name.find_first_of("?#"));
  const auto slash = name.find('/');
  std::string_view path = slash == std::string_view::npos ? "" : name.substr(slash);
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

Result<std::string> AwsHandle(const std::string& name) {
  if (!name.starts_with("aws://")) return name;
  std::string path = PathOfAwsName(name);
  if (path.starts_with("vol-") && !path.contains('/')) return path;
  return Fail(ErrorCode::kInvalid, "Invalid format for AWS volume (" + name + ")");
}

Result<CSIPersistentVolumeSource> Translated(
    const core::v1::AWSElasticBlockStoreVolumeSource& disk) {
  FLYBALL_TRY(std::string handle, AwsHandle(disk.volumeID));
  auto source = Source("ebs.csi.aws.com", std::move(handle));
  source.readOnly = disk.readOnly;
  source.fsType = disk.fsType;
  source.volumeAttributes["partition"] = std::to_string(disk.partition);
  return source;
}

std::vector<std::string> ZonesOf(const PersistentVolume& volume) {
  std::string zones;
  for (const char* label :
       {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"}) {
    if (zones.empty()) zones = Value(volume.metadata.labels, label);
  }
  std::vector<std::string> split;
  for (std::size_t at = 0;;) {
    const auto end = zones.find("__", at);
    split.push_back(zones.substr(at, end - at));
    if (end == std::string::npos) return split;
    at = end + 2;
  }
}

/// "europe-west1" of "europe-west1-b".
Result<std::string> GceRegion(const std::vector<std::string>& zones) {
  std::set<std::string> regions;
  for (const std::string& zone : zones) {
    if (std::ranges::count(zone, '-') != 2) {
      return Fail(ErrorCode::kInvalid,
                  "zone in unexpected format: expected: locale-region-zone, "
                  "got: " +
                      zone);
    }
    regions.insert(zone.substr(0, zone.rfind('-')));
  }
  if (regions.size() == 1) return *regions.begin();
  return Fail(ErrorCode::kInvalid, "multiple or no regions gotten from zones");
}

CSIPersistentVolumeSource Translated(const core::v1::GCEPersistentDiskVolumeSource& disk,
                                     const std::string& place) {
  auto source = Source("pd.csi.storage.gke.io", std::string("projects/") + kUnspecified + "/" +
                                                    place + "/disks/" + disk.pdName);
  source.readOnly = disk.readOnly;
  source.fsType = disk.fsType;
  source.volumeAttributes["partition"] = disk.partition == 0 ? "" : std::to_string(disk.partition);
  return source;
}

Result<std::string> GcePlace(const PersistentVolume& volume) {
  const std::vector<std::string> zones = ZonesOf(volume);
  if (zones.size() == 1) return "zones/" + (zones[0].empty() ? kUnspecified : zones[0]);
  FLYBALL_TRY(const std::string region, GceRegion(zones));
  return "regions/" + region;
}

/// PARITY: disks of this driver never were anything but these, whatever was said of them.
std::vector<std::string> GceAccessModes(const std::vector<std::string>& modes) {
  if (modes.empty()) return modes;
  const auto has = [&](const char* mode) { return std::ranges::find(modes, mode) != modes.end(); };
  const bool read_only = has(kReadOnlyMany) && !has(kOnce) && !has(kMany);
  return {read_only ? kReadOnlyMany : kOnce};
}

/// Of a pod's source, and of a volume's.
CSIPersistentVolumeSource TranslatedCinder(const auto& disk) {
  auto source = Source("cinder.csi.openstack.org", disk.volumeID);
  source.readOnly = disk.readOnly;
  source.fsType = disk.fsType;
  return source;
}

bool IsManaged(const std::string& kind) {
  return std::ranges::equal(
      kind, std::string_view("managed"),
      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

Result<CSIPersistentVolumeSource> Translated(const core::v1::AzureDiskVolumeSource& disk,
                                             bool keeps_empty_mode) {
  if (disk.kind && !IsManaged(*disk.kind)) {
    return Fail(ErrorCode::kInvalid, "kind(" + *disk.kind + ") is not supported in csi migration");
  }
  auto source = Source("disk.csi.azure.com", disk.diskURI);
  source.readOnly = disk.readOnly.value_or(false);
  source.volumeAttributes["kind"] = "Managed";
  if (disk.cachingMode && (keeps_empty_mode || !disk.cachingMode->empty())) {
    source.volumeAttributes["cachingmode"] = *disk.cachingMode;
  }
  if (disk.fsType) {
    source.fsType = *disk.fsType;
    source.volumeAttributes["fstype"] = *disk.fsType;
  }
  return source;
}

/// The account in "azure-storage-account-<account>-secret"; any other name as it is.
std::string AzureAccount(const std::string& secret) {
  constexpr std::string_view kBefore = "azure-storage-account-";
  constexpr std::string_view kAfter = "-secret";
  const auto begin = secret.find(kBefore);
  const auto end = secret.rfind(kAfter);
  if (begin == std::string::npos || end == std::string::npos) return secret;
  if (end <= begin + kBefore.size()) return secret;
  return secret.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

CSIPersistentVolumeSource TranslatedAzureFile(const auto& share, const std::string& group,
                                              const std::string& name,
                                              const std::string& secret_namespace) {
  auto source =
      Source("file.csi.azure.com", group + "#" + AzureAccount(share.secretName) + "#" +
                                       share.shareName + "#" + name + "#" + secret_namespace);
  source.readOnly = share.readOnly;
  source.volumeAttributes["sharename"] = share.shareName;
  auto& secret = source.nodeStageSecretRef.emplace();
  secret.name = share.secretName;
  secret.namespace_ = secret_namespace;
  return source;
}

Result<CSIPersistentVolumeSource> TranslatedAzureFile(const PersistentVolume& volume) {
  const auto& share = *volume.spec.azureFile;
  std::string secret_namespace = share.secretNamespace.value_or("");
  if (!share.secretNamespace && volume.spec.claimRef) {
    secret_namespace = volume.spec.claimRef->namespace_;
  }
  if (secret_namespace.empty()) {
    return Fail(ErrorCode::kInvalid,
                "could not find a secret namespace in PersistentVolumeSource or ClaimRef");
  }
  return TranslatedAzureFile(
      share, Value(volume.metadata.annotations, "kubernetes.io/azure-file-resource-group"),
      volume.metadata.name, secret_namespace);
}

/// DIVERGES: upstream's panics over a policy of a volume that a pod itself describes.
CSIPersistentVolumeSource Translated(const core::v1::VsphereVirtualDiskVolumeSource& disk) {
  auto source = Source("csi.vsphere.vmware.com", disk.volumePath);
  source.fsType = disk.fsType;
  if (!disk.storagePolicyName.empty()) {
    source.volumeAttributes["storagepolicyname"] = disk.storagePolicyName;
  }
  return source;
}

CSIPersistentVolumeSource Translated(const core::v1::PortworxVolumeSource& disk) {
  auto source = Source("pxd.portworx.com", disk.volumeID);
  source.fsType = disk.fsType;
  return source;
}

CSIPersistentVolumeSource TranslatedPortworx(const PersistentVolume& volume) {
  CSIPersistentVolumeSource source = Translated(*volume.spec.portworxVolume);
  const auto& annotations = volume.metadata.annotations;
  const std::string* const name = annotations.find("openstorage.io/auth-secret-name");
  const std::string* const space = annotations.find("openstorage.io/auth-secret-namespace");
  if (name == nullptr || space == nullptr) return source;
  core::v1::SecretReference secret;
  secret.name = *name;
  secret.namespace_ = *space;
  for (auto* const reference : {&source.controllerPublishSecretRef, &source.nodeStageSecretRef,
                                &source.nodePublishSecretRef, &source.controllerExpandSecretRef,
                                &source.nodeExpandSecretRef}) {
    *reference = secret;
  }
  return source;
}

/// The source that takes the place of the volume's, which goes.
Result<CSIPersistentVolumeSource> TakeSource(PersistentVolume& volume) {
  PersistentVolumeSpec& spec = volume.spec;
  if (spec.awsElasticBlockStore) {
    return Translated(*std::exchange(spec.awsElasticBlockStore, {}));
  }
  if (spec.gcePersistentDisk) {
    FLYBALL_TRY(const std::string place, GcePlace(volume));
    spec.accessModes = GceAccessModes(spec.accessModes);
    return Translated(*std::exchange(spec.gcePersistentDisk, {}), place);
  }
  if (spec.cinder) return TranslatedCinder(*std::exchange(spec.cinder, {}));
  if (spec.azureDisk) {
    return Translated(*std::exchange(spec.azureDisk, {}), /*keeps_empty_mode=*/true);
  }
  if (spec.azureFile) {
    auto source = TranslatedAzureFile(volume);
    spec.azureFile.reset();
    return source;
  }
  if (spec.vsphereVolume) return Translated(*std::exchange(spec.vsphereVolume, {}));
  if (spec.portworxVolume) {
    CSIPersistentVolumeSource source = TranslatedPortworx(volume);
    spec.portworxVolume.reset();
    return source;
  }
  return Fail(ErrorCode::kInvalid,
              "could not find in-tree plugin translation logic for " + volume.metadata.name);
}

PersistentVolume Inline(std::string name, CSIPersistentVolumeSource source, const char* mode) {
  PersistentVolume volume;
  volume.metadata.name = std::move(name);
  volume.spec.csi = std::move(source);
  volume.spec.accessModes = {mode};
  volume.spec.volumeMode = "Filesystem";
  return volume;
}

PersistentVolume NamedByDriver(const CSIPersistentVolumeSource& source, const std::string& id,
                               const char* mode) {
  return Inline(source.driver + "-" + id, source, mode);
}

}  // namespace

bool IsMigrated(const core::v1::VolumeSource& source) {
  return source.awsElasticBlockStore || source.gcePersistentDisk || source.cinder ||
         source.azureDisk || source.azureFile || source.vsphereVolume || source.portworxVolume;
}

Result<PersistentVolumeSpec> TranslatedToCsi(const PersistentVolume& volume) {
  PersistentVolume translated = volume;
  FLYBALL_TRY(CSIPersistentVolumeSource source, TakeSource(translated));
  translated.spec.csi = std::move(source);
  return std::move(translated.spec);
}

Result<PersistentVolume> TranslatedToCsi(const core::v1::Volume& volume,
                                         std::string_view pod_namespace) {
  if (volume.awsElasticBlockStore) {
    FLYBALL_TRY(const auto source, Translated(*volume.awsElasticBlockStore));
    return NamedByDriver(source, source.volumeHandle, kOnce);
  }
  if (volume.gcePersistentDisk) {
    const auto& disk = *volume.gcePersistentDisk;
    return NamedByDriver(Translated(disk, std::string("zones/") + kUnspecified), disk.pdName,
                         disk.readOnly ? kReadOnlyMany : kOnce);
  }
  if (volume.cinder) {
    const auto source = TranslatedCinder(*volume.cinder);
    return NamedByDriver(source, source.volumeHandle, kOnce);
  }
  if (volume.azureDisk) {
    FLYBALL_TRY(auto source, Translated(*volume.azureDisk, /*keeps_empty_mode=*/false));
    return Inline(volume.azureDisk->diskURI, std::move(source), kOnce);
  }
  if (volume.azureFile) {
    const std::string space(pod_namespace.empty() ? "default" : pod_namespace);
    auto source = TranslatedAzureFile(*volume.azureFile, "", volume.name, space);
    std::string name = source.volumeHandle;
    return Inline(std::move(name), std::move(source), kMany);
  }
  if (volume.vsphereVolume) {
    const auto source = Translated(*volume.vsphereVolume);
    return NamedByDriver(source, source.volumeHandle, kOnce);
  }
  if (volume.portworxVolume) {
    const auto source = Translated(*volume.portworxVolume);
    return NamedByDriver(source, source.volumeHandle,
                         volume.portworxVolume->readOnly ? kReadOnlyMany : kOnce);
  }
  return Fail(ErrorCode::kInvalid,
              "could not find in-tree plugin translation logic for " + volume.name);
}

}  // namespace flyball::controllers::common
