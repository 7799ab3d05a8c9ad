#include "flyball/controllers/node_lifecycle/taint_plan.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/controllers/node_lifecycle/readiness.h"

namespace flyball::controllers::node_lifecycle {
namespace {

using api::Json;

constexpr std::string_view kNoSchedule = "NoSchedule";
constexpr std::string_view kNoExecute = "NoExecute";
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

/// Which taint a condition with a status comes to.
struct ConditionTaint {
  std::string_view condition;
  std::string_view status;
  std::string_view key;
};
constexpr std::array<ConditionTaint, 6> kConditionTaints = {{
    {"Ready", "False", kNotReady},
    {"Ready", "Unknown", kUnreachable},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
}};

bool IsOfConditions(std::string_view key) {
  return key == kUnschedulable ||
         std::ranges::any_of(kConditionTaints, [&](const auto& each) { return each.key == key; });
}

/// The keys of the taints that keep new pods off.
std::vector<std::string_view> KeysFor(const views::Node& node) {
  std::vector<std::string_view> keys;
  for (const NodeCondition& condition : node.status.conditions) {
    for (const ConditionTaint& each : kConditionTaints) {
      if (condition.type == each.condition && condition.status == each.status) {
        keys.push_back(each.key);
      }
    }
  }
  if (node.spec.unschedulable) keys.push_back(kUnschedulable);
  return keys;
}

/// The taint that drives pods out; empty: none does.
std::string_view EvictingKeyFor(const views::Node& node) {
  switch (ReadinessOf(node)) {
    case Readiness::kNotReady:
      return kNotReady;
    case Readiness::kUnknown:
      return kUnreachable;
    case Readiness::kReady:
    case Readiness::kUnsaid:
      return {};
  }
  return {};
}

bool Has(const views::Node& node, std::string_view key, std::string_view effect) {
  return std::ranges::any_of(node.spec.taints, [&](const auto& taint) {
    return taint.key == key && taint.effect == effect;
  });
}

Json NewTaint(std::string_view key, std::string_view effect, WallTime now) {
  return Json::Object{{"key", std::string(key)},
                      {"effect", std::string(effect)},
                      {"timeAdded", api::Time(now).ToString()}};
}

Json Kept(const views::Node::Taint& taint) {
  Json::Object kept;
  kept["key"] = std::string(taint.key);
  if (!taint.value.empty()) kept["value"] = std::string(taint.value);
  kept["effect"] = std::string(taint.effect);
  if (taint.timeAdded) kept["timeAdded"] = taint.timeAdded->ToTime().ToString();
  return kept;
}

/// The taints of a node while they are changed: those that stay in their order, then new ones.
class Taints {
 public:
  Taints(const views::Node& node, WallTime now) : node_(node), now_(now) {}

  void Remove(std::string_view key, std::string_view effect) {
    if (Has(node_, key, effect)) removed_.emplace_back(key, effect);
  }
  void Add(std::string_view key, std::string_view effect) {
    if (!Has(node_, key, effect)) added_.emplace_back(key, effect);
  }

  bool changed() const { return !removed_.empty() || !added_.empty(); }

  Json List() const {
    Json::Array list;
    for (const auto& taint : node_.spec.taints) {
      if (!Removes(Name(taint.key, taint.effect))) list.push_back(Kept(taint));
    }
    for (const auto& [key, effect] : added_) list.push_back(NewTaint(key, effect, now_));
    return list;
  }

  std::string ToString() const {
    std::string text;
    for (const auto& [key, effect] : added_) Tell("+", key, effect, text);
    for (const auto& [key, effect] : removed_) Tell("-", key, effect, text);
    return text;
  }

 private:
  using Name = std::pair<std::string_view, std::string_view>;

  bool Removes(const Name& name) const {
    return std::ranges::find(removed_, name) != removed_.end();
  }
  static void Tell(std::string_view sign, std::string_view key, std::string_view effect,
                   std::string& text) {
    if (!text.empty()) text += ", ";
    text.append(sign).append(key).append(":").append(effect);
  }

