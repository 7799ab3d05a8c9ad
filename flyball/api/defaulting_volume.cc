#include <algorithm>

#include "flyball/api/core/v1.h"
#include "flyball/api/image_reference.h"
#include "flyball/api/internal/default_rule.h"
#include "flyball/api/internal/field_access.h"
#include "flyball/api/storage/v1.h"

/// Defaults of storage: a pod's volumes, persistent volumes and claims, and what stands behind
/// them.
namespace flyball::api {
namespace {

namespace v1 = core::v1;

/// A volume that does not say where it is from is an empty directory.
void UseEmptyDir(v1::Volume& volume) {
  v1::VolumeSource& source = volume;
  const bool any = std::ranges::any_of(v1::VolumeSource::kType.fields, [&](const Field& field) {
    return !IsZero(At(&source, field), field);
  });
  if (!any) source.emptyDir.emplace();
}

/// A tag that moves is pulled each time.
void PullByTag(v1::ImageVolumeSource& image) {
  if (!image.pullPolicy.empty()) return;
  image.pullPolicy = ImageTag(image.reference) == "latest" ? "Always" : "IfNotPresent";
}

void OfferPersistentVolumes(storage::v1::CSIDriverSpec& spec) {
  if (spec.volumeLifecycleModes.empty()) spec.volumeLifecycleModes = {"Persistent"};
}

constexpr const TypeInfo* kKinds[] = {
    &v1::PersistentVolume::kType,          &v1::PersistentVolumeClaim::kType,
    &storage::v1::CSIDriver::kType,        &storage::v1::StorageClass::kType,
    &storage::v1::VolumeAttachment::kType,
};

constexpr DefaultRule kRules[] = {
    Compute<UseEmptyDir>(),
    Default<&v1::HostPathVolumeSource::type>(""),
    Default<&v1::SecretVolumeSource::defaultMode>(0644),
    Default<&v1::ConfigMapVolumeSource::defaultMode>(0644),
    Default<&v1::DownwardAPIVolumeSource::defaultMode>(0644),
    Default<&v1::ProjectedVolumeSource::defaultMode>(0644),
    Default<&v1::ServiceAccountTokenProjection::expirationSeconds>(3600),
    // Gate ImageVolume, on and locked since v1.36.
    Compute<PullByTag>(),

    Default<&v1::AzureDiskVolumeSource::cachingMode>("ReadWrite"),
    Default<&v1::AzureDiskVolumeSource::fsType>("ext4"),
    Default<&v1::AzureDiskVolumeSource::readOnly>(false),
    Default<&v1::AzureDiskVolumeSource::kind>("Shared"),
    Default<&v1::ISCSIVolumeSource::iscsiInterface>("default"),
    Default<&v1::ISCSIPersistentVolumeSource::iscsiInterface>("default"),
    Default<&v1::RBDVolumeSource::pool>("rbd"),
    Default<&v1::RBDVolumeSource::user>("admin"),
    Default<&v1::RBDVolumeSource::keyring>("/etc/ceph/keyring"),
    Default<&v1::RBDPersistentVolumeSource::pool>("rbd"),
    Default<&v1::RBDPersistentVolumeSource::user>("admin"),
    Default<&v1::RBDPersistentVolumeSource::keyring>("/etc/ceph/keyring"),
    Default<&v1::ScaleIOVolumeSource::storageMode>("ThinProvisioned"),
    Default<&v1::ScaleIOVolumeSource::fsType>("xfs"),
    Default<&v1::ScaleIOPersistentVolumeSource::storageMode>("ThinProvisioned"),
    Default<&v1::ScaleIOPersistentVolumeSource::fsType>("xfs"),

    // Not of the spec: the one within a VolumeAttachment has no mode and no policy.
    Default<&v1::PersistentVolume::spec, &v1::PersistentVolumeSpec::persistentVolumeReclaimPolicy>(
        "Retain"),
    Default<&v1::PersistentVolume::spec, &v1::PersistentVolumeSpec::volumeMode>("Filesystem"),
    RoundUpToMilli<&v1::PersistentVolumeSpec::capacity>(),
    Default<&v1::PersistentVolumeStatus::phase>("Pending"),

    Default<&v1::PersistentVolumeClaimSpec::volumeMode>("Filesystem"),
    RoundUpToMilli<&v1::VolumeResourceRequirements::limits>(),
    RoundUpToMilli<&v1::VolumeResourceRequirements::requests>(),
    Default<&v1::PersistentVolumeClaimStatus::phase>("Pending"),
    RoundUpToMilli<&v1::PersistentVolumeClaimStatus::capacity>(),
    RoundUpToMilli<&v1::PersistentVolumeClaimStatus::allocatedResources>(),

    Default<&storage::v1::StorageClass::reclaimPolicy>("Delete"),
    Default<&storage::v1::StorageClass::volumeBindingMode>("Immediate"),

    Default<&storage::v1::CSIDriverSpec::attachRequired>(true),
    Default<&storage::v1::CSIDriverSpec::podInfoOnMount>(false),
    Default<&storage::v1::CSIDriverSpec::storageCapacity>(false),
    Default<&storage::v1::CSIDriverSpec::fsGroupPolicy>("ReadWriteOnceWithFSType"),
    Compute<OfferPersistentVolumes>(),
    Default<&storage::v1::CSIDriverSpec::requiresRepublish>(false),
    // Gate SELinuxMountReadWriteOncePod, on and locked since v1.36.
    Default<&storage::v1::CSIDriverSpec::seLinuxMount>(false),
    // Gate VolumeLimitScaling, on since v1.37.
    Default<&storage::v1::CSIDriverSpec::preventPodSchedulingIfMissing>(false),
};

}  // namespace

constexpr DefaultTable kVolumeDefaults = {kKinds, kRules};

}  // namespace flyball::api
