#include "flyball/simulation/storage/attach_plan.h"

#include <algorithm>

#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using storage::v1::VolumeAttachment;

bool IsKept(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

void Say(std::string_view error, WallTime now, auto& said) {
  auto& failure = said.emplace();
  failure.message = error;
  failure.time = api::Time(now);
}

}  // namespace

std::string AttacherFinalizer(std::string_view driver) {
  std::string name(driver);
  std::ranges::replace_if(name, [](char c) { return !IsKept(c); }, '-');
  if (name.ends_with('-')) name += 'X';
  return "external-attacher/" + name;
}

Result<std::string> NodeIdOf(const storage::v1::CSINode* node, const std::string& node_name,
                             std::string_view driver) {
  if (node == nullptr) {
    return Fail(ErrorCode::kNotFound, "csinode.storage.k8s.io \"" + node_name + "\" not found");
  }
  const auto found =
      std::ranges::find(node->spec.drivers, driver, &storage::v1::CSINodeDriver::name);
  if (found == node->spec.drivers.end()) {
    return Fail(ErrorCode::kNotFound,
                "CSINode " + node_name + " does not contain driver " + std::string(driver));
  }
  return found->nodeID;
}

Result<> MayBeAttached(const core::v1::PersistentVolume* volume, const std::string& name,
                       std::string_view driver) {
  if (volume == nullptr) {
    return Fail(ErrorCode::kNotFound, "persistentvolume \"" + name + "\" not found");
  }
  if (volume->metadata.deletionTimestamp) {
    return Fail(ErrorCode::kConflict, "PersistentVolume \"" + name + "\" is marked for deletion");
  }
  if (!IsOf(*volume, driver)) {
    return Fail(ErrorCode::kInvalid, "PersistentVolume \"" + name + "\" is not of this driver");
  }
  return {};
}

VolumeAttachment Attached(const VolumeAttachment& attachment, std::string_view volume_handle) {
  VolumeAttachment changed = attachment;
  changed.status.attached = true;
  changed.status.attachmentMetadata["devicePath"] = "/dev/simulated/" + std::string(volume_handle);
  changed.status.attachError.reset();
  return changed;
}

VolumeAttachment FailedToAttach(const VolumeAttachment& attachment, std::string_view error,
                                WallTime now) {
  VolumeAttachment changed = attachment;
  Say(error, now, changed.status.attachError);
  return changed;
}

VolumeAttachment FailedToDetach(const VolumeAttachment& attachment, std::string_view error,
                                WallTime now) {
  VolumeAttachment changed = attachment;
  Say(error, now, changed.status.detachError);
  return changed;
}

}  // namespace flyball::simulation
