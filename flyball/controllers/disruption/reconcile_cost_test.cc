#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>

#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/common/internal/settled_caches.h"
#include "flyball/controllers/disruption/internal/disruption_fake.h"
#include "flyball/controllers/disruption/reconciler.h"

namespace flyball::controllers::disruption {
namespace {

/// Caches with so many pods in one namespace, two of which are in a budget that says all there is
/// to say of them.
class SettledNamespace : SettledCaches {
 public:
  explicit SettledNamespace(int pods) {
    for (int i = 0; i < pods; ++i) Add(FakePod("other-" + std::to_string(i), "other"));
    Add(FakePod("a"));
    Add(FakePod("b"));
    PodDisruptionBudget budget = FakeBudget("web");
    budget.spec.minAvailable = api::IntOrString(1);
    const std::vector<PodRef> both = {ViewOf(FakePod("a")), ViewOf(FakePod("b"))};
    budget = *PlanFor(budget, both, *DemandOf(budget, 2), kNow).update;
    coverage_->Put(budget);
    budgets_.core()->store().Put(std::make_shared<const PodDisruptionBudget>(budget));
  }

  /// How long it takes, at best, that a pod changes and its budget is looked at.
  std::chrono::nanoseconds Cost() {
    const BudgetReconciler reconcile(
        {.budgets = budgets_.lister(),
         .coverage = coverage_,
         .scales = Scales(
             {.replication_controllers = informers_.Of<core::v1::ReplicationController>().lister(),
              .replica_sets = informers_.Of<apps::v1::ReplicaSet>().lister(),
              .deployments = informers_.Of<apps::v1::Deployment>().lister(),
              .stateful_sets = informers_.Of<apps::v1::StatefulSet>().lister(),
              .mapper = std::make_shared<client::RestMapper>(rest_)})});
    const PodRef pod = ViewOf(FakePod("a"));
    return BestTimeOf(
        [&](runtime::Context& context) {
          EXPECT_EQ(coverage_->Put(pod).now.size(), 1);
          EXPECT_TRUE(reconcile(context, {"team", "web"}));
        },
        kNow);
  }

 private:
  void Add(const core::v1::Pod& pod) { pods_.core()->store().Put(ViewOf(pod)); }

  const cache::Informer<PodDisruptionBudget> budgets_ = informers_.Of<PodDisruptionBudget>();
  const cache::Informer<views::Pod> pods_ = informers_.Of<views::Pod>();
  const std::shared_ptr<Coverage> coverage_ = std::make_shared<Coverage>(
      [lister = pods_.lister()](std::string_view namespace_, const api::Selector& selector) {
        return lister.Select(namespace_, selector);
      });
};

TEST(DisruptionCost, DoesNotGrowWithTheOtherPodsOfTheNamespace) {
  const auto at_100 = SettledNamespace(100).Cost();
  const auto at_2000 = SettledNamespace(2000).Cost();
  std::cout << "a budget among 100 pods of others: " << at_100.count()
            << " ns, among 2000: " << at_2000.count() << " ns\n";
  // Twenty times as many would take twenty times as long if all were looked at.
  EXPECT_LT(at_2000, 3 * at_100);
}

}  // namespace
}  // namespace flyball::controllers::disruption
