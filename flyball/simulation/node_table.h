#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "flyball/simulation/fit.h"

namespace flyball::simulation {

/// Where a pod is to go, or why it can go nowhere.
struct Placement {
  std::string node = {};     ///< empty: nowhere
  std::string problem = {};  ///< then: as upstream's scheduler puts it

  friend bool operator==(const Placement&, const Placement&) = default;
};

/// The nodes of a cluster and what is taken of them, by pods that are there and by those that have
/// been sent there and are not seen yet.
///
/// Nodes are kept in order of what is free on them, so that a pod that is not choosy finds its node
/// among the first few, however many there are.
///
/// One thread at a time.
class NodeTable {
 public:
  NodeTable() = default;
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  void PutNode(std::shared_ptr<const views::KubeletNode> node);
  /// Its pods stay: the node may come back before they go.
  void RemoveNode(std::string_view name);

  /// A pod is on a node, or on its way to it; once for each uid.
  void PutPod(std::string_view uid, std::string_view node, PodFootprint footprint);
  /// False if it was not there.
  bool RemovePod(std::string_view uid);
  /// The node that it is on, or on its way to; empty if it is on none.
  std::string_view NodeOf(std::string_view uid) const;

  /// The node with the most room of those where the pod fits, its preferences first.
  Placement Place(const PodNeeds& needs) const;

  std::size_t nodes() const { return by_room_.size(); }
  const NodeState* Find(std::string_view name) const;

 private:
  /// Least taken first; by name where that is equal, so that a run can be repeated.
  using Rank = std::pair<std::int64_t, const NodeState*>;
  struct RankOrder {
    bool operator()(const Rank& a, const Rank& b) const {
      return a.first != b.first ? a.first < b.first : a.second->name < b.second->name;
    }
  };
  struct Pod {
    NodeState* node;
    PodFootprint footprint;
  };

  static std::int64_t LoadOf(const NodeState& node);
  NodeState& StateOf(std::string_view name);
  /// Changes a node, and puts it where it belongs then.
  template <typename Change>
  void Update(NodeState& node, Change change);
  void DropIfGone(NodeState& node);

  const NodeState* First(const PodNeeds& needs) const;
  const NodeState* Preferred(const PodNeeds& needs) const;
  const NodeState* Named(const PodNeeds& needs) const;
  std::string Explain(const PodNeeds& needs) const;

  std::unordered_map<std::string, std::unique_ptr<NodeState>> states_;
  std::set<Rank, RankOrder> by_room_;  // of nodes that are there
  std::unordered_map<std::string, Pod> pods_;
};

}  // namespace flyball::simulation
