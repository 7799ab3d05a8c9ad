#include "flyball/controllers/taint_eviction/plan.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/base/saturating.h"

namespace flyball::controllers::taint_eviction {
namespace {

using api::Json;
using std::chrono::nanoseconds;
using Action = Plan::Action;

constexpr std::string_view kReason = "DeletionByTaintManager";

bool Evicts(const views::Node::Taint& taint) { return taint.effect == "NoExecute"; }

std::vector<const views::Node::Taint*> EvictingTaints(const views::Node& node) {
  std::vector<const views::Node::Taint*> taints;
  for (const auto& taint : node.spec.taints) {
    if (Evicts(taint)) taints.push_back(&taint);
  }
  return taints;
}

/// The first that tolerates a taint: it alone says for how long.
const views::Pod::Toleration* FindToleration(const views::Pod& pod, const views::Node::Taint& taint,
                                             api::TolerationRules rules) {
  const auto* const found = std::ranges::find_if(pod.spec.tolerations, [&](const auto& one) {
    return api::Tolerates(one, taint.key, taint.value, taint.effect, rules);
  });
  return found == pod.spec.tolerations.end() ? nullptr : found;
}

bool SaysWhy(const views::Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "DisruptionTarget" && condition.status == "True" &&
           condition.reason == kReason;
  });
}

/// DIVERGES: upstream deletes it again each time that its node's taints change.
bool GoesAlready(const views::Pod& pod) {
  return pod.metadata.deletionTimestamp.has_value() && SaysWhy(pod);
}

Plan Stays(const Deadline* deadline) {
  return {.action = Action::kNothing, .cancelled = deadline != nullptr && !deadline->begun};
}

Plan Keeps(const Deadline& deadline, SteadyTime now) {
  return {.action = deadline.due <= now ? Action::kEvict : Action::kWait, .deadline = deadline};
}

}  // namespace

std::string Plan::ToString() const {
  std::string text = cancelled ? "no longer as it was to; " : "";
  switch (action) {
    case Action::kNothing:
      return text + "it stays";
    case Action::kWait:
      return text + "it goes later";
    case Action::kEvict:
      return text + "it goes";
  }
  return text;
}

bool DrivesPodsOut(const views::Node& node) {
  return std::ranges::any_of(node.spec.taints, Evicts);
}

bool SameEvictingTaints(const views::Node& old, const views::Node& node) {
  return std::ranges::equal(
      EvictingTaints(old), EvictingTaints(node), [](const auto* a, const auto* b) {
        return a->key == b->key && a->value == b->value && a->timeAdded == b->timeAdded;
      });
}

bool SameTolerations(const views::Pod& old, const views::Pod& pod) {
  return std::ranges::equal(
      old.spec.tolerations, pod.spec.tolerations, [](const auto& a, const auto& b) {
        return a.key == b.key && a.operator_ == b.operator_ && a.value == b.value &&
               a.effect == b.effect && a.tolerationSeconds == b.tolerationSeconds;
      });
}

std::optional<nanoseconds> ToleratedFor(const views::Pod& pod, const views::Node& node,
                                        api::TolerationRules rules) {
  std::optional<std::int64_t> shortest;
  for (const auto* taint : EvictingTaints(node)) {
    const auto* const toleration = FindToleration(pod, *taint, rules);
    if (toleration == nullptr) return nanoseconds::zero();
    if (!toleration->tolerationSeconds) continue;
    const std::int64_t seconds = std::max(*toleration->tolerationSeconds, std::int64_t{0});
    shortest = std::min(shortest.value_or(seconds), seconds);
  }
  if (!shortest) return std::nullopt;
  return SaturatingNanoseconds(std::chrono::seconds(*shortest));
}

Plan PlanFor(const views::Pod& pod, const views::Node* node, const Deadline* deadline,
             SteadyTime now, api::TolerationRules rules) {
  if (GoesAlready(pod)) return {};
  // Another pod of that name had it.
  if (deadline != nullptr && deadline->uid != pod.metadata.uid) {
    Plan plan = PlanFor(pod, node, nullptr, now, rules);
    plan.cancelled = !deadline->begun;
    return plan;
  }
  // PARITY: what was to go goes, whatever becomes of its node.
  if (node == nullptr) return deadline == nullptr ? Plan() : Keeps(*deadline, now);
  const auto tolerated = ToleratedFor(pod, *node, rules);
  if (!DrivesPodsOut(*node) || !tolerated) return Stays(deadline);
  const Deadline fresh{.uid = std::string(pod.metadata.uid), .due = SaturatingAdd(now, *tolerated)};
  const bool all_tolerated = std::ranges::all_of(EvictingTaints(*node), [&](const auto* taint) {
    return FindToleration(pod, *taint, rules) != nullptr;
  });
  // PARITY: what it says of how long counts from the first taint, and is not asked for again. What
  // is due goes as soon as the caches have caught up: nothing of it is cancelled.
  if (deadline != nullptr && (all_tolerated || deadline->begun || deadline->due <= now)) {
    return Keeps(*deadline, now);
  }
  Plan plan = Keeps(fresh, now);
  plan.cancelled = deadline != nullptr;
  return plan;
}

std::optional<Json> DisruptionPatch(const views::Pod& pod, WallTime now) {
  if (SaysWhy(pod)) return std::nullopt;
  const auto* const said = std::ranges::find_if(pod.status.conditions, [](const auto& condition) {
    return condition.type == "DisruptionTarget";
  });
  const bool is_said = said != pod.status.conditions.end();
  Json::Object condition{{"type", "DisruptionTarget"},
                         {"status", "True"},
                         {"reason", std::string(kReason)},
                         {"message", "Taint manager: deleting due to NoExecute taint"},
                         {"observedGeneration", pod.metadata.generation}};
  if (is_said) condition["lastProbeTime"] = Json();
  const bool turns = !is_said || said->status != "True";
  if (turns) condition["lastTransitionTime"] = api::Time(now).ToString();
  // Without the order the server puts what is new before what is there.
  Json::Array types;
  for (const auto& each : pod.status.conditions) {
    types.emplace_back(Json::Object{{"type", std::string(each.type)}});
  }
  if (!is_said) types.emplace_back(Json::Object{{"type", "DisruptionTarget"}});
  return Json::Object{{"metadata", Json::Object{{"uid", std::string(pod.metadata.uid)}}},
                      {"status", Json::Object{{"$setElementOrder/conditions", std::move(types)},
                                              {"conditions", Json::Array{std::move(condition)}}}}};
}

}  // namespace flyball::controllers::taint_eviction
