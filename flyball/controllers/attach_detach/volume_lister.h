#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/cache/informer.h"
#include "flyball/controllers/attach_detach/holders.h"
#include "flyball/controllers/attach_detach/plan.h"

namespace flyball::controllers::attach_detach {

using core::v1::PersistentVolumeClaim;
using storage::v1::CSIDriver;
using views::Node;
using views::Pod;

/// What is read.
struct Caches {
  cache::Informer<Pod> pods;
  cache::Informer<Node> nodes;
  cache::Informer<PersistentVolumeClaim> claims;
  cache::Informer<PersistentVolume> volumes;
  cache::Informer<VolumeAttachment> attachments;
  cache::Informer<CSIDriver> drivers;

  /// Adds the indexes that a VolumeLister uses. Once, before the caches are read.
  void AddIndexes() const;
};

/// Lists the volumes of a node, and the nodes of a volume, from the caches and from Holders, which
/// knows of volumes that no cache may show. A light handle, any thread.
class VolumeLister {
 public:
  VolumeLister(const Caches& caches, std::shared_ptr<const Holders> holders);

  /// What is on a node, and what is wanted there. `last` is the node as it was when it went, null
  /// if that is not known. `reserve` is asked for an exclusive volume, before it is looked for on
  /// other nodes: whether nobody else is about to attach it.
  NodeFacts At(const std::string& node, const cache::Ref<Node>& last,
               const std::function<bool(const Attachable& volume)>& reserve) const;

  /// By plugin, the volumes of the pods of a node.
  PluginCounts UsedAt(const std::string& node) const;

  /// The nodes of the pods that use a claim or a volume.
  std::set<std::string> NodesOfClaim(const api::ObjectKey& claim) const;
  std::set<std::string> NodesWanting(const PersistentVolume& volume) const;
  std::set<std::string> NodesWanting(const VolumeAttachment& attachment) const;
  std::set<std::string> NodesWanting(std::string_view name) const;
  /// Those that a volume is attached to, or to be.
  std::set<std::string> NodesHaving(const PersistentVolume& volume) const;

  const cache::Lister<VolumeAttachment>& attachments() const { return attachments_; }
  /// Whether this very pod is cached, but could not be decoded.
  bool IsUnreadable(const api::ObjectKey& pod, std::string_view uid) const;

 private:
  using Facts = std::map<std::string, VolumeFacts, std::less<>>;

  /// What a pod's volume is, if it is known, bound, and to be attached.
  std::optional<Attachable> Resolve(const Pod& pod, const Pod::Volume& volume) const;
  cache::Ref<PersistentVolume> VolumeBehind(const Pod& pod, const Pod::Volume& volume) const;
  bool Attaches(const Attachable& volume) const;

  void AddPods(const std::vector<cache::Ref<Pod>>& pods, bool managed, Facts& facts) const;
  void AddAttachments(const std::string& node, const Node* status, Facts& facts) const;
  void AddReported(const Node& node, Facts& facts) const;
  void AddHeld(const std::string& node, Facts& facts) const;
  /// A volume of which nothing but its name is known yet; null if it is somebody else's.
  VolumeFacts* FindOrAdd(const std::string& node, std::string_view name, Facts& facts) const;
  /// Whether a pod of the node that has not ended may mean a volume, though nobody can tell yet.
  bool IsKept(const std::string& node, const Attachable& volume) const;
  std::optional<Attachable> VolumeOf(const VolumeAttachment& attachment, const Node* status) const;
  std::vector<Elsewhere> ElsewhereThan(const std::string& node, const Attachable& volume) const;
  std::vector<cache::Ref<Pod>> PodsOf(const Attachable& volume) const;
  bool IsInUse(std::string_view node, std::string_view volume) const;

  const cache::Lister<Pod> pods_;
  const cache::Lister<Node> nodes_;
  const cache::Lister<PersistentVolumeClaim> claims_;
  const cache::Lister<PersistentVolume> volumes_;
  const cache::Lister<VolumeAttachment> attachments_;
  const cache::Lister<CSIDriver> drivers_;
  const std::shared_ptr<const Holders> holders_;
};

}  // namespace flyball::controllers::attach_detach
