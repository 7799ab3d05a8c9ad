#include "flyball/controllers/attach_detach/volume_lister.h"

#include <algorithm>

#include "flyball/client/unreadable.h"
#include "flyball/controllers/common/node_index.h"
#include "flyball/controllers/common/pod_claims.h"

namespace flyball::controllers::attach_detach {
namespace {

using api::ObjectKey;

/// Pods, volumes and nodes by the names of volumes: those that pods describe, that volumes are, and
/// that nodes say they have.
constexpr std::string_view kVolumeIndex = "attachable";
/// VolumeAttachments by node, and by what they are of.
constexpr std::string_view kAttachedNodeIndex = "node";
constexpr std::string_view kAttachedVolumeIndex = "volume";

bool Has(const auto& list, std::string_view name) {
  return std::ranges::any_of(list, [&](const auto& one) { return one == name; });
}

/// What a VolumeAttachment is of, as it says: the name of a volume, or a description.
std::string SourceOf(const VolumeAttachment& attachment) {
  const auto& volume = attachment.spec.source.persistentVolumeName;
  return volume ? "persistentvolumes/" + *volume : NameDescribedBy(attachment);
}

void SortByName(std::vector<cache::Ref<Pod>>& pods) {
  std::ranges::sort(pods, {}, [](const auto& pod) {
    return std::pair(pod->metadata.namespace_.view(), pod->metadata.name.view());
  });
}

void AddNodesOf(const std::vector<cache::Ref<Pod>>& pods, std::set<std::string>& nodes) {
  for (const auto& pod : pods) {
    if (!pod->spec.nodeName.empty()) nodes.emplace(pod->spec.nodeName);
  }
}

}  // namespace

void Caches::AddIndexes() const {
  common::IndexByNode(pods);
  common::IndexByClaim(pods);
  pods.AddIndex(std::string(kVolumeIndex), [](const Pod& pod, cache::IndexValues& values) {
    for (const auto& volume : pod.spec.volumes) {
      if (const auto attachable = AttachableOf(pod, volume)) values.push_back(attachable->name);
    }
    std::ranges::sort(values);
    const auto [first, last] = std::ranges::unique(values);
    values.erase(first, last);
  });
  volumes.AddIndex(std::string(kVolumeIndex),
                   [](const PersistentVolume& volume, cache::IndexValues& values) {
                     if (const auto attachable = AttachableOf(volume)) {
                       values.push_back(attachable->name);
                     }
                   });
  nodes.AddIndex(std::string(kVolumeIndex), [](const Node& node, cache::IndexValues& values) {
    for (const auto& attached : node.status.volumesAttached) {
      std::string name(attached.name);
      if (std::ranges::find(values, name) == values.end()) values.push_back(std::move(name));
    }
  });
  attachments.AddIndex(std::string(kAttachedNodeIndex),
                       [](const VolumeAttachment& attachment, cache::IndexValues& values) {
                         values.push_back(attachment.spec.nodeName);
                       });
  attachments.AddIndex(std::string(kAttachedVolumeIndex),
                       [](const VolumeAttachment& attachment, cache::IndexValues& values) {
                         values.push_back(SourceOf(attachment));
                       });
}

VolumeLister::VolumeLister(const Caches& caches, std::shared_ptr<const Holders> holders)
    : pods_(caches.pods.lister()),
      nodes_(caches.nodes.lister()),
      claims_(caches.claims.lister()),
      volumes_(caches.volumes.lister()),
      attachments_(caches.attachments.lister()),
      drivers_(caches.drivers.lister()),
      holders_(std::move(holders)) {}

NodeFacts VolumeLister::At(const std::string& node, const cache::Ref<Node>& last,
                           const std::function<bool(const Attachable& volume)>& reserve) const {
  NodeFacts facts{
      .name = node, .node = nodes_.Get({"", node}), .pods = common::PodsOn(node, pods_)};
  SortByName(facts.pods);
  const Node* const status = facts.node ? facts.node.get() : last.get();
  Facts volumes;
  AddPods(facts.pods, facts.node && IsManaged(*facts.node), volumes);
  AddAttachments(node, status, volumes);
  if (facts.node) AddReported(*facts.node, volumes);
  AddHeld(node, volumes);
  for (auto& [name, its] : volumes) {
    // Of a node that went before anybody looked it is not known what it used.
    its.in_use = status == nullptr || Has(status->status.volumesInUse, name);
    const bool there =
        its.volume.HasDriver() ? its.attachment != nullptr : its.reported || its.held;
    if (!its.pods.empty() && !there && its.volume.exclusive) {
      // First this and then that: what somebody else has attached since would else be missed.
      its.contended = !reserve(its.volume);
      its.elsewhere = ElsewhereThan(node, its.volume);
    }
    if (its.pods.empty() && !its.attachment && !its.reported && !its.held) continue;
    facts.volumes.push_back(std::move(its));
  }
  return facts;
}

bool VolumeLister::IsUnreadable(const ObjectKey& pod, std::string_view uid) const {
  const auto cached = pods_.Get(pod);
  return cached && cached->metadata.uid == uid && !client::IsReadable(cached);
}

void VolumeLister::AddPods(const std::vector<cache::Ref<Pod>>& pods, bool managed,
                           Facts& facts) const {
  for (const auto& pod : pods) {
    if (common::IsTerminated(*pod)) continue;
    for (const auto& volume : pod->spec.volumes) {
      auto attachable = Resolve(*pod, volume);
      if (!attachable || !Attaches(*attachable)) continue;
      VolumeFacts& its = facts[attachable->name];
      its.volume = *std::move(attachable);
      if (!managed) {
        // DIVERGES: upstream takes what it finds attached to a node that is not its own for
        // dangling when it starts, though pods there may have it mounted.
        its.kept = true;
      } else if (its.pods.empty() || its.pods.back() != pod) {
        its.pods.push_back(pod);
      }
    }
  }
}

void VolumeLister::AddAttachments(const std::string& node, const Node* status, Facts& facts) const {
  for (auto& attachment : attachments_.ByIndex(kAttachedNodeIndex, node)) {
    auto volume = VolumeOf(*attachment, status);
    // PARITY: one that is called otherwise is somebody else's.
    if (!volume || AttachmentName(*volume, node) != attachment->metadata.name) continue;
    const auto [at, is_new] = facts.try_emplace(volume->name);
    if (is_new) {
      at->second.kept = IsKept(node, *volume);
      at->second.volume = *std::move(volume);
    }
    at->second.attachment = std::move(attachment);
  }
}

void VolumeLister::AddReported(const Node& node, Facts& facts) const {
  const std::string name(node.metadata.name);
  for (const auto& attached : node.status.volumesAttached) {
    if (VolumeFacts* const its = FindOrAdd(name, attached.name, facts)) its->reported = true;
  }
}

void VolumeLister::AddHeld(const std::string& node, Facts& facts) const {
  for (const Holders::Held& held : holders_->Of(node)) {
    if (VolumeFacts* const its = FindOrAdd(node, held.volume, facts)) {
      its->held = true;
      its->was_in_use = held.was_in_use;
    }
  }
}

VolumeFacts* VolumeLister::FindOrAdd(const std::string& node, std::string_view name,
                                     Facts& facts) const {
  const auto at = facts.find(name);
  if (at != facts.end()) return &at->second;
  // DIVERGES: what upstream has no plugin for any more it takes out of the status and puts back
  // again, ten times a second.
  auto volume = AttachableNamed(name);
  if (!volume) return nullptr;
  const auto known = volumes_.ByIndex(kVolumeIndex, name);
  if (!known.empty()) volume = AttachableOf(*known.front());
  VolumeFacts& its = facts[volume->name];
  its.kept = IsKept(node, *volume);
  its.volume = *std::move(volume);
  return &its;
}

std::optional<Attachable> VolumeLister::VolumeOf(const VolumeAttachment& attachment,
                                                 const Node* status) const {
  const auto& source = attachment.spec.source;
  if (source.persistentVolumeName) {
    const auto volume = volumes_.Get({"", *source.persistentVolumeName});
    if (volume) return AttachableOf(*volume);
  } else if (auto named = AttachableNamed(NameDescribedBy(attachment))) {
    named->described = source.inlineVolumeSpec;
    return named;
  }
  if (status == nullptr) return std::nullopt;
  // The volume is gone; but what the node says it has tells what its attachment is called.
  for (const auto& attached : status->status.volumesAttached) {
    auto named = AttachableNamed(attached.name);
    if (!named || !named->HasDriver()) continue;
    if (AttachmentName(*named, attachment.spec.nodeName) == attachment.metadata.name) return named;
  }
  return std::nullopt;
}

bool VolumeLister::Attaches(const Attachable& volume) const {
  if (!volume.HasDriver()) return true;
  const auto driver = drivers_.Get({"", volume.driver});
  return !driver || driver->spec.attachRequired.value_or(true);
}

cache::Ref<PersistentVolume> VolumeLister::VolumeBehind(const Pod& pod,
                                                        const Pod::Volume& volume) const {
  const bool ephemeral = common::IsEphemeral(volume);
  if (volume.persistentVolumeClaim == nullptr && !ephemeral) return nullptr;
  const std::string name = ephemeral ? common::EphemeralClaimName(pod, volume)
                                     : std::string(volume.persistentVolumeClaim->claimName);
  const auto claim = claims_.Get({std::string(pod.metadata.namespace_), name});
  if (!claim || claim->status.phase != "Bound" || claim->spec.volumeName.empty()) return nullptr;
  if (ephemeral && !common::IsMadeFor(*claim, pod)) return nullptr;
  auto behind = volumes_.Get({"", claim->spec.volumeName});
  if (!behind || !behind->spec.claimRef) return nullptr;
  return behind->spec.claimRef->uid == claim->metadata.uid ? behind : nullptr;
}

std::optional<Attachable> VolumeLister::Resolve(const Pod& pod, const Pod::Volume& volume) const {
  if (auto described = AttachableOf(pod, volume)) return described;
  const auto behind = VolumeBehind(pod, volume);
  return behind ? AttachableOf(*behind) : std::nullopt;
}

bool VolumeLister::IsKept(const std::string& node, const Attachable& volume) const {
  // Pods that describe a volume are known to mean it.
  if (!Attaches(volume) || volume.described) return false;
  const auto behind = volumes_.Get({"", volume.persistent_volume});
  const auto is_meant = [&](const Pod& pod, const common::PodClaim& meant) {
    const ObjectKey key{std::string(pod.metadata.namespace_), meant.name};
    const auto claim = claims_.Get(key);
    if (!behind) {
      // Any claim may be for it whose volume nobody knows.
      if (!claim) return true;
      return !claim->spec.volumeName.empty() && !volumes_.Get({"", claim->spec.volumeName});
    }
    if (claim && claim->spec.volumeName == behind->metadata.name) return true;
    const auto& owner = behind->spec.claimRef;
    if (!owner || owner->namespace_ != key.namespace_ || owner->name != key.name) return false;
    return !claim || claim->metadata.uid == owner->uid;
  };
  return std::ranges::any_of(common::PodsOn(node, pods_), [&](const auto& pod) {
    if (common::IsTerminated(*pod)) return false;
    return std::ranges::any_of(common::ClaimsOf(*pod),
                               [&](const auto& claim) { return is_meant(*pod, claim); });
  });
}

std::vector<cache::Ref<Pod>> VolumeLister::PodsOf(const Attachable& volume) const {
  std::vector<cache::Ref<Pod>> pods;
  if (volume.persistent_volume.empty()) {
    pods = pods_.ByIndex(kVolumeIndex, volume.name);
  } else {
    const auto behind = volumes_.Get({"", volume.persistent_volume});
    if (!behind || !behind->spec.claimRef) return {};
    pods = common::PodsOfClaim({behind->spec.claimRef->namespace_, behind->spec.claimRef->name},
                               pods_);
  }
  std::erase_if(pods, [](const auto& pod) { return common::IsTerminated(*pod); });
  SortByName(pods);
  return pods;
}

bool VolumeLister::IsInUse(std::string_view node, std::string_view volume) const {
  const auto found = nodes_.Get({"", std::string(node)});
  return !found || Has(found->status.volumesInUse, volume);
}

std::vector<Elsewhere> VolumeLister::ElsewhereThan(const std::string& node,
                                                   const Attachable& volume) const {
  std::map<std::string, Elsewhere> others;
  const auto add = [&](std::string_view other) -> Elsewhere& {
    Elsewhere& its = others[std::string(other)];
    its.node = other;
    return its;
  };
  const auto add_attachments = [&](const std::string& source) {
    for (const auto& attachment : attachments_.ByIndex(kAttachedVolumeIndex, source)) {
      if (attachment->spec.nodeName == node) continue;
      const bool goes = attachment->metadata.deletionTimestamp.has_value();
      add(attachment->spec.nodeName).attached |= attachment->status.attached && !goes;
    }
  };
  add_attachments(volume.name);
  for (const auto& same : volumes_.ByIndex(kVolumeIndex, volume.name)) {
    add_attachments("persistentvolumes/" + same->metadata.name);
  }
  for (const auto& other : nodes_.ByIndex(kVolumeIndex, volume.name)) {
    if (other->metadata.name == node) continue;
    const auto [at, is_new] = others.try_emplace(std::string(other->metadata.name));
    at->second.node = other->metadata.name.view();
    if (is_new) at->second.attached = true;
  }
  for (const std::string& other : holders_->NodesOf(volume.name)) {
    if (other != node) add(other).attached = true;
  }
  if (others.empty()) return {};
  for (const auto& pod : PodsOf(volume)) {
    const auto at = others.find(std::string(pod->spec.nodeName));
    if (at != others.end()) at->second.pods.push_back(ObjectKey::Of(*pod));
  }
  std::vector<Elsewhere> listed;
  for (auto& [name, other] : others) {
    other.in_use = IsInUse(name, volume.name);
    listed.push_back(std::move(other));
  }
  return listed;
}

PluginCounts VolumeLister::UsedAt(const std::string& node) const {
  PluginCounts counts;
  for (const auto& pod : common::PodsOn(node, pods_)) {
    for (const auto& volume : pod->spec.volumes) {
      const auto attachable = Resolve(*pod, volume);
      const std::string plugin = attachable ? attachable->plugin : PluginOf(volume);
      if (!plugin.empty()) ++counts[plugin];
    }
  }
  return counts;
}

std::set<std::string> VolumeLister::NodesOfClaim(const ObjectKey& claim) const {
  std::set<std::string> nodes;
  AddNodesOf(common::PodsOfClaim(claim, pods_), nodes);
  return nodes;
}

std::set<std::string> VolumeLister::NodesWanting(const PersistentVolume& volume) const {
  const auto& claim = volume.spec.claimRef;
  return claim ? NodesOfClaim({claim->namespace_, claim->name}) : std::set<std::string>();
}

std::set<std::string> VolumeLister::NodesHaving(const PersistentVolume& volume) const {
  std::set<std::string> nodes;
  for (const auto& attachment :
       attachments_.ByIndex(kAttachedVolumeIndex, "persistentvolumes/" + volume.metadata.name)) {
    nodes.insert(attachment->spec.nodeName);
  }
  return nodes;
}

std::set<std::string> VolumeLister::NodesWanting(const VolumeAttachment& attachment) const {
  const auto& source = attachment.spec.source;
  if (!source.persistentVolumeName) return NodesWanting(NameDescribedBy(attachment));
  const auto volume = volumes_.Get({"", *source.persistentVolumeName});
  if (!volume) return {};
  const auto attachable = AttachableOf(*volume);
  return attachable ? NodesWanting(attachable->name) : NodesWanting(*volume);
}

std::set<std::string> VolumeLister::NodesWanting(std::string_view name) const {
  std::set<std::string> nodes;
  AddNodesOf(pods_.ByIndex(kVolumeIndex, name), nodes);
  for (const auto& volume : volumes_.ByIndex(kVolumeIndex, name)) {
    nodes.merge(NodesWanting(*volume));
  }
  return nodes;
}

}  // namespace flyball::controllers::attach_detach
