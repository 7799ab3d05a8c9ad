#pragma once

#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/rest_strategy.h"

namespace flyball::sandbox {

/// What the admission plug-ins of a default cluster make of a new pod, in their order: its service
/// account with the token that goes into its containers, its priority, how long it stays on a node
/// that is in trouble, and what its runtime class asks for.
StatusOr<> AdmitPod(core::v1::Pod& pod, const Write& write);

/// Lets a pod stay for a while on a node that is not ready or cannot be reached.
void TolerateNodesInTrouble(core::v1::Pod& pod);

/// Gives a pod, or what binds it, the zone and region of the node.
void CopyTopologyLabels(meta::v1::ObjectMeta& metadata, const std::string& node,
                        const StrategyContext& context);

/// A refusal of admission. Names that the server makes up are not known by then.
ApiStatusError NotAdmitted(const Write& write, const meta::v1::ObjectMeta& metadata,
                           std::string_view why);

}  // namespace flyball::sandbox
