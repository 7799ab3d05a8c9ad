#include "flyball/controllers/common/csi_migration.h"

namespace flyball::controllers::common {
namespace {

struct Migration {
  std::string_view in_tree;
  std::string_view driver;
  bool (*is_of)(const core::v1::PersistentVolumeSpec& spec);
};

constexpr Migration kMigrations[] = {
    {"kubernetes.io/aws-ebs", "ebs.csi.aws.com",
     [](const auto& spec) { return static_cast<bool>(spec.awsElasticBlockStore); }},
    {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io",
     [](const auto& spec) { return static_cast<bool>(spec.gcePersistentDisk); }},
    {"kubernetes.io/cinder", "cinder.csi.openstack.org",
     [](const auto& spec) { return static_cast<bool>(spec.cinder); }},
    {"kubernetes.io/azure-disk", "disk.csi.azure.com",
     [](const auto& spec) { return static_cast<bool>(spec.azureDisk); }},
    {"kubernetes.io/azure-file", "file.csi.azure.com",
     [](const auto& spec) { return static_cast<bool>(spec.azureFile); }},
    {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com",
     [](const auto& spec) { return static_cast<bool>(spec.vsphereVolume); }},
    {"kubernetes.io/portworx-volume", "pxd.portworx.com",
     [](const auto& spec) { return static_cast<bool>(spec.portworxVolume); }},
};

}  // namespace

std::optional<std::string> MigratedTo(std::string_view in_tree) {
  for (const Migration& migration : kMigrations) {
    if (migration.in_tree == in_tree) return std::string(migration.driver);
  }
  return std::nullopt;
}

std::optional<std::string> MigratedDriverOf(const core::v1::PersistentVolume& volume) {
  for (const Migration& migration : kMigrations) {
    if (migration.is_of(volume.spec)) return std::string(migration.in_tree);
  }
  return std::nullopt;
}

}  // namespace flyball::controllers::common
