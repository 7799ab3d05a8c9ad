#include "flyball/controllers/disruption/plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "flyball/api/int_or_string.h"
#include "flyball/base/saturating.h"
#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/disruption/event_text.h"

namespace flyball::controllers::disruption {
namespace {

using meta::v1::Condition;
using policy::v1::PodDisruptionBudgetStatus;
using DisruptedPods = api::Map<api::Time>;

constexpr std::string_view kDisruptionAllowed = "DisruptionAllowed";

std::unexpected<Error> NoShare(const std::string& why) {
  return Fail(ErrorCode::kInvalid, "invalid value for IntOrString: " + why);
}

/// What is wrong with it in upstream's words, which end up in a condition.
Result<std::int32_t> ShareOf(const api::IntOrString& value, std::int32_t size) {
  if (const auto share = value.ScaledValue(size, /*round_up=*/true)) {
    return static_cast<std::int32_t>(*share);
  }
  std::string_view digits = value.text();
  if (!digits.ends_with('%')) return NoShare("invalid type: string is not a percentage");
  digits.remove_suffix(1);
  // No server takes such a budget, but one may be older than its rules.
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  return NoShare("invalid value " + Quoted(value.text()) + ": strconv.Atoi: parsing " +
                 Quoted(digits) + ": " + (is_number ? "value out of range" : "invalid syntax"));
}

/// In place of what the condition says so far; since when goes with its status alone.
void SetCondition(std::vector<Condition>& conditions, Condition condition) {
  const auto old = std::ranges::find(conditions, condition.type, &Condition::type);
  if (old == conditions.end()) {
    conditions.push_back(std::move(condition));
    return;
  }
  if (old->status == condition.status) condition.lastTransitionTime = old->lastTransitionTime;
  condition.unknown_fields = std::move(old->unknown_fields);
  *old = std::move(condition);
}

void SetAllowed(PodDisruptionBudgetStatus& status, bool allowed, std::string reason,
                std::string message, WallTime now) {
  Condition condition;
  condition.type = kDisruptionAllowed;
  condition.status = allowed ? "True" : "False";
  condition.observedGeneration = status.observedGeneration;
  condition.lastTransitionTime = api::Time(now);
  condition.reason = std::move(reason);
  condition.message = std::move(message);
  SetCondition(status.conditions, std::move(condition));
}

/// Of those that the server has let go, the ones that are still waited for; the others are gone,
/// going, not the budget's any more, or overdue.
DisruptedPods StillAwaited(const PodDisruptionBudget& budget, const std::vector<PodRef>& pods,
                           api::Time now, Plan& plan) {
  DisruptedPods awaited;
  if (budget.status.disruptedPods.empty()) return awaited;
  for (const PodRef& pod : pods) {
    const std::string_view name = pod->metadata.name;
    const api::Time* const since = budget.status.disruptedPods.find(name);
    if (since == nullptr || pod->metadata.deletionTimestamp) continue;
    const api::Time over = *since + kDeletionTimeout;
    if (over < now) {
      plan.overdue.push_back(pod);
      continue;
    }
    awaited[name] = *since;
    // At the very moment it is still waited for.
    const auto left = SaturatingAdd(over - now, std::chrono::nanoseconds(1));
    if (!plan.check_after || left < *plan.check_after) plan.check_after = left;
  }
  return awaited;
}

std::int32_t CountHealthy(const std::vector<PodRef>& pods, const DisruptedPods& awaited,
                          api::Time now) {
  return static_cast<std::int32_t>(std::ranges::count_if(pods, [&](const PodRef& pod) {
    if (pod->metadata.deletionTimestamp) return false;
    const api::Time* const since = awaited.find(pod->metadata.name);
    if (since != nullptr && *since + kDeletionTimeout > now) return false;
    return common::IsReady(*pod);
  }));
}

}  // namespace

bool GoesByScale(const PodDisruptionBudget& budget) {
  const auto& spec = budget.spec;
  return spec.maxUnavailable || (spec.minAvailable && spec.minAvailable->IsString());
}

Result<Demand> DemandOf(const PodDisruptionBudget& budget, std::int32_t size) {
  const auto& spec = budget.spec;
  if (spec.maxUnavailable) {
    FLYBALL_TRY(const std::int32_t unavailable, ShareOf(*spec.maxUnavailable, size));
    const std::int64_t healthy = std::int64_t{size} - unavailable;
    return Demand{.expected = size,
                  .healthy = static_cast<std::int32_t>(std::max<std::int64_t>(healthy, 0))};
  }
  if (spec.minAvailable) {
    FLYBALL_TRY(const std::int32_t available, ShareOf(*spec.minAvailable, size));
    return Demand{.expected = size, .healthy = available};
  }
  // PARITY: a budget that asks for nothing expects no pods, and lets none go.
  return Demand();
}

std::string Plan::ToString() const {
  std::string text;
  if (update) {
    const auto& status = update->status;
    text = "of " + std::to_string(status.expectedPods) + " pods " +
           std::to_string(status.currentHealthy) + " are healthy, " +
           std::to_string(status.desiredHealthy) +
           " must be: " + std::to_string(status.disruptionsAllowed) + " may go";
  }
  if (!overdue.empty()) {
    text += (text.empty() ? "" : "; ") + std::to_string(overdue.size()) +
            " did not go that were to be evicted";
  }
  return text.empty() ? "nothing to do" : text;
}

Plan PlanFor(const PodDisruptionBudget& budget, const std::vector<PodRef>& pods,
             const Demand& demand, WallTime now) {
  Plan plan;
  PodDisruptionBudget update = budget;
  PodDisruptionBudgetStatus& status = update.status;
  status.disruptedPods = StillAwaited(budget, pods, api::Time(now), plan);
  status.currentHealthy = CountHealthy(pods, status.disruptedPods, api::Time(now));
  status.desiredHealthy = demand.healthy;
  status.expectedPods = demand.expected;
  status.observedGeneration = budget.metadata.generation;
  // Where no pods are expected none may go: the first that come ought not to be evicted before they
  // have been counted.
  const std::int64_t spare = std::int64_t{status.currentHealthy} - demand.healthy;
  status.disruptionsAllowed =
      demand.expected > 0 ? static_cast<std::int32_t>(std::max<std::int64_t>(spare, 0)) : 0;
  const bool allowed = status.disruptionsAllowed > 0;
  SetAllowed(status, allowed, allowed ? "SufficientPods" : "InsufficientPods", "", now);
  if (status != budget.status) plan.update = std::move(update);
  return plan;
}

std::optional<PodDisruptionBudget> FailSafe(const PodDisruptionBudget& budget,
                                            const std::string& why, WallTime now) {
  PodDisruptionBudget update = budget;
  update.status.disruptionsAllowed = 0;
  SetAllowed(update.status, false, "SyncFailed", why, now);
  if (update.status == budget.status) return std::nullopt;
  return update;
}

}  // namespace flyball::controllers::disruption
