#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>

#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/internal/settled_caches.h"
#include "flyball/controllers/deployment/conditions.h"
#include "flyball/controllers/deployment/internal/deployment_fake.h"
#include "flyball/controllers/deployment/reconciler.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;

/// Caches with so many deployments in one namespace, each with two sets and all as it should be.
class SettledNamespace : SettledCaches {
 public:
  explicit SettledNamespace(int deployments) {
    common::IndexByController(sets_);
    common::IndexByController(pods_);
    for (int i = 0; i < deployments; ++i) Add("web-" + std::to_string(i));
  }

  /// How long a reconcile of one of them takes, at best.
  std::chrono::nanoseconds Cost() {
    const Reconciler reconcile(
        {.deployments = deployments_.lister(), .sets = sets_.lister(), .pods = pods_.lister()});
    return BestTimeOf(
        [&](runtime::Context& context) { EXPECT_TRUE(reconcile(context, {"ns", "web-7"})); }, kNow);
  }

 private:
  void Add(const std::string& name) {
    const Deployment deployment = FakeDeployment(10, [&](Deployment& its) {
      its.metadata.name = name;
      its.metadata.uid = "uid-of-" + name;
      its.metadata.annotations[kRevision] = "2";
      its.status.observedGeneration = 7;
      its.status.replicas = its.status.updatedReplicas = 10;
      its.status.readyReplicas = its.status.availableReplicas = 10;
      its.status.terminatingReplicas = 0;
      its.status.conditions = {
          MakeCondition(kAvailable, "True", "MinimumReplicasAvailable", "", kNow),
          MakeCondition(kProgressing, "True", kSetAvailable, "", kNow)};
    });
    const auto own = [&](ReplicaSet& set) {
      set.metadata.name = name + "-" + set.metadata.name;
      set.metadata.uid = "uid-of-" + set.metadata.name;
      set.metadata.ownerReferences = {common::ControllerRefTo(deployment)};
    };
    sets_.core()->store().Put(FakeSet("old", {.age = 200, .revision = 1}, own));
    sets_.core()->store().Put(FakeSet(
        "new", {.size = 10, .available = 10, .revision = 2, .desired = 10, .most = 13}, own));
    deployments_.core()->store().Put(std::make_shared<const Deployment>(deployment));
  }

  const cache::Informer<Deployment> deployments_ = informers_.Of<Deployment>();
  const cache::Informer<ReplicaSet> sets_ = informers_.Of<ReplicaSet>();
  const cache::Informer<views::Pod> pods_ = informers_.Of<views::Pod>();
};

TEST(DeploymentReconcileCost, DoesNotGrowWithTheOtherDeploymentsOfTheNamespace) {
  const auto at_100 = SettledNamespace(100).Cost();
  const auto at_1000 = SettledNamespace(1000).Cost();
  std::cout << "a reconcile among 100 deployments: " << at_100.count()
            << " ns, among 1000: " << at_1000.count() << " ns\n";
  // Ten times as many would take ten times as long if all were looked at.
  EXPECT_LT(at_1000, 3 * at_100);
}

}  // namespace
}  // namespace flyball::controllers::deployment
