#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/base/clock.h"
#include "flyball/client/resource_client.h"

/// What a kubelet tells of its node.
namespace flyball::simulation {

/// What a node is like.
struct NodeShape {
  std::string cpu = "8";
  std::string memory = "32Gi";
  std::string ephemeral_storage = "100Gi";
  std::string pods = "110";
  /// Further resources, by name: {"example.com/gpu", "4"}.
  api::Map<std::string> resources = {};
  api::Map<std::string> labels = {};  ///< beside those that every node has
  std::vector<core::v1::Taint> taints = {};
  std::string operating_system = "linux";
  std::string architecture = "amd64";
  std::string kubelet_version = "v1.37.1";
};

/// A node as it registers itself: ready. An error if an amount is none.
Result<core::v1::Node> DescribeNode(const std::string& name, const NodeShape& shape,
                                    const std::string& address, WallTime now);

/// Whether the conditions of a node are what its kubelet says: not so where another has written
/// that it has not heard of it.
bool ShowsConditions(const views::KubeletNode& node, bool ready);

/// Says again how the node is. Where a condition changes, since now.
client::Patch ConditionsPatch(const views::KubeletNode& node, bool ready, WallTime now);

/// What takes away the taint that the API server gives to each new node, and which the node
/// lifecycle controller takes away where there is one. Nothing if the node does not have it.
std::optional<client::Patch> NotReadyTaintPatch(const views::KubeletNode& node);

/// The lease of a node, renewed.
coordination::v1::Lease DescribeLease(const views::KubeletNode& node, WallTime now);

}  // namespace flyball::simulation
