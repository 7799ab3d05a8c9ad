#include "tests/faults/node_invariants.h"

#include <algorithm>

#include "flyball/simulation/annotations.h"

namespace flyball::faults {
namespace {

using core::v1::Node;
using core::v1::Pod;

bool IsLost(const Node& node) {
  return std::ranges::any_of(node.status.conditions, [](const auto& condition) {
    return condition.type == "Ready" && condition.status == "Unknown";
  });
}

/// Those that scenarios make have nobody who would be heard.
bool IsHeard(const Node& node) {
  const std::string* const silent = node.metadata.annotations.find(simulation::kSilent);
  return node.metadata.name.starts_with("parity-node-") && (silent == nullptr || *silent != "true");
}

bool DrivesPodsOut(const Node& node) {
  return std::ranges::any_of(node.spec.taints,
                             [](const auto& taint) { return taint.effect == "NoExecute"; });
}

/// Whether it goes since its node drives pods out.
bool IsDrivenOut(const Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "DisruptionTarget" && condition.reason == "DeletionByTaintManager";
  });
}

}  // namespace

void NodeInvariants::TellOfNode(const std::string& name, const std::optional<Node>& node) {
  // PARITY: what was to go when its node went goes all the same.
  if (!node) return;
  if (!IsLost(*node)) {
    lost_.erase(name);
  } else if (lost_.insert(name).second && IsHeard(*node)) {
    violations_.push_back(name + " is said to be lost, and is heard of");
  }
  if (DrivesPodsOut(*node)) {
    tainted_.insert(name);
    tainted_of_late_.insert(name);
  } else {
    tainted_.erase(name);
  }
}

void NodeInvariants::TellOfPod(const std::string& uid, const std::optional<Pod>& pod) {
  if (!pod || !IsDrivenOut(*pod) || !driven_out_.insert(uid).second) return;
  if (tainted_of_late_.contains(pod->spec.nodeName)) return;
  violations_.push_back(pod->metadata.name + " is driven out of " + pod->spec.nodeName +
                        ", which does not ask for that");
}

}  // namespace flyball::faults
