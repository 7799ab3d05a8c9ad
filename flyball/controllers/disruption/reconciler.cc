#include "flyball/controllers/disruption/reconciler.h"

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/disruption/event_text.h"
#include "flyball/controllers/disruption/stale_target_plan.h"

namespace flyball::controllers::disruption {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::EventType;
using runtime::Outcome;

/// Whether the same may succeed without anything having changed that would bring the budget back.
bool MayPass(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kUnauthorized:
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kServerTimeout:
    case ErrorCode::kInternal:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kCancelled:
    case ErrorCode::kIo:
      return true;
    default:
      return false;
  }
}

/// One that is gone needs no status.
Result<> WriteStatus(Context& context, const PodDisruptionBudget& budget) {
  const auto written = context.UpdateStatus(budget);
  if (written || written.error().code() == ErrorCode::kNotFound) return {};
  return std::unexpected(written.error());
}

}  // namespace

Result<Outcome> BudgetReconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto budget = deps_.budgets.Get(key);
  if (!budget) {
    context.log().V(4).Info("podDisruptionBudget has been deleted", {{"key", key.ToString()}});
    return Outcome::Done();
  }
  auto outcome = Sync(context, *budget);
  if (outcome) return outcome;
  const ErrorCode code = outcome.error().code();
  // Somebody has just taken one of the disruptions: with what the server has now it is another
  // matter.
  if (code == ErrorCode::kConflict || context.stop().stop_requested()) return outcome;
  return WriteFailSafe(context, *budget, outcome.error());
}

Result<Outcome> BudgetReconciler::Sync(Context& context, const PodDisruptionBudget& budget) const {
  const auto pods = deps_.coverage->PodsOf(ObjectKey::Of(budget));
  if (!pods) {
    context.events().Event(budget, EventType::kWarning, "NoPods",
                           "Failed to get pods: " + pods.error().message());
    return std::unexpected(pods.error());
  }
  if (pods->empty()) {
    context.events().Event(budget, EventType::kNormal, "NoPods", "No matching pods found");
  }
  const auto demand = FindDemand(context, budget, *pods);
  if (!demand) {
    context.events().Event(
        budget, EventType::kWarning, "CalculateExpectedPodCountFailed",
        "Failed to calculate the number of expected pods: " + demand.error().message());
    return std::unexpected(demand.error());
  }

  const Plan plan = PlanFor(budget, *pods, *demand, context.now());
  if (plan.update || !plan.overdue.empty()) context.Decided(plan.ToString());
  if (const auto log = context.log().V(4)) {
    log.Info("Syncing PodDisruptionBudget",
             {{"podDisruptionBudget", api::KObj(budget)}, {"plan", plan.ToString()}});
  }
  // Kept also where the write is refused.
  if (plan.check_after) context.RequeueAfter(*plan.check_after);
  for (const PodRef& pod : plan.overdue) {
    const auto* const since = budget.status.disruptedPods.find(pod->metadata.name.view());
    context.log().V(1).Info("pod was expected to be deleted but it wasn't, updating PDB",
                            {{"pod", api::KObj(*pod)},
                             {"deletionTime", since == nullptr ? "" : since->ToString()},
                             {"podDisruptionBudget", api::KObj(budget)}});
    context.events().Event(*pod, EventType::kWarning, "NotDeleted", NotDeletedText(budget));
  }
  if (plan.update) FLYBALL_TRY(WriteStatus(context, *plan.update));
  return plan.check_after ? Outcome::RequeueAfter(*plan.check_after) : Outcome::Done();
}

Result<Demand> BudgetReconciler::FindDemand(Context& context, const PodDisruptionBudget& budget,
                                            const std::vector<PodRef>& pods) const {
  if (!GoesByScale(budget)) return DemandOf(budget, static_cast<std::int32_t>(pods.size()));
  FLYBALL_TRY(const Scales::Total total, deps_.scales.Of(context.client(), pods));
  FLYBALL_TRY(const Demand demand, DemandOf(budget, total.replicas));
  // No error, which would bring the budget back again and again: it stays as it is.
  if (!total.unmanaged.empty()) {
    context.log().V(4).Info(
        "Found unmanaged pods associated with this PDB",
        {{"pods", total.unmanaged}, {"podDisruptionBudget", api::KObj(budget)}});
    context.events().Event(budget, EventType::kWarning, "UnmanagedPods", UnmanagedText(budget));
  }
  return demand;
}

Result<Outcome> BudgetReconciler::WriteFailSafe(Context& context, const PodDisruptionBudget& budget,
                                                const Error& error) {
  context.Decided("none may go: " + error.message());
  context.log().Error(error, "Failed to sync PDB", {{"podDisruptionBudget", api::KObj(budget)}});
  if (const auto update = FailSafe(budget, error.message(), context.now())) {
    FLYBALL_TRY(WriteStatus(context, *update));
  }
  // DIVERGES: upstream leaves it at that, until something changes. What is wrong with the budget or
  // its pods ends with such a change; what was wrong with the server does not.
  if (MayPass(error)) return std::unexpected(error);
  return Outcome::Done();
}

Result<Outcome> StaleTargetReconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto pod = pods_.Get(key);
  if (!pod) return Outcome::Done();
  const auto left = StaleIn(*pod, context.now());
  if (!left) return Outcome::Done();
  if (*left > std::chrono::nanoseconds::zero()) return Outcome::RequeueAfter(*left);

  context.Decided("take back that it is about to be disrupted");
  const auto patched = context.Patch<core::v1::Pod>(
      key, client::Patch::Strategic(TakeBackPatch(*pod, context.now())), {}, "status");
  if (!patched && patched.error().code() == ErrorCode::kNotFound) return Outcome::Done();
  FLYBALL_TRY(patched);
  context.log().V(2).Info("Reset stale DisruptionTarget condition to False", {{"pod", key}});
  return Outcome::Done();
}

}  // namespace flyball::controllers::disruption
