#pragma once

#include <optional>
#include <string>

#include "flyball/api/json.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"

/// What a node's conditions make of its taints and labels. Pure.
///
/// A condition keeps new pods off at once (NoSchedule). That a node is not ready or not heard of
/// also drives pods out (NoExecute): that taint is added one node at a time, by AddEvictingTaint(),
/// and taken off or exchanged for the other at once.
namespace flyball::controllers::node_lifecycle {

/// A change of a node: a strategic merge patch, which is a conflict if the node is not what it was
/// when this was decided, and what it does, for people.
struct NodeChange {
  api::Json patch;
  std::string what;

  friend bool operator==(const NodeChange&, const NodeChange&) = default;
};

/// Whether a node has to get a taint that drives pods out, and has neither of the two.
bool LacksEvictingTaint(const views::Node& node);
/// Whether it has one of them.
bool HasEvictingTaint(const views::Node& node);

/// What can be put right at once. `spare_pods`: no pods are driven out, whatever the node says.
std::optional<NodeChange> PlanTaints(const views::Node& node, bool spare_pods, WallTime now);

/// Whether its conditions have yet to make their taints that keep new pods off. These come first,
/// by a write of their own, as upstream's do: the API server merges taints by their keys, and
/// another list would come of one write for both.
bool LacksConditionTaints(const views::Node& node);

/// The taint that drives pods out. None if the node does not lack it.
std::optional<NodeChange> AddEvictingTaint(const views::Node& node, WallTime now);

}  // namespace flyball::controllers::node_lifecycle
