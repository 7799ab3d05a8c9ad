#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/kubelet_views.h"
#include "flyball/api/node_selector.h"
#include "flyball/simulation/resource_amounts.h"
#include "flyball/simulation/storage/volume_needs.h"

namespace flyball::simulation {

/// A port of the node itself that a container takes.
struct HostPort {
  std::int32_t port = 0;
  std::string protocol;
  std::string ip;  ///< "0.0.0.0": all of the node's

  bool CollidesWith(const HostPort& other) const;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

/// What a pod takes of a node.
struct PodFootprint {
  ResourceAmounts requests;
  /// What it counts for when pods are spread: one that asks for nothing takes something too.
  std::int64_t scored_cpu = 0;
  std::int64_t scored_memory = 0;
  std::vector<HostPort> ports;

  static PodFootprint Of(const views::KubeletPod& pod);
  friend bool operator==(const PodFootprint&, const PodFootprint&) = default;
};

/// What a pod wants of a node: read off the pod once, for all nodes.
struct PodNeeds {
  std::shared_ptr<const views::KubeletPod> pod;
  PodFootprint footprint;
  api::RequiredNodes required;
  struct Preference {
    api::NodeSelectorTerm term;
    std::int64_t weight = 0;
  };
  std::vector<Preference> preferred;
  /// The names of the only nodes that its required affinity can mean, where it says so.
  std::optional<std::vector<std::string>> only_nodes;
  /// What its volumes ask; null: it has none that anybody looks at.
  std::shared_ptr<const VolumeNeeds> volumes;

  static PodNeeds Of(std::shared_ptr<const views::KubeletPod> pod);
};

/// A node, and what its pods have taken of it.
struct NodeState {
  std::string name;
  std::shared_ptr<const views::KubeletNode> node;  ///< null: there is none, but it has pods
  ResourceAmounts allocatable;
  std::int64_t allowed_pods = 0;

  PodFootprint taken;
  std::int64_t pods = 0;

  /// Takes what the node says of itself.
  void Describe(std::shared_ptr<const views::KubeletNode> its_node);
  void Put(const PodFootprint& pod);
  void Remove(const PodFootprint& pod);
};

/// Why a pod does not fit on a node: what upstream's scheduler finds first.
enum class Misfit : std::uint8_t {
  kNone,
  kUnschedulable,
  kTaint,
  kAffinity,
  kPorts,
  kResources,
  kVolumes,
};

Misfit FitOf(const PodNeeds& needs, const NodeState& node);

/// Whether a taint that is but a wish has something against the pod.
bool IsUnwelcome(const PodNeeds& needs, const NodeState& node);

/// How much a pod would rather be on this node than on others: weights of its preferred terms.
std::int64_t PreferenceOf(const PodNeeds& needs, const NodeState& node);

/// Collects why a pod fits nowhere, into the words of upstream's scheduler.
class MisfitReport {
 public:
  void Add(const PodNeeds& needs, const NodeState& node, Misfit misfit);
  /// Of nodes that were not looked at, since the pod's affinity names others.
  void AddNotNamed(std::size_t nodes);

  /// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). ..."
  std::string Message() const;
  /// The same of a pod that was not looked at node by node.
  static std::string Message(std::size_t nodes, const std::string& problem);

 private:
  std::size_t nodes_ = 0;
  std::map<std::string, std::size_t> reasons_;
  std::size_t could_be_freed_ = 0;  // were there pods to evict, which nobody does here
};

}  // namespace flyball::simulation
