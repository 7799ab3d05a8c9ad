#include "flyball/controllers/attach_detach/attachable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::attach_detach {
namespace {

using testing::Optional;

PersistentVolume OfDriver(const std::string& handle, std::vector<std::string> modes = {}) {
  PersistentVolume volume;
  volume.metadata.name = "disk";
  volume.spec.accessModes = std::move(modes);
  volume.spec.csi.emplace().driver = "d.example.com";
  volume.spec.csi->volumeHandle = handle;
  return volume;
}

/// A pod with a volume that it describes itself.
std::shared_ptr<const views::Pod> PodWith(const std::function<void(core::v1::Volume&)>& make) {
  core::v1::Pod pod = FakeStoragePod("web");
  pod.spec.volumes.emplace_back().name = "data";
  make(pod.spec.volumes.back());
  return ViewOf(pod);
}
std::optional<Attachable> Described(const std::function<void(core::v1::Volume&)>& make) {
  const auto pod = PodWith(make);
  if (pod->spec.volumes.empty()) return std::nullopt;
  return AttachableOf(*pod, pod->spec.volumes[0]);
}

TEST(Attachable, AVolumeOfADriver) {
  EXPECT_THAT(AttachableOf(OfDriver("h", {"ReadWriteOnce"})),
              Optional(Attachable{.name = "kubernetes.io/csi/d.example.com^h",
                                  .title = "disk",
                                  .plugin = "kubernetes.io/csi:d.example.com",
                                  .driver = "d.example.com",
                                  .handle = "h",
                                  .exclusive = true,
                                  .persistent_volume = "disk"}));
}

TEST(Attachable, OneThatSeveralMayUseMayBeOnSeveralNodes) {
  const auto exclusive = [](std::vector<std::string> modes) {
    return AttachableOf(OfDriver("h", std::move(modes)))->exclusive;
  };
  EXPECT_TRUE(exclusive({"ReadWriteOnce"}));
  EXPECT_TRUE(exclusive({"ReadWriteOncePod"}));
  EXPECT_FALSE(exclusive({"ReadWriteMany"}));
  EXPECT_FALSE(exclusive({"ReadWriteOnce", "ReadOnlyMany"}));
  EXPECT_FALSE(exclusive({}));
}

TEST(Attachable, AVolumeOfADriverThatAnotherHasTakenOverFrom) {
  PersistentVolume volume;
  volume.metadata.name = "disk";
  volume.spec.accessModes = {"ReadWriteMany"};
  volume.spec.gcePersistentDisk.emplace().pdName = "pd";
  const auto attachable = AttachableOf(volume);
  ASSERT_TRUE(attachable);
  EXPECT_EQ(attachable->name,
            "kubernetes.io/csi/pd.csi.storage.gke.io^projects/UNSPECIFIED/zones/UNSPECIFIED/"
            "disks/pd");
  EXPECT_EQ(attachable->persistent_volume, "disk");
  EXPECT_TRUE(attachable->migrated);
  EXPECT_TRUE(attachable->exclusive);
  EXPECT_FALSE(attachable->described);

  volume.spec.gcePersistentDisk.reset();
  volume.spec.azureFile.emplace();
  EXPECT_FALSE(AttachableOf(volume)) << "nobody knows where its secret is";
}

TEST(Attachable, VolumesThatNodesAttachThemselves) {
  PersistentVolume volume;
  volume.metadata.name = "disk";
  volume.spec.accessModes = {"ReadWriteOnce"};
  auto& iscsi = volume.spec.iscsi.emplace();
  iscsi.targetPortal = "10.0.0.1:3260";
  iscsi.iqn = "iqn.2001-04.com.example:storage";
  iscsi.lun = 3;
  EXPECT_THAT(AttachableOf(volume),
              Optional(Attachable{
                  .name = "kubernetes.io/iscsi/10.0.0.1:3260:iqn.2001-04.com.example:storage:3",
                  .title = "disk",
                  .plugin = "kubernetes.io/iscsi",
                  .exclusive = true,
                  .persistent_volume = "disk"}));
  volume.spec.iscsi.reset();
  auto& fc = volume.spec.fc.emplace();
  EXPECT_FALSE(AttachableOf(volume));
  fc.wwids = {"w"};
  EXPECT_EQ(AttachableOf(volume)->name, "kubernetes.io/fc/[w]");
  fc.targetWWNs = {"a", "b"};
  fc.lun = 2;
  EXPECT_EQ(AttachableOf(volume)->name, "kubernetes.io/fc/[a b]:2");
}

TEST(Attachable, NoOthers) {
  PersistentVolume volume;
  volume.spec.hostPath.emplace().path = "/";
  EXPECT_FALSE(AttachableOf(volume));
  volume.spec.hostPath.reset();
  volume.spec.flexVolume.emplace().driver = "example.com/flex";
  EXPECT_FALSE(AttachableOf(volume));
}

TEST(Attachable, WhatAPodDescribes) {
  const auto iscsi = Described([](core::v1::Volume& volume) {
    volume.iscsi.emplace().targetPortal = "t";
    volume.iscsi->iqn = "i";
  });
  EXPECT_THAT(iscsi, Optional(Attachable{.name = "kubernetes.io/iscsi/t:i:0",
                                         .title = "data",
                                         .plugin = "kubernetes.io/iscsi"}));
  EXPECT_EQ(Described([](core::v1::Volume& volume) { volume.fc.emplace().wwids = {"w"}; })->name,
            "kubernetes.io/fc/[w]");
  const auto cinder =
      Described([](core::v1::Volume& volume) { volume.cinder.emplace().volumeID = "c"; });
  ASSERT_TRUE(cinder);
  EXPECT_EQ(cinder->name, "kubernetes.io/csi/cinder.csi.openstack.org^c");
  EXPECT_EQ(cinder->title, "cinder.csi.openstack.org-c");
  EXPECT_TRUE(cinder->exclusive);
  EXPECT_TRUE(cinder->migrated);
  EXPECT_EQ(cinder->described->csi->volumeHandle, "c");
  EXPECT_EQ(cinder->persistent_volume, "");
  EXPECT_EQ(Described([](core::v1::Volume& volume) {
              volume.azureFile.emplace().secretName = "key";
            })->handle,
            "#key##data#team");
}

TEST(Attachable, EverySourceOfAPodThatIsAttachedIsSeen) {
  const std::vector<std::function<void(core::v1::Volume&)>> sources = {
      [](auto& volume) { volume.gcePersistentDisk.emplace().pdName = "x"; },
      [](auto& volume) { volume.awsElasticBlockStore.emplace().volumeID = "x"; },
      [](auto& volume) { volume.iscsi.emplace().iqn = "x"; },
      [](auto& volume) { volume.cinder.emplace().volumeID = "x"; },
      [](auto& volume) { volume.fc.emplace().wwids = {"x"}; },
      [](auto& volume) { volume.azureFile.emplace().shareName = "x"; },
      [](auto& volume) { volume.vsphereVolume.emplace().volumePath = "x"; },
      [](auto& volume) { volume.azureDisk.emplace().diskURI = "x"; },
      [](auto& volume) { volume.portworxVolume.emplace().volumeID = "x"; }};
  for (const auto& source : sources) {
    EXPECT_TRUE(Described(source));
    EXPECT_TRUE(MayNeedAttaching(*PodWith(source)));
  }
}

TEST(Attachable, WhatAPodDescribesAndNobodyAttaches) {
  const auto secret = [](core::v1::Volume& volume) { volume.secret.emplace().secretName = "s"; };
  EXPECT_FALSE(Described(secret));
  EXPECT_FALSE(MayNeedAttaching(*PodWith(secret)));
  const auto csi = [](core::v1::Volume& volume) { volume.csi.emplace().driver = "d"; };
  EXPECT_FALSE(Described(csi));
  const auto pod = PodWith(csi);
  EXPECT_TRUE(MayNeedAttaching(*pod));
  EXPECT_EQ(PluginOf(pod->spec.volumes[0]), "kubernetes.io/csi:d");
  const auto unmanaged = [](core::v1::Volume& volume) {
    volume.azureDisk.emplace().kind = "Shared";
  };
  EXPECT_FALSE(Described(unmanaged));
  EXPECT_EQ(PluginOf(PodWith(unmanaged)->spec.volumes[0]), "");
  EXPECT_FALSE(Described([](core::v1::Volume& volume) { volume.fc.emplace().fsType = "ext4"; }));
  EXPECT_TRUE(MayNeedAttaching(*ViewOf(WithClaim(FakeStoragePod("web"), "c"))));
  EXPECT_TRUE(MayNeedAttaching(*ViewOf(WithEphemeral(FakeStoragePod("web"), "c"))));
}

TEST(Attachable, WhatANodeCallsIt) {
  EXPECT_THAT(AttachableNamed("kubernetes.io/csi/d.example.com^h/1"),
              Optional(Attachable{.name = "kubernetes.io/csi/d.example.com^h/1",
                                  .title = "nil",
                                  .plugin = "kubernetes.io/csi:d.example.com",
                                  .driver = "d.example.com",
                                  .handle = "h/1"}));
  EXPECT_THAT(
      AttachableNamed("kubernetes.io/iscsi/t:i:0"),
      Optional(Attachable{
          .name = "kubernetes.io/iscsi/t:i:0", .title = "nil", .plugin = "kubernetes.io/iscsi"}));
  EXPECT_EQ(AttachableNamed("kubernetes.io/fc/[w]")->plugin, "kubernetes.io/fc");
  for (const char* const other :
       {"", "kubernetes.io/csi/h", "kubernetes.io/csi/d^h^i", "kubernetes.io/csidriver/d^h",
        "kubernetes.io/aws-ebs/aws:///vol-1", "kubernetes.io/iscsi/"}) {
    EXPECT_FALSE(AttachableNamed(other)) << other;
  }
}

TEST(Attachable, ItsAttachmentIsCalledAfterTheVolumeTheDriverAndTheNode) {
  const Attachable volume = *AttachableOf(OfDriver("h"));
  // echo -n 'hd.example.comn' | sha256sum
  EXPECT_EQ(AttachmentName(volume, "n"),
            "csi-6f50f41227a8b176bdb8f16917f5785c6f29d47af0c6e4fb07ef999717e5cb6d");
  VolumeAttachment wanted;
  wanted.metadata.name = AttachmentName(volume, "n");
  wanted.spec.attacher = "d.example.com";
  wanted.spec.nodeName = "n";
  wanted.spec.source.persistentVolumeName = "disk";
  EXPECT_EQ(AttachmentOf(volume, "n"), wanted);
  EXPECT_EQ(NameDescribedBy(wanted), "");
}

TEST(Attachable, TheAttachmentOfWhatAPodDescribesHasTheDescription) {
  const auto cinder =
      Described([](core::v1::Volume& volume) { volume.cinder.emplace().volumeID = "c"; });
  const VolumeAttachment attachment = AttachmentOf(*cinder, "n");
  EXPECT_FALSE(attachment.spec.source.persistentVolumeName);
  EXPECT_EQ(attachment.spec.source.inlineVolumeSpec, cinder->described);
  EXPECT_EQ(NameDescribedBy(attachment), cinder->name);
}

}  // namespace
}  // namespace flyball::controllers::attach_detach
