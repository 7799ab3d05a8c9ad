#include "flyball/controllers/common/csi_migration.h"

#include <gtest/gtest.h>

namespace flyball::controllers::common {
namespace {

using core::v1::PersistentVolume;

TEST(CsiMigration, SomeDriversHaveBeenReplaced) {
  EXPECT_EQ(MigratedTo("kubernetes.io/gce-pd"), "pd.csi.storage.gke.io");
  EXPECT_EQ(MigratedTo("kubernetes.io/nfs"), std::nullopt);
  EXPECT_EQ(MigratedTo("pd.csi.storage.gke.io"), std::nullopt);
}

TEST(CsiMigration, AVolumeTellsWhoseItWas) {
  PersistentVolume volume;
  EXPECT_EQ(MigratedDriverOf(volume), std::nullopt);
  volume.spec.nfs.emplace();
  EXPECT_EQ(MigratedDriverOf(volume), std::nullopt);
  const auto of = [](const auto& fill) {
    PersistentVolume filled;
    fill(filled.spec);
    return MigratedDriverOf(filled).value_or("none");
  };
  EXPECT_EQ(of([](auto& spec) { spec.awsElasticBlockStore.emplace(); }), "kubernetes.io/aws-ebs");
  EXPECT_EQ(of([](auto& spec) { spec.gcePersistentDisk.emplace(); }), "kubernetes.io/gce-pd");
  EXPECT_EQ(of([](auto& spec) { spec.cinder.emplace(); }), "kubernetes.io/cinder");
  EXPECT_EQ(of([](auto& spec) { spec.azureDisk.emplace(); }), "kubernetes.io/azure-disk");
  EXPECT_EQ(of([](auto& spec) { spec.azureFile.emplace(); }), "kubernetes.io/azure-file");
  EXPECT_EQ(of([](auto& spec) { spec.vsphereVolume.emplace(); }), "kubernetes.io/vsphere-volume");
  EXPECT_EQ(of([](auto& spec) { spec.portworxVolume.emplace(); }), "kubernetes.io/portworx-volume");
}

}  // namespace
}  // namespace flyball::controllers::common
