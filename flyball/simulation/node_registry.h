#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/client/client.h"
#include "flyball/simulation/address_pool.h"
#include "flyball/simulation/node_description.h"

namespace flyball::simulation {

/// As whom a node speaks to the API server.
using ClientOfNode = std::function<client::Client(const std::string& node)>;

/// The nodes that are simulated here. Nodes are added and stay. Any thread.
class NodeRegistry {
 public:
  /// What does not change of a node.
  struct Facts {
    NodeShape shape;
    std::string address;
  };

  /// False if it is there already.
  bool Add(const std::string& name, NodeShape shape);
  /// Null if it is none of these.
  const Facts* Find(std::string_view name) const;
  std::vector<std::string> names() const;

  /// What a test says of a node, beside what the node's annotation does.
  void SetSilent(std::string_view name, bool silent);
  bool IsSilent(std::string_view name) const;

  /// An address for a pod of a node, from the range that the node was given, or from one of its
  /// own. Empty if there is none left.
  std::string TakeAddress(std::string_view name, std::string_view range);
  void ReserveAddress(std::string_view name, std::string_view range, std::string_view address);
  void ReleaseAddress(std::string_view name, std::string_view address);

 private:
  struct Node {
    Facts facts;
    std::size_t number = 0;
    bool silent = false;
    std::optional<AddressPool> addresses = std::nullopt;
  };
  static AddressPool& PoolOf(Node& node, std::string_view range);
  Node* FindLocked(std::string_view name) FLYBALL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<std::string, Node> nodes_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::simulation
