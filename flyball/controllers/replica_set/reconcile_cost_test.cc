#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>

#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/common/internal/settled_caches.h"
#include "flyball/controllers/replica_set/reconciler.h"

namespace flyball::controllers::replica_set {
namespace {

using apps::v1::ReplicaSet;
using core::v1::Pod;

/// Caches with so many sets in one namespace, each with two pods and all as it should be.
class SettledNamespace : SettledCaches {
 public:
  explicit SettledNamespace(int sets) {
    common::IndexByController(sets_);
    common::IndexByController(pods_);
    for (int i = 0; i < sets; ++i) Add("set-" + std::to_string(i));
  }

  /// How long a reconcile of one of them takes, at best.
  std::chrono::nanoseconds Cost() {
    const Reconciler<ReplicaSet> reconcile({.sets = sets_.lister(),
                                            .pods = pods_.lister(),
                                            .clock = executor_.clock(),
                                            .options = {},
                                            .age_ratio = {}});
    return BestTimeOf(
        [&](runtime::Context& context) { EXPECT_TRUE(reconcile(context, {"default", "set-7"})); });
  }

 private:
  void Add(const std::string& name) {
    auto set = std::make_shared<ReplicaSet>();
    set->metadata.namespace_ = "default";
    set->metadata.name = name;
    set->metadata.uid = "uid-of-" + name;
    set->spec.replicas = 2;
    set->spec.selector.emplace().matchLabels["app"] = name;
    set->spec.template_.metadata.labels["app"] = name;
    std::vector<PodRef> pods;
    for (const char* const suffix : {"-a", "-b"}) {
      Pod pod;
      pod.metadata.namespace_ = "default";
      pod.metadata.name = name + suffix;
      pod.metadata.uid = "uid-of-" + pod.metadata.name;
      pod.metadata.labels["app"] = name;
      pod.metadata.ownerReferences.push_back(common::ControllerRefTo(*set));
      pod.status.phase = "Running";
      pods.push_back(ViewOf(pod));
      pods_.core()->store().Put(pods.back());
    }
    set->status = ComputeStatus(*set, {.active = pods, .terminating = 0}, {});
    sets_.core()->store().Put(std::shared_ptr<const ReplicaSet>(std::move(set)));
  }

  const cache::Informer<ReplicaSet> sets_ = informers_.Of<ReplicaSet>();
  const cache::Informer<views::Pod> pods_ = informers_.Of<views::Pod>();
};

TEST(ReconcileCost, DoesNotGrowWithTheOtherSetsOfTheNamespace) {
  const auto at_100 = SettledNamespace(100).Cost();
  const auto at_1000 = SettledNamespace(1000).Cost();
  std::cout << "a reconcile among 100 sets: " << at_100.count()
            << " ns, among 1000: " << at_1000.count() << " ns\n";
  // Ten times as many would take ten times as long if all were looked at.
  EXPECT_LT(at_1000, 3 * at_100);
}

}  // namespace
}  // namespace flyball::controllers::replica_set