  const views::Node& node_;
  const WallTime now_;
  std::vector<Name> removed_;
  std::vector<Name> added_;
};

void KeepPodsOff(const views::Node& node, Taints& taints) {
  const std::vector<std::string_view> keys = KeysFor(node);
  for (const std::string_view key : keys) taints.Add(key, kNoSchedule);
  for (const auto& taint : node.spec.taints) {
    if (taint.effect != kNoSchedule || !IsOfConditions(taint.key)) continue;
    const bool wanted = std::ranges::find(keys, taint.key.view()) != keys.end();
    if (!wanted) taints.Remove(taint.key, kNoSchedule);
  }
}

void SettleEvictions(const views::Node& node, bool spare_pods, Taints& taints) {
  const Readiness readiness = ReadinessOf(node);
  if (readiness == Readiness::kReady || spare_pods) {
    taints.Remove(kUnreachable, kNoExecute);
    taints.Remove(kNotReady, kNoExecute);
    return;
  }
  const std::string_view key = EvictingKeyFor(node);
  if (key.empty()) return;
  const std::string_view other = key == kNotReady ? kUnreachable : kNotReady;
  if (!Has(node, other, kNoExecute)) return;
  taints.Add(key, kNoExecute);
  taints.Remove(other, kNoExecute);
}

/// The labels that some still go by say the same as those that took their places.
Json::Object LabelsToSet(const views::Node& node) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kLabels = {
      {{"kubernetes.io/os", "beta.kubernetes.io/os"},
       {"kubernetes.io/arch", "beta.kubernetes.io/arch"}}};
  Json::Object labels;
  for (const auto& [label, beta] : kLabels) {
    const auto value = node.metadata.labels.find(label);
    if (value && node.metadata.labels.find(beta) != value) labels[beta] = std::string(*value);
  }
  return labels;
}

NodeChange Change(const views::Node& node, const Taints& taints, Json::Object labels) {
  NodeChange change{.patch = {}, .what = taints.ToString()};
  Json::Object metadata{{"resourceVersion", std::string(node.metadata.resourceVersion)}};
  for (const auto& [label, value] : labels) {
    change.what += change.what.empty() ? "" : ", ";
    change.what += label + "=" + *value.If<std::string>();
  }
  if (!labels.empty()) metadata["labels"] = std::move(labels);
  Json::Object patch{{"metadata", std::move(metadata)}};
  if (taints.changed()) patch["spec"] = Json::Object{{"taints", taints.List()}};
  change.patch = std::move(patch);
  return change;
}

}  // namespace

bool LacksEvictingTaint(const views::Node& node) {
  return !EvictingKeyFor(node).empty() && !HasEvictingTaint(node);
}

bool HasEvictingTaint(const views::Node& node) {
  return Has(node, kNotReady, kNoExecute) || Has(node, kUnreachable, kNoExecute);
}

bool LacksConditionTaints(const views::Node& node) {
  return std::ranges::any_of(KeysFor(node),
                             [&](std::string_view key) { return !Has(node, key, kNoSchedule); });
}

std::optional<NodeChange> PlanTaints(const views::Node& node, bool spare_pods, WallTime now) {
  Taints taints(node, now);
  KeepPodsOff(node, taints);
  SettleEvictions(node, spare_pods, taints);
  Json::Object labels = LabelsToSet(node);
  if (!taints.changed() && labels.empty()) return std::nullopt;
  return Change(node, taints, std::move(labels));
}

std::optional<NodeChange> AddEvictingTaint(const views::Node& node, WallTime now) {
  if (!LacksEvictingTaint(node)) return std::nullopt;
  Taints taints(node, now);
  taints.Add(EvictingKeyFor(node), kNoExecute);
  return Change(node, taints, {});
}

}  // namespace flyball::controllers::node_lifecycle
