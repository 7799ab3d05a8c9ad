#include "flyball/controllers/daemon_set/daemon_pod.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "flyball/api/protobuf_decode.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/pod_from_template.h"

namespace flyball::controllers::daemon_set {
namespace {

using apps::v1::DaemonSet;
using core::v1::NodeSelectorRequirement;
using core::v1::NodeSelectorTerm;
using core::v1::Pod;
using core::v1::PodSpec;
using core::v1::Toleration;

constexpr std::string_view kNameField = "metadata.name";

// PARITY: one with the same key, operator and effect is replaced, whatever else it says; one for a
// limited time thus becomes one for ever.
void Tolerate(std::vector<Toleration>& tolerations, std::string_view key, std::string_view effect) {
  Toleration toleration;
  toleration.key = key;
  toleration.operator_ = "Exists";
  toleration.effect = effect;
  bool replaced = false;
  for (Toleration& one : tolerations) {
    if (one.key != key || one.effect != effect || one.operator_ != "Exists" || !one.value.empty()) {
      continue;
    }
    one = toleration;
    replaced = true;
  }
  if (!replaced) tolerations.push_back(std::move(toleration));
}

bool IsOnItsWayOutOfTheStore(const views::Pod& pod) {
  const bool ended = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  return ended && pod.metadata.deletionTimestamp;
}

bool CountsBefore(const PodRef& a, const PodRef& b) {
  const auto rank = [](const views::Pod& pod) {
    return std::tuple(pod.spec.nodeName.empty(), pod.metadata.creationTimestamp,
                      pod.metadata.name.view());
  };
  return rank(*a) < rank(*b);
}

}  // namespace

std::optional<std::int64_t> TemplateGenerationOf(const DaemonSet& set) {
  const std::string* const found = set.metadata.annotations.find(kGenerationAnnotation);
  if (found == nullptr) return std::nullopt;
  std::string_view text = *found;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t generation = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), generation);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return generation;
}

std::string_view HashOf(const views::Pod& pod) {
  return pod.metadata.labels.find(kHashLabel).value_or(std::string_view());
}

bool IsUpdated(const views::Pod& pod, const TemplateRevision& template_revision) {
  if (!template_revision.hash.empty() && HashOf(pod) == template_revision.hash) return true;
  return template_revision.generation && pod.metadata.labels.find(kGenerationLabel) ==
                                             std::to_string(*template_revision.generation);
}

std::vector<Toleration> TolerationsOf(const PodSpec& spec) {
  std::vector<Toleration> tolerations = spec.tolerations;
  Tolerate(tolerations, "node.kubernetes.io/not-ready", "NoExecute");
  Tolerate(tolerations, "node.kubernetes.io/unreachable", "NoExecute");
  Tolerate(tolerations, "node.kubernetes.io/disk-pressure", "NoSchedule");
  Tolerate(tolerations, "node.kubernetes.io/memory-pressure", "NoSchedule");
  Tolerate(tolerations, "node.kubernetes.io/pid-pressure", "NoSchedule");
  Tolerate(tolerations, "node.kubernetes.io/unschedulable", "NoSchedule");
  if (spec.hostNetwork) {
    Tolerate(tolerations, "node.kubernetes.io/network-unavailable", "NoSchedule");
  }
  return tolerations;
}

Pod DaemonPod(const DaemonSet& set, const TemplateRevision& template_revision) {
  Pod pod = common::PodFromTemplate(set.spec.template_, set.metadata.namespace_,
                                    common::ControllerRefTo(set));
  pod.spec.tolerations = TolerationsOf(pod.spec);
  if (template_revision.generation) {
    pod.metadata.labels[kGenerationLabel] = std::to_string(*template_revision.generation);
  }
  if (!template_revision.hash.empty()) pod.metadata.labels[kHashLabel] = template_revision.hash;
  return pod;
}

Pod BoundTo(Pod pod, const std::string& node) {
  NodeSelectorRequirement named;
  named.key = kNameField;
  named.operator_ = "In";
  named.values = {node};
  NodeSelectorTerm term;
  term.matchFields = {std::move(named)};
  // In place of what the template requires, which this node meets. What it prefers stays.
  pod.spec.affinity.get_or_emplace()
      .nodeAffinity.get_or_emplace()
      .requiredDuringSchedulingIgnoredDuringExecution.get_or_emplace()
      .nodeSelectorTerms = {std::move(term)};
  return pod;
}

std::optional<std::string> TargetNodeOf(const views::Pod& pod) {
  if (!pod.spec.nodeName.empty()) return std::string(pod.spec.nodeName);
  const std::string_view rare = pod.spec.rare;
  if (rare.empty()) return std::nullopt;
  const auto spec = api::DecodeProtobuf<PodSpec>(rare);
  if (!spec || !spec->affinity || !spec->affinity->nodeAffinity) return std::nullopt;
  const auto& required =
      spec->affinity->nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return std::nullopt;
  for (const NodeSelectorTerm& term : required->nodeSelectorTerms) {
    for (const NodeSelectorRequirement& field : term.matchFields) {
      if (field.key != kNameField || field.operator_ != "In") continue;
      return field.values.size() == 1 ? std::optional(field.values.front()) : std::nullopt;
    }
  }
  return std::nullopt;
}

PodsByNode ByNode(std::span<const PodRef> pods) {
  PodsByNode by_node;
  for (const PodRef& pod : pods) {
    if (IsOnItsWayOutOfTheStore(*pod)) continue;
    if (auto node = TargetNodeOf(*pod)) by_node[*std::move(node)].push_back(pod);
  }
  for (auto& [node, its] : by_node) std::ranges::sort(its, CountsBefore);
  return by_node;
}

}  // namespace flyball::controllers::daemon_set
