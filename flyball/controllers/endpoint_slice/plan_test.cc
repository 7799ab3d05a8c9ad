#include "flyball/controllers/endpoint_slice/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fake.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using common::IpFamily;
using common::SliceRef;
using core::v1::Pod;
using core::v1::Service;
using discovery::v1::Endpoint;
using discovery::v1::EndpointSlice;
using testing::ElementsAre;
using testing::IsEmpty;

class EndpointSlicePlan : public testing::Test {
 protected:
  PackPlan Plan(IpFamily family = IpFamily::kV4, std::size_t most = 100) {
    ServiceState service_state{.service = service_, .pods = {}, .slices = slices_, .node = {}};
    for (const Pod& pod : pods_) service_state.pods.push_back(ViewOf(pod));
    service_state.node = [this](std::string_view name) {
      return name == "node" ? node_ : cache::Ref<views::Node>();
    };
    return PlanPacking(service_state, family, most);
  }
  /// Carries a plan out, as if there were a server.
  void Carry(PackPlan plan) {
    RecycleSlices(service_, plan.slices.changes);
    slices_ = std::move(plan.slices.unchanged);
    for (EndpointSlice& slice : plan.slices.changes.to_update) {
      slices_.push_back(RefTo(std::move(slice)));
    }
    for (EndpointSlice& slice : plan.slices.changes.to_create) {
      slice.metadata.name = "web-" + std::to_string(++made_);
      slices_.push_back(RefTo(std::move(slice)));
    }
  }
  /// "web-1 8080: a b" of each slice.
  std::vector<std::string> Told() const {
    std::vector<std::string> told;
    for (const SliceRef& slice : slices_) {
      std::string text = slice->metadata.name;
      for (const auto& port : slice->ports) text += " " + std::to_string(*port.port);
      text += ":";
      for (const Endpoint& endpoint : slice->endpoints) text += " " + endpoint.targetRef->name;
      told.push_back(text);
    }
    return told;
  }
  static std::string Counts(const common::SliceChanges& changes) {
    return std::to_string(changes.to_create.size()) + "/" +
           std::to_string(changes.to_update.size()) + "/" +
           std::to_string(changes.to_delete.size());
  }

  Service service_ = FakeService();
  std::vector<Pod> pods_;
  std::vector<SliceRef> slices_;
  cache::Ref<views::Node> node_ = ViewOf(FakeNode("node", "west"));
  int made_ = 0;
};

Pod WithPort(Pod pod, const std::string& name, std::int32_t number) {
  core::v1::ContainerPort& port = pod.spec.containers.emplace_back().ports.emplace_back();
  port.name = name;
  port.protocol = "TCP";
  port.containerPort = number;
  return pod;
}

TEST_F(EndpointSlicePlan, MakesASliceOfAllPods) {
  pods_ = {FakePod("a", "10.0.0.1"), FakePod("b", "10.0.0.2")};
  PackPlan plan = Plan();
  EXPECT_EQ(Counts(plan.slices.changes), "1/0/0");
  EXPECT_EQ(plan.endpoints_added, 2);
  EXPECT_THAT(plan.sizes, ElementsAre(PortSetSize{.endpoints = 2, .slices = 1}));
  EXPECT_THAT(plan.problems, IsEmpty());
  EXPECT_EQ(Describe(plan, plan.slices.changes), "create 1 slices: endpoints added 2, removed 0");
  Carry(std::move(plan));
  EXPECT_THAT(Told(), ElementsAre("web-1 8080: a b"));
  EXPECT_EQ(slices_[0]->addressType, "IPv4");
  EXPECT_EQ(slices_[0]->endpoints[0].zone, "west");

  plan = Plan();
  EXPECT_EQ(Counts(plan.slices.changes), "0/0/0");
  EXPECT_EQ(plan.slices.unchanged, slices_);
  EXPECT_EQ(Describe(plan, plan.slices.changes), "");
}

TEST_F(EndpointSlicePlan, LeavesOutPodsThatCannotBeReached) {
  pods_ = {FakePod("a", "10.0.0.1"), FakePod("b", "10.0.0.2"), FakePod("c", "fd00::1")};
  pods_[1].status.phase = "Failed";
  Carry(Plan());
  EXPECT_THAT(Told(), ElementsAre("web-1 8080: a"));
  slices_.clear();
  Carry(Plan(IpFamily::kV6));
  EXPECT_THAT(Told(), ElementsAre("web-2 8080: c"));
}

TEST_F(EndpointSlicePlan, APodOnANodeThatIsNotThereIsLeftOutAndAskedForAgain) {
  pods_ = {FakePod("a", "10.0.0.1", "gone"), FakePod("b", "10.0.0.2")};
  PackPlan plan = Plan();
  EXPECT_THAT(plan.problems,
              ElementsAre("skipping Pod a for Service shop/web: Node gone Not Found"));
  Carry(std::move(plan));
  EXPECT_THAT(Told(), ElementsAre("web-1 8080: b"));
  // Unless all are wanted.
  service_.spec.publishNotReadyAddresses = true;
  plan = Plan();
  EXPECT_THAT(plan.problems, IsEmpty());
  Carry(std::move(plan));
  EXPECT_THAT(Told(), ElementsAre("web-1 8080: b a"));
}

TEST_F(EndpointSlicePlan, KeepsAPlaceholderWhileThereIsNobody) {
  PackPlan plan = Plan();
  EXPECT_THAT(plan.sizes, ElementsAre(PortSetSize{.endpoints = 0, .slices = 1}));
  Carry(std::move(plan));
  EXPECT_THAT(Told(), ElementsAre("web-1:"));
  EXPECT_EQ(Counts(Plan().slices.changes), "0/0/0");
  // It becomes the first slice that says something, and again a placeholder.
  pods_ = {FakePod("a", "10.0.0.1")};
  Carry(Plan());
  EXPECT_THAT(Told(), ElementsAre("web-1 8080: a"));
  pods_.clear();
  Carry(Plan());
  EXPECT_THAT(Told(), ElementsAre("web-1:"));
  // It has the service's labels as others do.
  service_.metadata.labels = {{"team", "blue"}};
  plan = Plan();
  RecycleSlices(service_, plan.slices.changes);
  EXPECT_EQ(Counts(plan.slices.changes), "0/1/0");
}

TEST_F(EndpointSlicePlan, PodsWithOtherPortsHaveSlicesOfTheirOwn) {
  service_.spec.ports[0].targetPort = api::IntOrString("http");
  pods_ = {WithPort(FakePod("a", "10.0.0.1"), "http", 1),
           WithPort(FakePod("b", "10.0.0.2"), "http", 2),
           WithPort(FakePod("c", "10.0.0.3"), "http", 1), FakePod("d", "10.0.0.4")};
  PackPlan plan = Plan();
  EXPECT_EQ(plan.sizes.size(), 3);
  Carry(std::move(plan));
  EXPECT_THAT(Told(),
              testing::UnorderedElementsAre(testing::EndsWith(" 1: a c"),
                                            testing::EndsWith(" 2: b"), testing::EndsWith(": d")));
  // A set of ports that nobody has any more goes, or its slice is used again.
  pods_ = {pods_[0], pods_[2]};
  plan = Plan();
  EXPECT_EQ(Counts(plan.slices.changes), "0/0/2");
  Carry(std::move(plan));
  service_.spec.ports[0].targetPort = api::IntOrString(7);
  plan = Plan();
  EXPECT_EQ(Counts(plan.slices.changes), "1/0/1");
  Carry(std::move(plan));
  EXPECT_THAT(Told(), ElementsAre(testing::EndsWith(" 7: a c")));
}

TEST_F(EndpointSlicePlan, HeadlessServicesMayHaveNoPorts) {
  service_.spec.clusterIP = "None";
  service_.spec.ports.clear();
  pods_ = {FakePod("a", "10.0.0.1")};
  Carry(Plan());
  EXPECT_THAT(Told(), ElementsAre("web-1: a"));
}

TEST_F(EndpointSlicePlan, DeletesSlicesOfAServiceThatWasCalledSoBefore) {
  pods_ = {FakePod("a", "10.0.0.1")};
  Carry(Plan());
  service_.metadata.uid = "another";
  PackPlan plan = Plan();
  RecycleSlices(service_, plan.slices.changes);
  EXPECT_EQ(Counts(plan.slices.changes), "1/0/1") << "not recycled: somebody is after them";
  // A placeholder that looks the same stays until then.
  pods_.clear();
  slices_.clear();
  Carry(Plan());
  service_.metadata.uid = "yet another";
  EXPECT_EQ(Counts(Plan().slices.changes), "0/0/0");
}

TEST_F(EndpointSlicePlan, SpreadsManyOverSlices) {
  for (int i = 0; i < 7; ++i) {
    pods_.push_back(FakePod("p" + std::to_string(i), "10.0.0." + std::to_string(i)));
  }
  PackPlan plan = Plan(IpFamily::kV4, 3);
  EXPECT_THAT(plan.sizes, ElementsAre(PortSetSize{.endpoints = 7, .slices = 3}));
  Carry(std::move(plan));
  pods_.erase(pods_.begin(), pods_.begin() + 3);
  plan = Plan(IpFamily::kV4, 3);
  EXPECT_EQ(plan.endpoints_removed, 3);
  EXPECT_THAT(plan.sizes, ElementsAre(PortSetSize{.endpoints = 4, .slices = 2}));
  EXPECT_EQ(Describe(plan, plan.slices.changes), "delete 1 slices: endpoints added 0, removed 3");
}

TEST_F(EndpointSlicePlan, CanBeRead) {
  pods_ = {FakePod("a", "10.0.0.1"), FakePod("b", "10.0.0.2")};
  Carry(Plan(IpFamily::kV4, 1));
  pods_ = {FakePod("a", "10.0.0.1"), FakePod("c", "10.0.0.3"), FakePod("d", "10.0.0.4")};
  pods_[0].status.conditions.clear();
  const PackPlan plan = Plan(IpFamily::kV4, 1);
  EXPECT_EQ(Describe(plan, plan.slices.changes),
            "create 2, update 1, delete 1 slices: endpoints added 2, removed 1");
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice
