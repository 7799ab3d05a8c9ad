#include "flyball/controllers/common/csi_translation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "flyball/controllers/common/csi_migration.h"

namespace flyball::controllers::common {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeSpec;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

PersistentVolume Made(const std::function<void(PersistentVolume&)>& make) {
  PersistentVolume volume;
  volume.metadata.name = "disk";
  volume.spec.accessModes = {"ReadWriteOnce"};
  make(volume);
  return volume;
}

/// Of a volume that can be translated, and of which nothing of its own source is left.
PersistentVolumeSpec Translate(const PersistentVolume& volume) {
  EXPECT_TRUE(MigratedDriverOf(volume));
  const auto translated = TranslatedToCsi(volume);
  EXPECT_TRUE(translated) << translated.error().Describe();
  PersistentVolume left;
  left.spec = *translated;
  EXPECT_FALSE(MigratedDriverOf(left));
  return *translated;
}

core::v1::Volume Described(const std::function<void(core::v1::Volume&)>& make) {
  core::v1::Volume volume;
  volume.name = "data";
  EXPECT_FALSE(IsMigrated(volume));
  make(volume);
  EXPECT_TRUE(IsMigrated(volume));
  return volume;
}

PersistentVolume TranslateDescribed(const core::v1::Volume& volume) {
  const auto translated = TranslatedToCsi(volume, "team");
  EXPECT_TRUE(translated) << translated.error().Describe();
  EXPECT_EQ(translated->spec.volumeMode, "Filesystem");
  return *translated;
}

TEST(CsiTranslation, AmazonsDisksAreKnownByTheLastPartOfTheirNames) {
  const auto handle_of = [](const std::string& id) -> Result<std::string> {
    FLYBALL_TRY(const auto spec, TranslatedToCsi(Made([&](PersistentVolume& volume) {
                  volume.spec.awsElasticBlockStore.emplace().volumeID = id;
                })));
    return spec.csi->volumeHandle;
  };
  EXPECT_EQ(handle_of("vol-1"), "vol-1");
  EXPECT_EQ(handle_of("anything"), "anything");
  EXPECT_EQ(handle_of("aws://eu-west-1a/vol-1"), "vol-1");
  EXPECT_EQ(handle_of("aws:///vol-1/"), "vol-1");
  EXPECT_EQ(handle_of("aws:///vol-1?a#b"), "vol-1");
  EXPECT_THAT(handle_of("aws://eu-west-1a/disk").error().message(), HasSubstr("Invalid format"));
  EXPECT_THAT(handle_of("aws://eu-west-1a/vol-1/2").error().message(), HasSubstr("Invalid format"));
  EXPECT_FALSE(handle_of("aws://vol-1"));
}

TEST(CsiTranslation, OfAmazonsDisks) {
  const auto make = [](auto& volume) {
    auto& disk = volume.awsElasticBlockStore.emplace();
    disk.volumeID = "aws:///vol-1";
    disk.fsType = "ext4";
    disk.partition = 2;
    disk.readOnly = true;
  };
  const auto spec = Translate(Made([&](PersistentVolume& volume) { make(volume.spec); }));
  EXPECT_EQ(spec.csi->driver, "ebs.csi.aws.com");
  EXPECT_EQ(spec.csi->fsType, "ext4");
  EXPECT_TRUE(spec.csi->readOnly);
  EXPECT_THAT(spec.csi->volumeAttributes, ElementsAre(Pair("partition", "2")));
  const auto described = TranslateDescribed(Described(make));
  EXPECT_EQ(described.metadata.name, "ebs.csi.aws.com-vol-1");
  EXPECT_EQ(described.spec.csi, spec.csi);
  EXPECT_THAT(described.spec.accessModes, ElementsAre("ReadWriteOnce"));
  core::v1::Volume bad;
  bad.awsElasticBlockStore.emplace().volumeID = "aws:///disk";
  EXPECT_FALSE(TranslatedToCsi(bad, "team"));
}

TEST(CsiTranslation, GooglesDisksAreKnownByWhereTheyAre) {
  const auto handle_of = [](const std::string& zones, const char* label) -> Result<std::string> {
    FLYBALL_TRY(const auto spec, TranslatedToCsi(Made([&](PersistentVolume& volume) {
                  volume.spec.gcePersistentDisk.emplace().pdName = "disk";
                  if (!zones.empty()) volume.metadata.labels[label] = zones;
                })));
    return spec.csi->volumeHandle;
  };
  const char* const zone = "topology.kubernetes.io/zone";
  EXPECT_EQ(handle_of("", zone), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk");
  EXPECT_EQ(handle_of("a-b-c", zone), "projects/UNSPECIFIED/zones/a-b-c/disks/disk");
  EXPECT_EQ(handle_of("a-b-c", "failure-domain.beta.kubernetes.io/zone"),
            "projects/UNSPECIFIED/zones/a-b-c/disks/disk");
  EXPECT_EQ(handle_of("a-b-c__a-b-d", zone), "projects/UNSPECIFIED/regions/a-b/disks/disk");
  EXPECT_FALSE(handle_of("a-b-c__a-e-d", zone));
  EXPECT_FALSE(handle_of("a-b-c__d", zone));
}

TEST(CsiTranslation, GooglesDisksMayBeUsedAsTheyEverWere) {
  const auto modes_of = [](const std::vector<std::string>& modes) {
    return Translate(Made([&](PersistentVolume& volume) {
             volume.spec.gcePersistentDisk.emplace().pdName = "disk";
             volume.spec.accessModes = modes;
           }))
        .accessModes;
  };
  EXPECT_THAT(modes_of({}), IsEmpty());
  EXPECT_THAT(modes_of({"ReadWriteMany"}), ElementsAre("ReadWriteOnce"));
  EXPECT_THAT(modes_of({"ReadWriteOnce", "ReadOnlyMany"}), ElementsAre("ReadWriteOnce"));
  EXPECT_THAT(modes_of({"ReadOnlyMany"}), ElementsAre("ReadOnlyMany"));
  EXPECT_THAT(modes_of({"ReadWriteOncePod"}), ElementsAre("ReadWriteOnce"));
}

TEST(CsiTranslation, OfGooglesDisksInPods) {
  const auto described = TranslateDescribed(Described([](core::v1::Volume& volume) {
    auto& disk = volume.gcePersistentDisk.emplace();
    disk.pdName = "disk";
    disk.partition = 3;
    disk.readOnly = true;
  }));
  EXPECT_EQ(described.metadata.name, "pd.csi.storage.gke.io-disk");
  EXPECT_EQ(described.spec.csi->volumeHandle, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk");
  EXPECT_THAT(described.spec.csi->volumeAttributes, ElementsAre(Pair("partition", "3")));
  EXPECT_THAT(described.spec.accessModes, ElementsAre("ReadOnlyMany"));
  const auto writable = TranslateDescribed(Described(
      [](core::v1::Volume& volume) { volume.gcePersistentDisk.emplace().pdName = "disk"; }));
  EXPECT_THAT(writable.spec.csi->volumeAttributes, ElementsAre(Pair("partition", "")));
  EXPECT_THAT(writable.spec.accessModes, ElementsAre("ReadWriteOnce"));
}

TEST(CsiTranslation, OfCindersDisks) {
  const auto make = [](auto& volume) {
    auto& disk = volume.cinder.emplace();
    disk.volumeID = "disk";
    disk.fsType = "xfs";
    disk.readOnly = true;
  };
  const auto spec = Translate(Made([&](PersistentVolume& volume) { make(volume.spec); }));
  EXPECT_EQ(spec.csi->driver, "cinder.csi.openstack.org");
  EXPECT_EQ(spec.csi->volumeHandle, "disk");
  EXPECT_EQ(spec.csi->fsType, "xfs");
  EXPECT_TRUE(spec.csi->readOnly);
  const auto described = TranslateDescribed(Described(make));
  EXPECT_EQ(described.metadata.name, "cinder.csi.openstack.org-disk");
  EXPECT_EQ(described.spec.csi, spec.csi);
}

TEST(CsiTranslation, OfAzuresDisks) {
  const auto make = [](auto& volume) {
    auto& disk = volume.azureDisk.emplace();
    disk.diskURI = "/disks/disk";
    disk.kind = "managed";
    disk.readOnly = true;
    disk.fsType = "ext4";
    disk.cachingMode = "None";
  };
  const auto spec = Translate(Made([&](PersistentVolume& volume) { make(volume.spec); }));
  EXPECT_EQ(spec.csi->driver, "disk.csi.azure.com");
  EXPECT_EQ(spec.csi->volumeHandle, "/disks/disk");
  EXPECT_TRUE(spec.csi->readOnly);
  EXPECT_THAT(
      spec.csi->volumeAttributes,
      ElementsAre(Pair("cachingmode", "None"), Pair("fstype", "ext4"), Pair("kind", "Managed")));
  const auto described = TranslateDescribed(Described(make));
  EXPECT_EQ(described.metadata.name, "/disks/disk");
  EXPECT_EQ(described.spec.csi, spec.csi);
}

TEST(CsiTranslation, OfAzuresDisksNoneThatAreNotManaged) {
  const auto make = [](auto& volume) { volume.azureDisk.emplace().kind = "Dedicated"; };
  EXPECT_THAT(
      TranslatedToCsi(Made([&](PersistentVolume& volume) { make(volume.spec); })).error().message(),
      "kind(Dedicated) is not supported in csi migration");
  EXPECT_FALSE(TranslatedToCsi(Described(make), "team"));
}

TEST(CsiTranslation, OfAzuresSharesByTheAccountInTheNameOfTheirSecret) {
  const auto volume = Made([](PersistentVolume& made) {
    auto& share = made.spec.azureFile.emplace();
    share.secretName = "azure-storage-account-acme-secret";
    share.shareName = "share";
    made.metadata.annotations["kubernetes.io/azure-file-resource-group"] = "group";
    made.spec.claimRef.emplace().namespace_ = "team";
  });
  const auto spec = Translate(volume);
  EXPECT_EQ(spec.csi->volumeHandle, "group#acme#share#disk#team");
  EXPECT_EQ(spec.csi->nodeStageSecretRef->namespace_, "team");
  EXPECT_THAT(spec.csi->volumeAttributes, ElementsAre(Pair("sharename", "share")));

  PersistentVolume of_others = volume;
  of_others.spec.azureFile->secretNamespace = "others";
  of_others.spec.azureFile->secretName = "key";
  EXPECT_EQ(Translate(of_others).csi->volumeHandle, "group#key#share#disk#others");
  of_others.spec.azureFile->secretName = "azure-storage-account-secret";
  EXPECT_EQ(Translate(of_others).csi->volumeHandle,
            "group#azure-storage-account-secret#share#disk#others");

  PersistentVolume of_nobody = volume;
  of_nobody.spec.claimRef.reset();
  EXPECT_FALSE(TranslatedToCsi(of_nobody));
}

TEST(CsiTranslation, OfAzuresSharesInPods) {
  const auto share = Described([](core::v1::Volume& volume) {
    volume.azureFile.emplace().secretName = "key";
    volume.azureFile->shareName = "share";
  });
  const auto described = TranslateDescribed(share);
  EXPECT_EQ(described.metadata.name, "#key#share#data#team");
  EXPECT_EQ(described.spec.csi->volumeHandle, "#key#share#data#team");
  EXPECT_THAT(described.spec.accessModes, ElementsAre("ReadWriteMany"));
  EXPECT_EQ(TranslatedToCsi(share, "")->metadata.name, "#key#share#data#default");
}

TEST(CsiTranslation, OfVspheresDisks) {
  const auto make = [](auto& volume) {
    auto& disk = volume.vsphereVolume.emplace();
    disk.volumePath = "[store] disk";
    disk.storagePolicyName = "gold";
  };
  const auto spec = Translate(Made([&](PersistentVolume& volume) { make(volume.spec); }));
  EXPECT_EQ(spec.csi->volumeHandle, "[store] disk");
  EXPECT_THAT(spec.csi->volumeAttributes, ElementsAre(Pair("storagepolicyname", "gold")));
  const auto described = TranslateDescribed(Described(make));
  EXPECT_EQ(described.metadata.name, "csi.vsphere.vmware.com-[store] disk");
  EXPECT_EQ(described.spec.csi, spec.csi);
}

TEST(CsiTranslation, OfPortworxesDisks) {
  auto volume = Made([](PersistentVolume& made) {
    made.spec.portworxVolume.emplace().volumeID = "disk";
    made.metadata.annotations["openstorage.io/auth-secret-name"] = "key";
  });
  EXPECT_FALSE(Translate(volume).csi->nodeStageSecretRef);
  volume.metadata.annotations["openstorage.io/auth-secret-namespace"] = "team";
  const auto spec = Translate(volume);
  EXPECT_EQ(spec.csi->volumeHandle, "disk");
  for (const auto& secret : {spec.csi->controllerPublishSecretRef, spec.csi->nodeStageSecretRef,
                             spec.csi->nodePublishSecretRef, spec.csi->controllerExpandSecretRef,
                             spec.csi->nodeExpandSecretRef}) {
    ASSERT_TRUE(secret);
    EXPECT_EQ(secret->name + " in " + secret->namespace_, "key in team");
  }
  const auto described = TranslateDescribed(Described([](core::v1::Volume& made) {
    made.portworxVolume.emplace().volumeID = "disk";
    made.portworxVolume->readOnly = true;
  }));
  EXPECT_EQ(described.metadata.name, "pxd.portworx.com-disk");
  EXPECT_THAT(described.spec.accessModes, ElementsAre("ReadOnlyMany"));
}

TEST(CsiTranslation, OfNothingElse) {
  EXPECT_FALSE(TranslatedToCsi(Made([](PersistentVolume& volume) { volume.spec.nfs.emplace(); })));
  EXPECT_FALSE(TranslatedToCsi(core::v1::Volume(), "team"));
}

}  // namespace
}  // namespace flyball::controllers::common
