#include "flyball/controllers/daemon_set/node_fitness.h"

#include "flyball/controllers/daemon_set/daemon_pod.h"

namespace flyball::controllers::daemon_set {
namespace {

api::RequiredNodes RequiredBy(const core::v1::PodSpec& spec) {
  const bool has_affinity = spec.affinity && spec.affinity->nodeAffinity;
  return {spec.nodeSelector, has_affinity ? &*spec.affinity->nodeAffinity : nullptr};
}

}  // namespace

NodeFitness::NodeFitness(const apps::v1::DaemonSet& set, api::TolerationRules rules)
    : only_node_(set.spec.template_.spec.nodeName),
      required_(RequiredBy(set.spec.template_.spec)),
      tolerations_(TolerationsOf(set.spec.template_.spec)),
      rules_(rules) {}

Fitness NodeFitness::Of(const views::Node& node) const {
  const std::string_view name = node.metadata.name;
  if (!only_node_.empty() && only_node_ != name) return {};
  if (!required_.Match(name, node.metadata.labels)) return {};
  Fitness fitness{.runs = true, .stays = true};
  for (const auto& taint : node.spec.taints) {
    const bool evicts = taint.effect == "NoExecute";
    if (!evicts && taint.effect != "NoSchedule") continue;
    if (api::AnyTolerates(tolerations_, taint, rules_)) continue;
    fitness.runs = false;
    if (evicts) fitness.stays = false;
  }
  return fitness;
}

}  // namespace flyball::controllers::daemon_set
