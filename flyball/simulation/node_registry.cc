#include "flyball/simulation/node_registry.h"

#include <utility>

namespace flyball::simulation {

bool NodeRegistry::Add(const std::string& name, NodeShape shape) {
  MutexLock lock(mutex_);
  const std::size_t number = nodes_.size();
  return nodes_
      .try_emplace(name,
                   Node{.facts = {.shape = std::move(shape), .address = AddressOfNode(number)},
                        .number = number})
      .second;
}

const NodeRegistry::Facts* NodeRegistry::Find(std::string_view name) const {
  MutexLock lock(mutex_);
  const auto found = nodes_.find(std::string(name));
  return found == nodes_.end() ? nullptr : &found->second.facts;
}

std::vector<std::string> NodeRegistry::names() const {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  names.reserve(nodes_.size());
  for (const auto& [name, node] : nodes_) names.push_back(name);
  return names;
}

NodeRegistry::Node* NodeRegistry::FindLocked(std::string_view name) {
  const auto found = nodes_.find(std::string(name));
  return found == nodes_.end() ? nullptr : &found->second;
}

void NodeRegistry::SetSilent(std::string_view name, bool silent) {
  MutexLock lock(mutex_);
  if (Node* const node = FindLocked(name)) node->silent = silent;
}

bool NodeRegistry::IsSilent(std::string_view name) const {
  MutexLock lock(mutex_);
  const auto found = nodes_.find(std::string(name));
  return found != nodes_.end() && found->second.silent;
}

AddressPool& NodeRegistry::PoolOf(Node& node, std::string_view range) {
  if (!node.addresses) {
    auto given = AddressPool::Of(range);
    node.addresses = given ? *std::move(given) : AddressPool::OfNode(node.number);
  }
  return *node.addresses;
}

std::string NodeRegistry::TakeAddress(std::string_view name, std::string_view range) {
  MutexLock lock(mutex_);
  Node* const node = FindLocked(name);
  return node == nullptr ? std::string() : PoolOf(*node, range).Take();
}

void NodeRegistry::ReserveAddress(std::string_view name, std::string_view range,
                                  std::string_view address) {
  MutexLock lock(mutex_);
  if (Node* const node = FindLocked(name)) PoolOf(*node, range).Reserve(address);
}

void NodeRegistry::ReleaseAddress(std::string_view name, std::string_view address) {
  MutexLock lock(mutex_);
  Node* const node = FindLocked(name);
  if (node != nullptr && node->addresses) node->addresses->Release(address);
}

}  // namespace flyball::simulation
