#include "tests/faults/attach_invariants.h"

#include <algorithm>

#include "tests/faults/claims_of_pod.h"

namespace flyball::faults {
namespace {

using core::v1::Node;
using core::v1::PersistentVolume;
using core::v1::Pod;
using storage::v1::VolumeAttachment;

bool HasEnded(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

bool Uses(const Pod& pod, const PersistentVolume& volume) {
  const auto& claim = volume.spec.claimRef;
  return claim && UsesClaim(pod, claim->namespace_, claim->name);
}

bool IsShared(const PersistentVolume& volume) {
  return std::ranges::any_of(volume.spec.accessModes, [](const std::string& mode) {
    return mode == "ReadWriteMany" || mode == "ReadOnlyMany";
  });
}

bool IsOutOfService(const Node& node) {
  return std::ranges::any_of(node.spec.taints, [](const auto& taint) {
    return taint.key == "node.kubernetes.io/out-of-service";
  });
}

}  // namespace

void AttachInvariants::TellOfPod(const std::string& uid, const std::optional<Pod>& pod) {
  const auto known = pods_.find(uid);
  const Pod* const its = pod ? &*pod : known == pods_.end() ? nullptr : &known->second;
  if (its != nullptr && (!pod || HasEnded(*pod))) {
    for (const std::string& claim : ClaimsOf(*its)) {
      left_[{its->spec.nodeName, its->metadata.namespace_, claim}] = clock_.SteadyNow();
    }
  }
  if (pod) {
    pods_[uid] = *pod;
  } else if (known != pods_.end()) {
    pods_.erase(known);
  }
}

void AttachInvariants::TellOfNode(const std::string& name, const std::optional<Node>& node) {
  if (node) {
    nodes_[name] = *node;
  } else {
    nodes_.erase(name);
  }
}

void AttachInvariants::TellOfVolume(const std::string& uid,
                                    const std::optional<PersistentVolume>& volume) {
  if (volume) {
    volumes_[uid] = *volume;
  } else {
    volumes_.erase(uid);
  }
}

void AttachInvariants::TellOfAttachment(const std::string& uid,
                                        const std::optional<VolumeAttachment>& attachment) {
  const auto known = attachments_.find(uid);
  const bool was_there = known != attachments_.end();
  const bool was_going = was_there && known->second.metadata.deletionTimestamp;
  if (attachment && !was_there) CheckAttached(uid, *attachment);
  const bool goes = !attachment || attachment->metadata.deletionTimestamp;
  if (was_there && goes && !was_going) CheckDetached(known->second);
  if (attachment) {
    attachments_[uid] = *attachment;
  } else if (was_there) {
    attachments_.erase(known);
  }
}

const PersistentVolume* AttachInvariants::VolumeOf(const VolumeAttachment& attachment) const {
  for (const auto& [uid, volume] : volumes_) {
    if (attachment.spec.source.persistentVolumeName == volume.metadata.name) return &volume;
  }
  return nullptr;
}

void AttachInvariants::CheckAttached(const std::string& uid, const VolumeAttachment& attachment) {
  const PersistentVolume* const volume = VolumeOf(attachment);
  if (volume == nullptr || IsShared(*volume)) return;
  for (const auto& [other_uid, other] : attachments_) {
    if (other_uid == uid || VolumeOf(other) != volume) continue;
    violations_.push_back(volume->metadata.name + " is to be attached to " +
                          attachment.spec.nodeName + ", and " + other.spec.nodeName + " has it");
  }
}

void AttachInvariants::CheckDetached(const VolumeAttachment& attachment) {
  const PersistentVolume* const volume = VolumeOf(attachment);
  if (volume == nullptr) return;
  const std::string& name = volume->metadata.name;
  const std::string& node = attachment.spec.nodeName;
  for (const auto& [uid, pod] : pods_) {
    const bool runs = pod.spec.nodeName == node && pod.status.phase == "Running";
    if (!runs || !Uses(pod, *volume)) continue;
    violations_.push_back(name + " is to be detached from " + node + ", and " + pod.metadata.name +
                          " runs there");
  }
  const auto found = nodes_.find(node);
  if (found == nodes_.end() || !volume->spec.csi) return;
  const std::string called =
      "kubernetes.io/csi/" + volume->spec.csi->driver + "^" + volume->spec.csi->volumeHandle;
  CheckNode(found->second, called, name);
  if (IsOutOfService(found->second) || IsOverdue(node, *volume)) return;
  const auto& in_use = found->second.status.volumesInUse;
  if (std::ranges::find(in_use, called) == in_use.end()) return;
  violations_.push_back(name + " is to be detached from " + node + ", which uses it");
}

void AttachInvariants::CheckNode(const Node& node, const std::string& volume,
                                 const std::string& name) {
  for (const auto& attached : node.status.volumesAttached) {
    if (attached.name != volume) continue;
    violations_.push_back(name + " is to be detached from " + node.metadata.name +
                          ", which is told that it has it");
  }
}

bool AttachInvariants::IsOverdue(const std::string& node, const PersistentVolume& volume) const {
  const auto& claim = volume.spec.claimRef;
  if (!claim) return false;
  const auto left = left_.find({node, claim->namespace_, claim->name});
  return left != left_.end() && clock_.SteadyNow() - left->second >= std::chrono::minutes(6);
}

}  // namespace flyball::faults
