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

using namespace core::v1;
using storage::v1::CSIDriver;
using storage::v1::CSIDriverSpec;
using storage::v1::StorageClass;
using storage::v1::VolumeAttachment;

/// A volume that does not say where it is from is an empty directory.
void UseEmptyDir(Volume& volume) {
  VolumeSource& source = volume;
  const bool any = std::ranges::any_of(VolumeSource::kType.fields, [&](const Field& field) {
    return !IsZero(At(&source, field), field);
  });
  if (!any) source.emptyDir.emplace();
}

/// A tag that moves is pulled each time.
void PullByTag(ImageVolumeSource& image) {
  if (!image.pullPolicy.empty()) return;
  image.pullPolicy = ImageTag(image.reference) == "latest" ? "Always" : "IfNotPresent";
}

void OfferPersistentVolumes(CSIDriverSpec& spec) {
  if (spec.volumeLifecycleModes.empty()) spec.volumeLifecycleModes = {"Persistent"};
}

constexpr const TypeInfo* kKinds[] = {
    &PersistentVolume::kType, &PersistentVolumeClaim::kType, &CSIDriver::kType,
    &StorageClass::kType,     &VolumeAttachment::kType,
};

constexpr DefaultRule kRules[] = {
    Compute<UseEmptyDir>(),
    Default<&HostPathVolumeSource::type>(""),
    Default<&SecretVolumeSource::defaultMode>(0644),
    Default<&ConfigMapVolumeSource::defaultMode>(0644),
    Default<&DownwardAPIVolumeSource::defaultMode>(0644),
    Default<&ProjectedVolumeSource::defaultMode>(0644),
    Default<&ServiceAccountTokenProjection::expirationSeconds>(3600),
    // Gate ImageVolume, on and locked since v1.36.
    Compute<PullByTag>(),

    Default<&AzureDiskVolumeSource::cachingMode>("ReadWrite"),
    Default<&AzureDiskVolumeSource::fsType>("ext4"),
    Default<&AzureDiskVolumeSource::readOnly>(false),
    Default<&AzureDiskVolumeSource::kind>("Shared"),
    Default<&ISCSIVolumeSource::iscsiInterface>("default"),
    Default<&ISCSIPersistentVolumeSource::iscsiInterface>("default"),
    Default<&RBDVolumeSource::pool>("rbd"),
    Default<&RBDVolumeSource::user>("admin"),
    Default<&RBDVolumeSource::keyring>("/etc/ceph/keyring"),
    Default<&RBDPersistentVolumeSource::pool>("rbd"),
    Default<&RBDPersistentVolumeSource::user>("admin"),
    Default<&RBDPersistentVolumeSource::keyring>("/etc/ceph/keyring"),
    Default<&ScaleIOVolumeSource::storageMode>("ThinProvisioned"),
    Default<&ScaleIOVolumeSource::fsType>("xfs"),
    Default<&ScaleIOPersistentVolumeSource::storageMode>("ThinProvisioned"),
    Default<&ScaleIOPersistentVolumeSource::fsType>("xfs"),

    // Not of the spec: the one within a VolumeAttachment has no mode and no policy.
    Default<&PersistentVolume::spec, &PersistentVolumeSpec::persistentVolumeReclaimPolicy>(
        "Retain"),
    Default<&PersistentVolume::spec, &PersistentVolumeSpec::volumeMode>("Filesystem"),
    RoundUpToMilli<&PersistentVolumeSpec::capacity>(),
    Default<&PersistentVolumeStatus::phase>("Pending"),

    Default<&PersistentVolumeClaimSpec::volumeMode>("Filesystem"),
    RoundUpToMilli<&VolumeResourceRequirements::limits>(),
    RoundUpToMilli<&VolumeResourceRequirements::requests>(),
    Default<&PersistentVolumeClaimStatus::phase>("Pending"),
    RoundUpToMilli<&PersistentVolumeClaimStatus::capacity>(),
    RoundUpToMilli<&PersistentVolumeClaimStatus::allocatedResources>(),

    Default<&StorageClass::reclaimPolicy>("Delete"),
    Default<&StorageClass::volumeBindingMode>("Immediate"),

    Default<&CSIDriverSpec::attachRequired>(true),
    Default<&CSIDriverSpec::podInfoOnMount>(false),
    Default<&CSIDriverSpec::storageCapacity>(false),
    Default<&CSIDriverSpec::fsGroupPolicy>("ReadWriteOnceWithFSType"),
    Compute<OfferPersistentVolumes>(),
    Default<&CSIDriverSpec::requiresRepublish>(false),
    // Gate SELinuxMountReadWriteOncePod, on and locked since v1.36.
    Default<&CSIDriverSpec::seLinuxMount>(false),
    // Gate VolumeLimitScaling, on since v1.37.
    Default<&CSIDriverSpec::preventPodSchedulingIfMissing>(false),
};

}  // namespace

constexpr DefaultTable kVolumeDefaults = {kKinds, kRules};

}  // namespace flyball::api
