#include "flyball/controllers/attach_detach/attachable.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "flyball/api/protobuf_decode.h"
#include "flyball/controllers/common/csi_migration.h"
#include "flyball/controllers/common/csi_translation.h"
#include "flyball/controllers/common/pod_claims.h"

namespace flyball::controllers::attach_detach {
namespace {

constexpr std::string_view kCsi = "kubernetes.io/csi";
constexpr std::string_view kIscsi = "kubernetes.io/iscsi";
constexpr std::string_view kFibreChannel = "kubernetes.io/fc";

/// Numbers of VolumeSource's fields.
constexpr std::uint64_t kCsiField = 28;
constexpr std::array<std::uint64_t, 9> kAttachedFields = {
    3,   // gcePersistentDisk
    4,   // awsElasticBlockStore
    8,   // iscsi
    13,  // cinder
    17,  // fc
    18,  // azureFile
    20,  // vsphereVolume
    22,  // azureDisk
    24,  // portworxVolume
};

std::string Joined(std::string_view plugin, std::string_view volume) {
  return std::string(plugin) + "/" + std::string(volume);
}

/// PARITY: who says nothing of how it may be used may do anything.
bool IsExclusive(const std::vector<std::string>& access_modes) {
  return !access_modes.empty() && std::ranges::none_of(access_modes, [](const std::string& mode) {
    return mode == "ReadWriteMany" || mode == "ReadOnlyMany";
  });
}

/// PARITY: a list is written as Go writes it.
std::string Listed(const std::vector<std::string>& texts) {
  std::string listed = "[";
  for (const std::string& text : texts) listed.append(listed.size() > 1 ? " " : "").append(text);
  return listed + "]";
}

/// Empty if nothing tells it from others.
std::string NameOf(const core::v1::FCVolumeSource& disk) {
  if (!disk.targetWWNs.empty() && disk.lun) {
    return Listed(disk.targetWWNs) + ":" + std::to_string(*disk.lun);
  }
  return disk.wwids.empty() ? "" : Listed(disk.wwids);
}

/// Of a pod's source, and of a volume's.
std::string NameOfIscsi(const auto& disk) {
  return disk.targetPortal + ":" + disk.iqn + ":" + std::to_string(disk.lun);
}

Attachable OfDriver(const core::v1::CSIPersistentVolumeSource& source) {
  return {.name = Joined(kCsi, source.driver + "^" + source.volumeHandle),
          .title = {},
          .plugin = std::string(kCsi) + ":" + source.driver,
          .driver = source.driver,
          .handle = source.volumeHandle};
}

std::optional<Attachable> OfNobody(std::string_view plugin, const std::string& name) {
  if (name.empty()) return std::nullopt;
  return Attachable{.name = Joined(plugin, name), .title = {}, .plugin = std::string(plugin)};
}

std::optional<Attachable> SourceOf(const core::v1::PersistentVolumeSpec& spec) {
  if (spec.csi) return OfDriver(*spec.csi);
  if (spec.iscsi) return OfNobody(kIscsi, NameOfIscsi(*spec.iscsi));
  if (spec.fc) return OfNobody(kFibreChannel, NameOf(*spec.fc));
  return std::nullopt;
}

std::optional<Attachable> Migrated(const core::v1::VolumeSource& source, std::string name,
                                   std::string_view pod_namespace) {
  core::v1::Volume volume;
  static_cast<core::v1::VolumeSource&>(volume) = source;
  volume.name = std::move(name);
  auto translated = common::TranslatedToCsi(volume, pod_namespace);
  if (!translated) return std::nullopt;
  Attachable attachable = OfDriver(*translated->spec.csi);
  attachable.title = translated->metadata.name;
  attachable.exclusive = IsExclusive(translated->spec.accessModes);
  attachable.migrated = true;
  attachable.described = std::move(translated->spec);
  return attachable;
}

bool HasAttachedSource(const views::Pod::Volume& volume) {
  return !volume.rare.empty() && std::ranges::any_of(kAttachedFields, [&](std::uint64_t field) {
    return common::HasSource(volume, field);
  });
}

}  // namespace

std::optional<Attachable> AttachableOf(const PersistentVolume& volume) {
  const bool migrated = common::MigratedDriverOf(volume).has_value();
  std::optional<Attachable> attachable;
  std::vector<std::string> access_modes = volume.spec.accessModes;
  if (migrated) {
    const auto translated = common::TranslatedToCsi(volume);
    if (!translated) return std::nullopt;
    attachable = SourceOf(*translated);
    access_modes = translated->accessModes;
  } else {
    attachable = SourceOf(volume.spec);
  }
  if (!attachable) return std::nullopt;
  attachable->title = attachable->persistent_volume = volume.metadata.name;
  attachable->exclusive = IsExclusive(access_modes);
  attachable->migrated = migrated;
  return attachable;
}

std::optional<Attachable> AttachableOf(const views::Pod& pod, const views::Pod::Volume& volume) {
  if (!HasAttachedSource(volume)) return std::nullopt;
  const auto source = api::DecodeProtobuf<core::v1::VolumeSource>(volume.rare);
  if (!source) return std::nullopt;
  std::string title(volume.name);
  if (common::IsMigrated(*source)) {
    return Migrated(*source, std::move(title), pod.metadata.namespace_);
  }
  // PARITY: whether several nodes may have these at a time is up to them.
  auto attachable = source->iscsi ? OfNobody(kIscsi, NameOfIscsi(*source->iscsi))
                    : source->fc  ? OfNobody(kFibreChannel, NameOf(*source->fc))
                                  : std::nullopt;
  if (attachable) attachable->title = std::move(title);
  return attachable;
}

std::optional<Attachable> AttachableNamed(std::string_view name) {
  const auto rest_of = [&](std::string_view plugin) -> std::optional<std::string_view> {
    if (!name.starts_with(plugin) || !name.substr(plugin.size()).starts_with('/')) return {};
    return name.substr(plugin.size() + 1);
  };
  std::optional<Attachable> attachable;
  if (const auto csi = rest_of(kCsi)) {
    const auto at = csi->find('^');
    // PARITY: upstream cannot tell the parts of more of these.
    if (at == std::string_view::npos || csi->find('^', at + 1) != std::string_view::npos) return {};
    core::v1::CSIPersistentVolumeSource source;
    source.driver = csi->substr(0, at);
    source.volumeHandle = csi->substr(at + 1);
    attachable = OfDriver(source);
  } else if (const auto iscsi = rest_of(kIscsi)) {
    attachable = OfNobody(kIscsi, std::string(*iscsi));
  } else if (const auto fibre_channel = rest_of(kFibreChannel)) {
    attachable = OfNobody(kFibreChannel, std::string(*fibre_channel));
  }
  if (attachable) attachable->title = "nil";
  return attachable;
}

std::string NameDescribedBy(const VolumeAttachment& attachment) {
  const auto& described = attachment.spec.source.inlineVolumeSpec;
  if (!described || !described->csi) return {};
  return OfDriver(*described->csi).name;
}

std::string PluginOf(const views::Pod::Volume& volume) {
  if (!common::HasSource(volume, kCsiField)) return {};
  const auto source = api::DecodeProtobuf<core::v1::VolumeSource>(volume.rare);
  if (!source || !source->csi) return {};
  return std::string(kCsi) + ":" + source->csi->driver;
}

bool MayNeedAttaching(const views::Pod& pod) {
  return std::ranges::any_of(pod.spec.volumes, [](const auto& volume) {
    return volume.persistentVolumeClaim != nullptr || common::IsEphemeral(volume) ||
           HasAttachedSource(volume) || common::HasSource(volume, kCsiField);
  });
}

std::string AttachmentName(const Attachable& volume, std::string_view node) {
  const std::string text = volume.handle + volume.driver + std::string(node);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string name = "csi-";
  for (const unsigned char byte : digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

VolumeAttachment AttachmentOf(const Attachable& volume, const std::string& node) {
  VolumeAttachment attachment;
  attachment.metadata.name = AttachmentName(volume, node);
  attachment.spec.attacher = volume.driver;
  attachment.spec.nodeName = node;
  if (volume.described) {
    attachment.spec.source.inlineVolumeSpec = volume.described;
  } else {
    attachment.spec.source.persistentVolumeName = volume.persistent_volume;
  }
  return attachment;
}

}  // namespace flyball::controllers::attach_detach
