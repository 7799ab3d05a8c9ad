#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>

#include "flyball/controllers/common/internal/settled_caches.h"
#include "flyball/controllers/common/slice_index.h"
#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fake.h"
#include "flyball/controllers/endpoint_slice/pod_endpoint.h"
#include "flyball/controllers/endpoint_slice/reconciler.h"

namespace flyball::controllers::endpoint_slice {
namespace {

/// Caches with so many pods of others in the namespace, ten to a service, and two that are in the
/// slice of the service "web".
class SettledNamespace : SettledCaches {
 public:
  explicit SettledNamespace(int others) {
    common::IndexByService(slices_);
    nodes_.core()->store().Put(ViewOf(FakeNode("node", "west")));
    for (int i = 0; i < others; ++i) {
      core::v1::Pod pod = FakePod("other-" + std::to_string(i), "10.9.0.1");
      pod.metadata.labels = {{"app", "other-" + std::to_string(i / 10)}};
      Add(ViewOf(pod));
      if (i % 10 != 0) continue;
      core::v1::Service service = FakeService();
      service.metadata.name = pod.metadata.labels.begin()->second;
      service.spec.selector = pod.metadata.labels;
      Settle(service, {});
    }
    Add(a_);
    Add(b_);
    Settle(FakeService(), {a_, b_});
  }

  /// How long it takes, at best, that a pod changes and its service is looked at.
  std::chrono::nanoseconds Cost() {
    const Reconciler reconcile({.services = services_.lister(),
                                .slices = slices_.lister(),
                                .nodes = nodes_.lister(),
                                .pods = selected_,
                                .triggers = std::make_shared<common::TriggerTimes>(),
                                .zones = std::make_shared<ZoneBook>(),
                                .own_slices = std::make_shared<OwnSlices>(),
                                .metrics = std::make_shared<Metrics>(nullptr, 100)});
    return BestTimeOf([&](runtime::Context& context) {
      EXPECT_EQ(selected_->Added(a_).size(), 1);
      EXPECT_TRUE(reconcile(context, {"shop", "web"}));
    });
  }

 private:
  using Pod = cache::Ref<views::Pod>;

  void Add(const Pod& pod) { pods_.core()->store().Put(pod); }
  void Settle(const core::v1::Service& service, const std::vector<Pod>& pods) {
    services_.core()->store().Put(std::make_shared<const core::v1::Service>(service));
    selected_->Put(service);
    auto slice = NewSlice(service, common::IpFamily::kV4, PortsFor(service, {8080}));
    slice.metadata.name = service.metadata.name + "-slice";
    const auto node = ViewOf(FakeNode("node", "west"));
    for (const Pod& pod : pods) {
      slice.endpoints.push_back(EndpointOf(*pod, node.get(), service, common::IpFamily::kV4));
    }
    slices_.core()->store().Put(RefTo(std::move(slice)));
  }

  const cache::Informer<core::v1::Service> services_ = informers_.Of<core::v1::Service>();
  const cache::Informer<views::Pod> pods_ = informers_.Of<views::Pod>();
  const cache::Informer<views::Node> nodes_ = informers_.Of<views::Node>();
  const cache::Informer<discovery::v1::EndpointSlice> slices_ =
      informers_.Of<discovery::v1::EndpointSlice>();
  const std::shared_ptr<common::PodsOfServices> selected_ =
      std::make_shared<common::PodsOfServices>(
          [lister = pods_.lister()](std::string_view namespace_, const api::Selector& selector) {
            return lister.Select(namespace_, selector);
          });
  const Pod a_ = ViewOf(FakePod("a", "10.0.0.1"));
  const Pod b_ = ViewOf(FakePod("b", "10.0.0.2"));
};

TEST(EndpointSliceCost, DoesNotGrowWithTheOthersOfTheNamespace) {
  const auto at_100 = SettledNamespace(100).Cost();
  const auto at_2000 = SettledNamespace(2000).Cost();
  std::cout << "a service among 100 pods of others: " << at_100.count()
            << " ns, among 2000: " << at_2000.count() << " ns\n";
  // Twenty times as many would take twenty times as long if all were looked at.
  EXPECT_LT(at_2000, 3 * at_100);
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice
