#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "flyball/api/views.h"

namespace flyball::controllers::node_lifecycle {

/// What a node's Ready condition says.
enum class Readiness : std::uint8_t {
  kUnsaid,    ///< there is no such condition
  kReady,     ///< True
  kNotReady,  ///< False
  kUnknown,   ///< nothing has been heard of the node
};

using NodeCondition = views::Node::NodeCondition;

/// Null if there is none of that type.
inline const NodeCondition* FindCondition(const views::Node& node, std::string_view type) {
  const auto* const found = std::ranges::find(node.status.conditions, type,
                                              [](const auto& its) { return its.type.view(); });
  return found == node.status.conditions.end() ? nullptr : found;
}

inline Readiness ReadinessOf(const views::Node& node) {
  const NodeCondition* const ready = FindCondition(node, "Ready");
  if (ready == nullptr) return Readiness::kUnsaid;
  if (ready->status == "True") return Readiness::kReady;
  if (ready->status == "False") return Readiness::kNotReady;
  return Readiness::kUnknown;
}

}  // namespace flyball::controllers::node_lifecycle
