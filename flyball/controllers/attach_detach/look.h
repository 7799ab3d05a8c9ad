#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/cache/informer.h"
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

  /// Lets objects be found by what a Look asks for. Once, before anything is looked at.
  void AddIndexes() const;
};

/// Reads the caches: what there is to know of a node's volumes, and which nodes have to do with a
/// volume. A light handle, any thread.
class Look {
 public:
  explicit Look(const Caches& caches);

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

 private:
  using Facts = std::map<std::string, VolumeFacts, std::less<>>;

  /// What a pod's volume is, if it is known, bound, and to be attached.
  std::optional<Attachable> Resolve(const Pod& pod, const Pod::Volume& volume) const;
  cache::Ref<PersistentVolume> VolumeBehind(const Pod& pod, const Pod::Volume& volume) const;
  bool Attaches(const Attachable& volume) const;

  void AddPods(const std::vector<cache::Ref<Pod>>& pods, bool managed, Facts& facts) const;
  void AddAttachments(const std::string& node, const Node* status, Facts& facts) const;
  void AddReported(const Node& node, Facts& facts) const;
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
};

}  // namespace flyball::controllers::attach_detach
