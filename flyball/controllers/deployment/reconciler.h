#pragma once

#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/deployment/plan.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::deployment {

/// Looks at a deployment with its sets, decides, and carries that out. ReplicaSets and pods are
/// found by their controllers (common/controller_index.h), so that what else is in a namespace
/// costs nothing. It keeps nothing between two calls; any thread.
class Reconciler {
 public:
  struct Deps {
    cache::Lister<apps::v1::Deployment> deployments;
    cache::Lister<apps::v1::ReplicaSet> sets;
    cache::Lister<views::Pod> pods;
    bool count_terminating = true;  ///< see Options
  };
  explicit Reconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  Result<Plan> Decide(runtime::Context& context, const apps::v1::Deployment& deployment) const;
  Result<std::vector<SetRef>> ClaimSets(runtime::Context& context,
                                        const apps::v1::Deployment& deployment) const;
  bool HasPods(const apps::v1::ReplicaSet& set) const;

  Result<runtime::Outcome> CarryOut(runtime::Context& context,
                                    const apps::v1::Deployment& deployment, const Plan& plan) const;
  /// After a set could not be created: makes the next try one that may succeed, or says why this
  /// one did not.
  void ExplainRefusal(runtime::Context& context, const apps::v1::Deployment& deployment,
                      const apps::v1::ReplicaSet& set, const Error& error) const;

  const Deps deps_;
};

}  // namespace flyball::controllers::deployment
