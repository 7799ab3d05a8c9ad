#include "flyball/controllers/daemon_set/node_handler.h"

#include <algorithm>
#include <optional>
#include <set>

#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/node_index.h"
#include "flyball/controllers/daemon_set/node_fitness.h"

namespace flyball::controllers::daemon_set {
namespace {

using api::ObjectKey;

/// The names of sets that have pods on a node.
std::set<std::string> SetsOn(const std::string& node, const cache::Lister<views::Pod>& pods) {
  std::set<std::string> sets;
  for (const auto& pod : common::PodsOn(node, pods)) {
    const auto* const owner = common::ControllerOf(*pod);
    if (owner == nullptr || owner->kind != apps::v1::DaemonSet::kType.name) continue;
    sets.insert(
        ObjectKey{std::string(pod->metadata.namespace_), std::string(owner->name)}.ToString());
  }
  return sets;
}

}  // namespace

bool MattersToSets(const views::Node& old, const views::Node& node) {
  const bool same_labels = std::ranges::equal(
      old.metadata.labels, node.metadata.labels,
      [](const auto& a, const auto& b) { return a.key == b.key && a.value == b.value; });
  return !same_labels ||
         !std::ranges::equal(old.spec.taints, node.spec.taints, [](const auto& a, const auto& b) {
           return a.key == b.key && a.value == b.value && a.effect == b.effect;
         });
}

void NodeHandler::operator()(const std::string& name) const {
  const auto node = deps_.nodes.Get({"", name});
  if (!node) return;  // what collects pods sees to those that it had
  const std::set<std::string> scheduled = SetsOn(name, deps_.pods);
  for (const auto& set : deps_.sets.List()) {
    const Fitness fitness = NodeFitness(*set, deps_.tolerations).Of(*node);
    const ObjectKey key = ObjectKey::Of(*set);
    const bool has_pod = scheduled.contains(key.ToString());
    // The last: a pod that was misplaced may not be any more.
    if (has_pod ? !fitness.stays || set->status.numberMisscheduled > 0 : fitness.runs) {
      deps_.add(key);
    }
  }
}

}  // namespace flyball::controllers::daemon_set
