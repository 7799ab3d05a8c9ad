#include "flyball/controllers/pod_garbage_collector/plan.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/strategic_merge.h"

namespace flyball::controllers::pod_garbage_collector {
namespace {

using core::v1::PodCondition;

constexpr std::string_view kOutOfServiceTaint = "node.kubernetes.io/out-of-service";

// PARITY: a pod that nobody has given a phase counts as ended, too.
bool HasEnded(const views::Pod& pod) {
  const std::string_view phase = pod.status.phase;
  return phase != "Pending" && phase != "Running" && phase != "Unknown";
}

bool IsReady(const views::Node& node) {
  const auto ready = std::ranges::find_if(
      node.status.conditions, [](const auto& condition) { return condition.type == "Ready"; });
  return ready != node.status.conditions.end() && ready->status == "True";
}

bool IsOutOfService(const views::Node& node) {
  return !IsReady(node) && std::ranges::any_of(node.spec.taints, [](const auto& taint) {
    return taint.key == kOutOfServiceTaint;
  });
}

/// What goes first is less: evicted pods, whose controllers have long replaced them, then the
/// oldest. Of pods of one age and name upstream takes any; ours are in order of namespaces.
auto Rank(const PodRef& pod) {
  const bool evicted = pod->status.phase == "Failed" && pod->status.reason == "Evicted";
  return std::tuple(!evicted, pod->metadata.creationTimestamp, pod->metadata.name.view(),
                    pod->metadata.namespace_.view());
}

void AddAll(const std::vector<PodRef>& pods, Reason reason, std::vector<Removal>& removals) {
  for (const PodRef& pod : pods) removals.push_back({pod, reason});
}

std::vector<PodRef> SurplusOf(std::vector<PodRef> ended, std::int32_t threshold) {
  const std::size_t kept = static_cast<std::size_t>(std::max(threshold, 0));
  if (kept == 0 || ended.size() <= kept) return {};
  std::ranges::sort(ended, {}, Rank);
  ended.resize(ended.size() - kept);
  return ended;
}

Result<PodCondition> ConditionFrom(const views::Pod::PodCondition& kept) {
  FLYBALL_TRY(PodCondition condition, api::DecodeProtobuf<PodCondition>(kept.rare.view()));
  condition.type = std::string(kept.type);
  condition.status = std::string(kept.status);
  condition.lastTransitionTime = kept.lastTransitionTime;
  condition.reason = std::string(kept.reason);
  return condition;
}

/// That the pod is disrupted from outside, in place of what may be said of that so far.
void SetDisruptionTarget(core::v1::PodStatus& status, std::int64_t generation, WallTime now) {
  PodCondition condition;
  condition.type = "DisruptionTarget";
  condition.observedGeneration = generation;
  condition.status = "True";
  condition.lastTransitionTime = api::Time(now);
  condition.reason = "DeletionByPodGC";
  condition.message = "PodGC: node no longer exists";
  const auto old = std::ranges::find(status.conditions, condition.type, &PodCondition::type);
  if (old == status.conditions.end()) {
    status.conditions.push_back(std::move(condition));
    return;
  }
  if (old->status == condition.status) condition.lastTransitionTime = old->lastTransitionTime;
  *old = std::move(condition);
}

}  // namespace

std::string_view ToString(Reason reason) {
  switch (reason) {
    case Reason::kTerminated:
      return "terminated";
    case Reason::kOutOfService:
      return "out-of-service";
    case Reason::kOrphaned:
      return "orphaned";
    case Reason::kUnscheduled:
      return "unscheduled";
  }
  return {};
}

std::string Removal::ToString() const {
  return api::ObjectKey::Of(*pod).ToString() + ": " +
         std::string(pod_garbage_collector::ToString(reason));
}

Plan PlanFor(const std::vector<PodRef>& pods, const std::vector<NodeRef>& nodes,
             std::int32_t terminated_threshold) {
  std::unordered_map<std::string_view, const views::Node*> known;
  for (const NodeRef& node : nodes) known.emplace(node->metadata.name, node.get());

  Plan plan;
  std::vector<PodRef> ended;
  std::vector<PodRef> out_of_service;
  std::vector<PodRef> unscheduled;
  for (const PodRef& pod : pods) {
    const std::string_view name = pod->spec.nodeName;
    const auto node = known.find(name);
    if (!name.empty() && node == known.end()) plan.missing_nodes.emplace(name);
    if (HasEnded(*pod)) ended.push_back(pod);
    if (!pod->metadata.deletionTimestamp) continue;
    if (name.empty()) unscheduled.push_back(pod);
    if (node != known.end() && IsOutOfService(*node->second)) out_of_service.push_back(pod);
  }

  AddAll(SurplusOf(std::move(ended), terminated_threshold), Reason::kTerminated, plan.removals);
  // DIVERGES: upstream deletes a pod again for each reason, and counts it as an error that it is
  // gone by then.
  std::unordered_set<const views::Pod*> taken;
  for (const Removal& removal : plan.removals) taken.insert(removal.pod.get());
  const auto is_taken = [&](const PodRef& pod) { return taken.contains(pod.get()); };
  std::erase_if(out_of_service, is_taken);
  std::erase_if(unscheduled, is_taken);
  std::ranges::sort(out_of_service, {}, Rank);
  AddAll(out_of_service, Reason::kOutOfService, plan.removals);
  AddAll(unscheduled, Reason::kUnscheduled, plan.removals);
  return plan;
}

std::vector<Removal> OrphansOf(std::string_view node, const std::vector<PodRef>& pods) {
  std::vector<Removal> removals;
  for (const PodRef& pod : pods) {
    if (pod->spec.nodeName == node) removals.push_back({pod, Reason::kOrphaned});
  }
  return removals;
}

Result<std::optional<api::Json>> FailurePatch(const Removal& removal, WallTime now) {
  const views::Pod& pod = *removal.pod;
  if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") return std::nullopt;

  // What a view leaves out is in neither of the two, and so in no difference between them.
  core::v1::Pod before;
  before.status.phase = std::string(pod.status.phase);
  before.status.observedGeneration = pod.status.observedGeneration;
  for (const auto& kept : pod.status.conditions) {
    FLYBALL_TRY(before.status.conditions.emplace_back(), ConditionFrom(kept));
  }
  core::v1::Pod after = before;
  after.metadata.uid = std::string(pod.metadata.uid);  // or it is another pod, and a conflict
  after.status.phase = "Failed";
  after.status.observedGeneration = pod.metadata.generation;
  if (removal.reason == Reason::kOrphaned) {
    SetDisruptionTarget(after.status, pod.metadata.generation, now);
  }
  FLYBALL_TRY(api::Json patch, api::CreateStrategicMergePatch(before, after));
  return patch;
}

}  // namespace flyball::controllers::pod_garbage_collector
