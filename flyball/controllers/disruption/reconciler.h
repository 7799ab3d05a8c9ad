#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "flyball/cache/informer.h"
#include "flyball/controllers/disruption/coverage.h"
#include "flyball/controllers/disruption/plan.h"
#include "flyball/controllers/disruption/scales.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::disruption {

/// Says in a budget's status how many of its pods may be evicted, which the API server goes by.
/// Where that cannot be found out none may, and the budget says why. It keeps nothing between two
/// calls; any thread.
class BudgetReconciler {
 public:
  struct Deps {
    cache::Lister<PodDisruptionBudget> budgets;
    std::shared_ptr<const Coverage> coverage;
    Scales scales;
  };
  explicit BudgetReconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  Result<runtime::Outcome> Sync(runtime::Context& context, const PodDisruptionBudget& budget) const;
  Result<Demand> FindDemand(runtime::Context& context, const PodDisruptionBudget& budget,
                            const std::vector<PodRef>& pods) const;
  static Result<runtime::Outcome> WriteFailSafe(runtime::Context& context,
                                                const PodDisruptionBudget& budget,
                                                const Error& error);

  const Deps deps_;
};

/// Has a pod no longer say that it is about to be disrupted, when that has not come to pass. Any
/// thread.
class StaleTargetReconciler {
 public:
  explicit StaleTargetReconciler(cache::Lister<views::Pod> pods) : pods_(std::move(pods)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  const cache::Lister<views::Pod> pods_;
};

}  // namespace flyball::controllers::disruption
