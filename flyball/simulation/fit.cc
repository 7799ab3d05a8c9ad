#include "flyball/simulation/fit.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "flyball/api/protobuf_decode.h"
#include "flyball/api/quantity.h"
#include "flyball/api/toleration.h"
#include "flyball/base/wrapping.h"

namespace flyball::simulation {
namespace {

using core::v1::NodeSelectorRequirement;
using core::v1::NodeSelectorTerm;
using Pod = views::KubeletPod;
using Taint = views::KubeletNode::Taint;

// PARITY: what upstream takes for what a pod does not ask for, when it spreads pods.
constexpr std::int64_t kScoredCpu = 100;
constexpr std::int64_t kScoredMemory = 200LL * 1024 * 1024;

constexpr std::string_view kNoNodes = "no nodes available to schedule pods";
constexpr std::string_view kNotHelpful = "Preemption is not helpful for scheduling";

bool Tolerates(const Pod& pod, const Taint& taint) {
  return api::AnyTolerates(pod.spec.tolerations, taint);
}

bool ToleratesUnschedulable(const Pod& pod) {
  return std::ranges::any_of(pod.spec.tolerations, [](const Pod::Toleration& toleration) {
    return api::Tolerates(toleration, "node.kubernetes.io/unschedulable", "", "NoSchedule");
  });
}

bool KeepsOff(const Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

bool PortsCollide(const PodNeeds& needs, const NodeState& node) {
  return std::ranges::any_of(needs.footprint.ports, [&](const HostPort& wanted) {
    return std::ranges::any_of(node.taken.ports,
                               [&](const HostPort& taken) { return wanted.CollidesWith(taken); });
  });
}

/// Calls `lacks(name, could_be_freed)` for each resource that there is not enough of; "pods" are
/// one, too.
template <typename Lacks>
void ForEachLack(const PodNeeds& needs, const NodeState& node, Lacks lacks) {
  if (node.pods + 1 > node.allowed_pods) lacks(std::string_view("pods"), true);
  const ResourceAmounts& wanted = needs.footprint.requests;
  const ResourceAmounts& taken = node.taken.requests;
  const ResourceAmounts& all = node.allocatable;
  const auto check = [&](std::string_view name, std::int64_t want, std::int64_t of,
                         std::int64_t used) {
    if (want > 0 && want > WrappingSubtract(of, used)) lacks(name, want <= of);
  };
  check("cpu", wanted.milli_cpu, all.milli_cpu, taken.milli_cpu);
  check("memory", wanted.memory, all.memory, taken.memory);
  check("ephemeral-storage", wanted.ephemeral_storage, all.ephemeral_storage,
        taken.ephemeral_storage);
  for (const auto& [name, amount] : wanted.others)
    check(name, amount, all.Of(name), taken.Of(name));
}

bool LacksResources(const PodNeeds& needs, const NodeState& node) {
  bool any = false;
  ForEachLack(needs, node, [&](std::string_view, bool) { any = true; });
  return any;
}

/// The nodes that a term names: those in all of its requirements on names.
std::optional<std::set<std::string>> NamesIn(const NodeSelectorTerm& term) {
  std::optional<std::set<std::string>> names;
  for (const NodeSelectorRequirement& field : term.matchFields) {
    if (field.key != "metadata.name" || field.operator_ != "In") continue;
    std::set<std::string> its(field.values.begin(), field.values.end());
    if (names) std::erase_if(its, [&](const std::string& name) { return !names->contains(name); });
    names = std::move(its);
  }
  return names;
}

std::optional<std::vector<std::string>> NamesIn(const core::v1::NodeSelector& selector) {
  std::set<std::string> all;
  for (const NodeSelectorTerm& term : selector.nodeSelectorTerms) {
    const auto names = NamesIn(term);
    if (!names) return std::nullopt;
    all.insert(names->begin(), names->end());
  }
  return std::vector<std::string>(all.begin(), all.end());
}

void AppendPorts(const Pod::Container& container, std::vector<HostPort>& ports) {
  for (const Pod::ContainerPort& port : container.ports) {
    if (port.hostPort <= 0) continue;
    ports.push_back({port.hostPort,
                     std::string(port.protocol.empty() ? "TCP" : port.protocol.view()),
                     std::string(port.hostIP.empty() ? "0.0.0.0" : port.hostIP.view())});
  }
}

std::string Histogram(std::size_t nodes, const std::map<std::string, std::size_t>& reasons) {
  std::vector<std::string> lines;
  for (const auto& [reason, count] : reasons) lines.push_back(std::to_string(count) + " " + reason);
  // PARITY: by the text with its number, so that 10 comes before 2.
  std::ranges::sort(lines);
  std::string text = "0/" + std::to_string(nodes) + " nodes are available:";
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? " " : ", ") + lines[i];
  return lines.empty() ? text : text + ".";
}

}  // namespace

bool HostPort::CollidesWith(const HostPort& other) const {
  if (port != other.port || protocol != other.protocol) return false;
  return ip == other.ip || ip == "0.0.0.0" || other.ip == "0.0.0.0";
}

PodFootprint PodFootprint::Of(const Pod& pod) {
  PodFootprint footprint;
  footprint.requests = RequestsOf(pod);
  const ResourceAmounts& requests = footprint.requests;
  footprint.scored_cpu = requests.milli_cpu == 0 ? kScoredCpu : requests.milli_cpu;
  footprint.scored_memory = requests.memory == 0 ? kScoredMemory : requests.memory;
  for (const Pod::Container& container : pod.spec.containers) {
    AppendPorts(container, footprint.ports);
  }
  for (const Pod::Container& container : pod.spec.initContainers) {
    // Of init containers only sidecars keep their ports.
    if (container.restartPolicy == "Always") AppendPorts(container, footprint.ports);
  }
  return footprint;
}

PodNeeds PodNeeds::Of(std::shared_ptr<const Pod> pod) {
  PodNeeds needs;
  needs.footprint = PodFootprint::Of(*pod);
  needs.pod = std::move(pod);
  needs.required = {needs.pod->spec.nodeSelector, nullptr};
  const std::string_view rare = needs.pod->spec.rare;
  if (rare.empty()) return needs;
  const auto spec = api::DecodeProtobuf<core::v1::PodSpec>(rare);
  if (!spec || !spec->affinity || !spec->affinity->nodeAffinity) return needs;
  const core::v1::NodeAffinity& affinity = *spec->affinity->nodeAffinity;
  needs.required = {needs.pod->spec.nodeSelector, &affinity};
  for (const auto& one : affinity.preferredDuringSchedulingIgnoredDuringExecution) {
    needs.preferred.push_back({api::NodeSelectorTerm(one.preference), one.weight});
  }
  const auto& required = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  if (required && !required->nodeSelectorTerms.empty()) needs.only_nodes = NamesIn(*required);
  return needs;
}

void NodeState::Describe(std::shared_ptr<const views::KubeletNode> its_node) {
  node = std::move(its_node);
  allocatable = AmountsOf(node->status.allocatable);
  const auto pods_text = node->status.allocatable.find("pods");
  const auto quantity = api::Quantity::Parse(pods_text.value_or("0"));
  allowed_pods = quantity ? quantity->Value() : 0;
}

void NodeState::Put(const PodFootprint& pod) {
  taken.requests.Add(pod.requests);
  taken.scored_cpu = WrappingAdd(taken.scored_cpu, pod.scored_cpu);
  taken.scored_memory = WrappingAdd(taken.scored_memory, pod.scored_memory);
  taken.ports.insert(taken.ports.end(), pod.ports.begin(), pod.ports.end());
  ++pods;
}

void NodeState::Remove(const PodFootprint& pod) {
  taken.requests.Subtract(pod.requests);
  taken.scored_cpu = WrappingSubtract(taken.scored_cpu, pod.scored_cpu);
  taken.scored_memory = WrappingSubtract(taken.scored_memory, pod.scored_memory);
  for (const HostPort& port : pod.ports) {
    const auto found = std::ranges::find(taken.ports, port);
    if (found != taken.ports.end()) taken.ports.erase(found);
  }
  --pods;
}

Misfit FitOf(const PodNeeds& needs, const NodeState& node) {
  // PARITY: the order of upstream's filters, the first of which to object is the one to be named.
  const auto& spec = node.node->spec;
  if (spec.unschedulable && !ToleratesUnschedulable(*needs.pod)) return Misfit::kUnschedulable;
  for (const Taint& taint : spec.taints) {
    if (KeepsOff(taint) && !Tolerates(*needs.pod, taint)) return Misfit::kTaint;
  }
  if (!needs.required.Match(node.name, node.node->metadata.labels)) return Misfit::kAffinity;
  if (PortsCollide(needs, node)) return Misfit::kPorts;
  if (LacksResources(needs, node)) return Misfit::kResources;
  if (needs.volumes && !ObjectionsTo(*needs.volumes, *node.node).empty()) return Misfit::kVolumes;
  return Misfit::kNone;
}

bool IsUnwelcome(const PodNeeds& needs, const NodeState& node) {
  return std::ranges::any_of(node.node->spec.taints, [&](const Taint& taint) {
    return taint.effect == "PreferNoSchedule" && !Tolerates(*needs.pod, taint);
  });
}

std::int64_t PreferenceOf(const PodNeeds& needs, const NodeState& node) {
  std::int64_t weight = 0;
  for (const PodNeeds::Preference& one : needs.preferred) {
    if (one.term.Matches(node.name, node.node->metadata.labels)) weight += one.weight;
  }
  return weight;
}

void MisfitReport::Add(const PodNeeds& needs, const NodeState& node, Misfit misfit) {
  ++nodes_;
  bool could_be_freed = false;
  switch (misfit) {
    case Misfit::kNone:
      break;
    case Misfit::kUnschedulable:
      ++reasons_["node(s) were unschedulable"];
      break;
    case Misfit::kTaint:
      ++reasons_["node(s) had untolerated taint(s)"];
      break;
    case Misfit::kAffinity:
      ++reasons_["node(s) didn't match Pod's node affinity/selector"];
      break;
    case Misfit::kPorts:
      ++reasons_["node(s) didn't have free ports for the requested pod ports"];
      could_be_freed = true;
      break;
    case Misfit::kResources:
      could_be_freed = true;
      ForEachLack(needs, node, [&](std::string_view name, bool enough_if_empty) {
        ++reasons_[name == "pods" ? "Too many pods" : "Insufficient " + std::string(name)];
        could_be_freed = could_be_freed && enough_if_empty;
      });
      break;
    case Misfit::kVolumes:
      for (std::string& objection : ObjectionsTo(*needs.volumes, *node.node)) {
        ++reasons_[std::move(objection)];
      }
      break;
  }
  if (could_be_freed) ++could_be_freed_;
}

void MisfitReport::AddNotNamed(std::size_t nodes) {
  if (nodes == 0) return;
  nodes_ += nodes;
  reasons_["node(s) didn't satisfy plugin(s) [NodeAffinity]"] += nodes;
}

std::string MisfitReport::Message(std::size_t nodes, const std::string& problem) {
  if (nodes == 0) return std::string(kNoNodes);
  return "0/" + std::to_string(nodes) + " nodes are available: " + problem +
         ". preemption: " + Histogram(nodes, {{std::string(kNotHelpful), nodes}});
}

std::string MisfitReport::Message() const {
  if (nodes_ == 0) return std::string(kNoNodes);
  // PARITY: upstream then looks whether it helps to evict others. It does not where there are none
  // of less importance; DIVERGES: nobody is evicted here, and so there never are.
  std::map<std::string, std::size_t> evictions;
  if (could_be_freed_ > 0) {
    evictions["No preemption victims found for incoming pod"] = could_be_freed_;
  }
  if (could_be_freed_ < nodes_) {
    evictions[std::string(kNotHelpful)] = nodes_ - could_be_freed_;
  }
  return Histogram(nodes_, reasons_) + " preemption: " + Histogram(nodes_, evictions);
}

}  // namespace flyball::simulation
