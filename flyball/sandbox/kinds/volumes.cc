#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/default_class.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/pod_admission.h"
#include "flyball/sandbox/kinds/storage_checks.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::PersistentVolumeClaimSpec;

constexpr std::string_view kVolumeFinalizer = "kubernetes.io/pv-protection";
constexpr std::string_view kClaimFinalizer = "kubernetes.io/pvc-protection";
constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

api::Quantity StorageOf(const core::v1::ResourceList& list) {
  const api::Quantity* const found = list.find("storage");
  return found == nullptr ? api::Quantity() : *found;
}

void CheckAccessModes(const std::vector<std::string>& modes, const std::string& needed,
                      FieldErrors& errors) {
  const std::string path = "spec.accessModes";
  if (modes.empty()) errors.push_back(FieldError::Required(path, needed));
  bool alone = false;
  bool others = false;
  for (const std::string& mode : modes) {
    const std::size_t before = errors.size();
    CheckOneOf(mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}, path,
               errors);
    if (errors.size() > before) continue;  // what is no mode is not another one
    (mode == "ReadWriteOncePod" ? alone : others) = true;
  }
  if (alone && others) {
    errors.push_back(
        FieldError::Forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
}

class VolumeKind final : public StrategyFor<PersistentVolume> {
  StatusOr<> AdmitNew(PersistentVolume& volume, const Write&) const override {
    Protect(volume.metadata, kVolumeFinalizer);
    return {};
  }

  void PrepareNew(PersistentVolume& volume, const Write& write) const override {
    volume.status.phase = "Pending";
    volume.status.lastPhaseTransitionTime = api::Time(write.context.Now()).WholeSeconds();
  }

  void PrepareChange(PersistentVolume& now, const PersistentVolume& before,
                     const Write& write) const override {
    if (write.subresource != "status") return;
    auto& since = now.status.lastPhaseTransitionTime;
    const auto& old = before.status.lastPhaseTransitionTime;
    if (now.status.phase == before.status.phase) {
      if (!since) since = old;
    } else if (!since || since == old) {
      since = api::Time(write.context.Now()).WholeSeconds();
    }
  }

  FieldErrors CheckNew(const PersistentVolume& volume, const Write&) const override {
    FieldErrors errors;
    CheckAccessModes(volume.spec.accessModes, "", errors);
    if (volume.spec.capacity.empty()) {
      errors.push_back(FieldError::Required("spec.capacity", ""));
    }
    if (!volume.spec.capacity.contains("storage") || volume.spec.capacity.size() > 1) {
      errors.push_back(FieldError{FieldError::Kind::kNotSupported, "spec.capacity",
                                  ShownCapacity(volume), "supported values: \"storage\""});
    }
    for (const auto& [name, quantity] : volume.spec.capacity) {
      if (quantity.Sign() > 0) continue;
      errors.push_back(FieldError::Invalid(At("spec.capacity", name), quantity.ToString(),
                                           "must be greater than zero"));
    }
    CheckOneOf(volume.spec.persistentVolumeReclaimPolicy.empty()
                   ? "Retain"
                   : std::string_view(volume.spec.persistentVolumeReclaimPolicy),
               {"Delete", "Recycle", "Retain"}, "spec.persistentVolumeReclaimPolicy", errors);
    if (volume.spec.nodeAffinity) {
      CheckNodeAffinity(*volume.spec.nodeAffinity, "spec.nodeAffinity", errors);
    }
    if (volume.spec.csi) CheckCsiSource(*volume.spec.csi, "spec.csi", errors);
    if (static_cast<const core::v1::PersistentVolumeSource&>(volume.spec) ==
        core::v1::PersistentVolumeSource()) {
      errors.push_back(FieldError::Required("spec", "must specify a volume type"));
    }
    if (!volume.spec.storageClassName.empty()) {
      CheckSubdomain(volume.spec.storageClassName, "spec.storageClassName", errors);
    }
    const std::string mode = volume.spec.volumeMode.value_or("Filesystem");
    if (mode != "Block" && mode != "Filesystem") {
      errors.push_back(FieldError::NotSupported("spec.volumeMode", mode, {"Block", "Filesystem"}));
    }
    return errors;
  }

  FieldErrors CheckChange(const PersistentVolume& now, const PersistentVolume& before,
                          const Write& write) const override {
    if (write.subresource == "status") return {};
    FieldErrors errors = CheckNew(now, write);
    // DIVERGES: upstream goes on with a diff of the two as Go prints them.
    if (static_cast<const core::v1::PersistentVolumeSource&>(now.spec) !=
        static_cast<const core::v1::PersistentVolumeSource&>(before.spec)) {
      errors.push_back(
          FieldError::Forbidden("spec.persistentvolumesource",
                                "spec.persistentvolumesource is immutable after creation\n"));
    }
    // PARITY: by names that the fields do not have.
    if (now.spec.volumeMode != before.spec.volumeMode) {
      errors.push_back(FieldError::Invalid("volumeMode", now.spec.volumeMode.value_or(""),
                                           "field is immutable"));
    }
    if (before.spec.nodeAffinity && now.spec.nodeAffinity != before.spec.nodeAffinity) {
      errors.push_back({FieldError::Kind::kInvalid, "nodeAffinity",
                        now.spec.nodeAffinity ? Shown(*now.spec.nodeAffinity) : "null",
                        "field is immutable, except for updating from beta label to GA"});
    }
    return errors;
  }

  static std::string ShownCapacity(const PersistentVolume& volume) {
    if (volume.spec.capacity.empty()) return "null";
    std::string text;
    for (const auto& [name, quantity] : volume.spec.capacity) {
      text += (text.empty() ? "\"" : ",\"") + name + "\":\"" + quantity.ToString() + "\"";
    }
    return "{" + text + "}";
  }
};

/// A claim says where its data come from in two ways, an old one and a new one; both are filled.
void AlignDataSources(PersistentVolumeClaimSpec& spec, const PersistentVolumeClaimSpec* before) {
  const bool in_use = before != nullptr && before->dataSource;
  if (!in_use && !spec.dataSourceRef && spec.dataSource) {
    const auto& source = *spec.dataSource;
    const std::string group = source.apiGroup.value_or("");
    const bool known = (source.kind == "PersistentVolumeClaim" && group.empty()) ||
                       (source.kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
    if (!known) spec.dataSource.reset();
  }
  if (spec.dataSource && !spec.dataSourceRef) {
    auto& reference = spec.dataSourceRef.emplace();
    reference.kind = spec.dataSource->kind;
    reference.name = spec.dataSource->name;
    reference.apiGroup = spec.dataSource->apiGroup;
  } else if (spec.dataSourceRef && !spec.dataSource &&
             spec.dataSourceRef->namespace_.value_or("").empty()) {
    auto& source = spec.dataSource.emplace();
    source.kind = spec.dataSourceRef->kind;
    source.name = spec.dataSourceRef->name;
    source.apiGroup = spec.dataSourceRef->apiGroup;
  }
}

class ClaimKind final : public StrategyFor<PersistentVolumeClaim> {
  StatusOr<> AdmitNew(PersistentVolumeClaim& claim, const Write& write) const override {
    if (!claim.spec.storageClassName && !claim.metadata.annotations.contains(kClassAnnotation)) {
      claim.spec.storageClassName =
          DefaultClass(write.context, "storage.k8s.io/storageclasses",
                       {"storageclass.kubernetes.io/is-default-class",
                        "storageclass.beta.kubernetes.io/is-default-class"});
    }
    Protect(claim.metadata, kClaimFinalizer);
    return {};
  }

  void PrepareNew(PersistentVolumeClaim& claim, const Write&) const override {
    AlignDataSources(claim.spec, nullptr);
    claim.status.phase = "Pending";
  }

  StatusOr<> AdmitChange(PersistentVolumeClaim& now, const PersistentVolumeClaim& before,
                         const Write& write) const override {
    if (!write.subresource.empty()) return {};
    if (StorageOf(now.spec.resources.requests) <= StorageOf(before.spec.resources.requests)) {
      return {};
    }
    if (before.status.phase != "Bound") return {};  // for validation to say
    const auto storage_class = write.context.Get<storage::v1::StorageClass>(
        "storage.k8s.io/storageclasses", "", now.spec.storageClassName.value_or(""));
    if (storage_class && storage_class->allowVolumeExpansion.value_or(false) &&
        now.spec.storageClassName == before.spec.storageClassName) {
      return {};
    }
    return std::unexpected(
        NotAdmitted(write, now.metadata,
                    "only dynamically provisioned pvc can be resized and the storageclass that "
                    "provisions the pvc must support resize"));
  }

  void PrepareChange(PersistentVolumeClaim& now, const PersistentVolumeClaim& before,
                     const Write& write) const override {
    if (write.subresource.empty()) AlignDataSources(now.spec, &before.spec);
  }

  FieldErrors CheckNew(const PersistentVolumeClaim& claim, const Write&) const override {
    FieldErrors errors;
    const PersistentVolumeClaimSpec& spec = claim.spec;
    CheckAccessModes(spec.accessModes, "at least 1 access mode is required", errors);
    if (spec.selector) CheckSelector(*spec.selector, "spec.selector", errors);
    const std::string size = "spec.resources[storage]";
    if (!spec.resources.requests.contains("storage")) {
      errors.push_back(FieldError::Required(size, ""));
    } else if (StorageOf(spec.resources.requests).Sign() <= 0) {
      errors.push_back(FieldError::Invalid(size, StorageOf(spec.resources.requests).ToString(),
                                           "must be greater than zero"));
    }
    if (spec.storageClassName && !spec.storageClassName->empty()) {
      CheckSubdomain(*spec.storageClassName, "spec.storageClassName", errors);
    }
    if (spec.volumeMode) {
      CheckOneOf(*spec.volumeMode, {"Block", "Filesystem"}, "spec.volumeMode", errors);
    }
    return errors;
  }

  FieldErrors CheckChange(const PersistentVolumeClaim& now, const PersistentVolumeClaim& before,
                          const Write& write) const override {
    if (write.subresource == "status") return {};
    FieldErrors errors = CheckNew(now, write);
    PersistentVolumeClaimSpec rest = now.spec;
    if (before.spec.volumeName.empty()) rest.volumeName.clear();
    if (!before.spec.storageClassName) rest.storageClassName.reset();
    if (before.status.phase == "Bound") {
      rest.resources.requests = before.spec.resources.requests;
      rest.volumeAttributesClassName = before.spec.volumeAttributesClassName;
    }
    if (rest != before.spec) {
      // DIVERGES: upstream goes on with a diff of the two as Go prints them.
      errors.push_back(
          FieldError::Forbidden("spec",
                                "spec is immutable after creation except resources.requests and "
                                "volumeAttributesClassName for bound claims\n"));
    }
    const api::Quantity size = StorageOf(now.spec.resources.requests);
    if (size < StorageOf(before.spec.resources.requests) &&
        size <= StorageOf(before.status.capacity)) {
      errors.push_back(FieldError::Forbidden("spec.resources.requests.storage",
                                             "field can not be less than status.capacity"));
    }
    return errors;
  }
};

}  // namespace

const RestStrategy& PersistentVolumeRestStrategy() {
  static const VolumeKind kStrategy;
  return kStrategy;
}

const RestStrategy& PersistentVolumeClaimRestStrategy() {
  static const ClaimKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
