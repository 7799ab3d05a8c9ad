#include "flyball/controllers/node_lifecycle/health_plan.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/controllers/node_lifecycle/taint_plan.h"

namespace flyball::controllers::node_lifecycle {
namespace {

using api::Json;

/// Not NetworkUnavailable: it is not the node who says so.
constexpr std::array<std::string_view, 4> kReportedByNodes = {"Ready", "MemoryPressure",
                                                              "DiskPressure", "PIDPressure"};

bool IsReportedByNodes(std::string_view type) {
  return std::ranges::find(kReportedByNodes, type) != kReportedByNodes.end();
}

std::optional<api::ViewTime> ReportedAt(const views::Node& node) {
  const NodeCondition* const ready = FindCondition(node, "Ready");
  return ready == nullptr ? std::nullopt : std::optional(ready->lastHeartbeatTime);
}

/// A node that has never said how it is counts from when it was made, by whoever restarts.
SteadyTime CreatedAt(const views::Node& node, Moment now) {
  const std::chrono::nanoseconds age =
      api::Time(now.wall) - node.metadata.creationTimestamp.ToTime();
  constexpr std::chrono::nanoseconds kLongest = std::chrono::years(100);
  // The bound keeps every later distance to that moment within what a duration holds.
  return now.steady - std::clamp(age, std::chrono::nanoseconds::zero(), kLongest);
}

NodeMemory Remember(const NodeMemory* before, const views::Node& node, Moment now) {
  const std::optional<api::ViewTime> reported = ReportedAt(node);
  if (before == nullptr || before->uid != node.metadata.uid) {
    return {.uid = std::string(node.metadata.uid),
            .heard = reported ? now.steady : CreatedAt(node, now),
            .reported = reported,
            .doubted = HasEvictingTaint(node)};
  }
  NodeMemory memory = *before;
  memory.doubted = memory.doubted && HasEvictingTaint(node);
  if (memory.reported != reported) {
    memory.reported = reported;
    memory.heard = now.steady;
  }
  return memory;
}

Json UnknownCondition(const views::Node& node, std::string_view type, WallTime now) {
  const NodeCondition* const said = FindCondition(node, type);
  Json::Object condition;
  condition["type"] = std::string(type);
  condition["status"] = "Unknown";
  condition["lastTransitionTime"] = api::Time(now).ToString();
  if (said == nullptr) {
    condition["reason"] = "NodeStatusNeverUpdated";
    condition["message"] = "Kubelet never posted node status.";
    condition["lastHeartbeatTime"] = node.metadata.creationTimestamp.ToTime().ToString();
  } else {
    condition["reason"] = "NodeStatusUnknown";
    condition["message"] = "Kubelet stopped posting node status.";
  }
  return condition;
}

}  // namespace

Judgement Judge(const NodeMemory* before, const views::Node& node, const views::NodeLease* lease,
                Moment now, SteadyTime deaf_until, const GracePeriods& grace) {
  Judgement judgement{.memory = Remember(before, node, now)};
  NodeMemory& memory = judgement.memory;
  // DIVERGES: upstream wants a later moment, and so takes a node for lost whose clock was set back.
  if (lease != nullptr && memory.renewed != lease->spec.rare.view()) {
    memory.renewed = lease->spec.rare.view();
    memory.heard = now.steady;
  }
  memory.heard = std::max(memory.heard, deaf_until);
  memory.readiness = ReadinessOf(node);
  const auto allowed = memory.reported ? grace.running : grace.startup;
  judgement.overdue = now.steady - memory.heard > allowed;
  return judgement;
}

std::optional<Json> UnknownPatch(const views::Node& node, WallTime now) {
  if (ReadinessOf(node) == Readiness::kUnknown) return std::nullopt;
  std::vector<std::string_view> order;
  for (const NodeCondition& condition : node.status.conditions) order.push_back(condition.type);
  for (const std::string_view type : kReportedByNodes) {
    if (FindCondition(node, type) == nullptr) order.push_back(type);
  }
  // Without the order the server puts what is changed before what is not; and what is changed has
  // to stand in that order, too.
  Json::Array types;
  Json::Array conditions;
  for (const std::string_view type : order) {
    types.emplace_back(Json::Object{{"type", std::string(type)}});
    const NodeCondition* const said = FindCondition(node, type);
    const bool is_known = said == nullptr || said->status != "Unknown";
    if (IsReportedByNodes(type) && is_known)
      conditions.push_back(UnknownCondition(node, type, now));
  }
  return Json::Object{
      {"metadata", Json::Object{{"resourceVersion", std::string(node.metadata.resourceVersion)}}},
      {"status", Json::Object{{"$setElementOrder/conditions", std::move(types)},
                              {"conditions", std::move(conditions)}}}};
}

}  // namespace flyball::controllers::node_lifecycle
