// Services on nodes that come and go, on a real API server, while everything around them breaks:
// nodes fall silent and wake up, people scale, delete pods, have them lose their readiness, and
// change services. Each revision that etcd ever had is held against what managers promise: no pod
// is driven out of a node that does not ask for it, no address is in two slices of a service, and
// none that is ready goes missing from them while nothing has happened to it. When all is quiet the
// endpoints of every service are its ready pods, no more and no fewer.
//
// FLYBALL_CHAOS_OPERATIONS sets how many things people do, FLYBALL_CHAOS_SEED in which order.

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/simulation/annotations.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/chaos.h"
#include "tests/cluster/namespace_history.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/faults/endpoint_invariants.h"
#include "tests/faults/node_invariants.h"
#include "tests/faults/slice_invariants.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::Deployment;
using core::v1::Endpoints;
using core::v1::Node;
using core::v1::Pod;
using core::v1::Service;
using discovery::v1::EndpointSlice;
using testing::IsEmpty;

constexpr int kNodes = 6;
constexpr int kServices = 3;
constexpr const char* kNotReady = "node.kubernetes.io/not-ready";
constexpr const char* kUnreachable = "node.kubernetes.io/unreachable";

std::string NameOf(int number) { return "web-" + std::string(1, static_cast<char>('a' + number)); }
std::string NodeName(int number) { return "node-" + std::to_string(number); }

bool IsReady(const Pod& pod) {
  return !pod.metadata.deletionTimestamp &&
         std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
           return condition.type == "Ready" && condition.status == "True";
         });
}

class NodeChaosTest : public OperationChaos {
 protected:
  NodeChaosTest() : OperationChaos(25) {}

  void SetUp() override {
    BinaryTest::SetUp();
    Follow();
    Must(simulated_.Start());
  }
  void Follow() {
    using History = NamespaceHistory;
    auto history = History::Follow(
        real_plane(), executor(), network(), space_,
        {History::EachOfCluster<Node>("/registry/minions/",
                                      [this](const auto& seen) {
                                        node_.TellOfNode(seen.either().metadata.name, seen.copy());
                                      }),
         History::Each<Pod>("/registry/pods/", [this](const auto& seen) { TellOfPod(seen); }),
         History::Each<Service>("/registry/services/specs/",
                                [this](const auto& seen) {
                                  ++changes_;
                                  const Service& service = seen.either();
                                  slice_.TellOfService(service.metadata.name);
                                  endpoint_.TellOfService(api::ObjectKey::Of(service), seen.copy());
                                }),
         History::Each<Endpoints>("/registry/services/endpoints/",
                                  [this](const auto& seen) {
                                    ++changes_;
                                    endpoint_.TellOfEndpoints(api::ObjectKey::Of(seen.either()),
                                                              seen.copy());
                                  }),
         History::Each<EndpointSlice>("/registry/endpointslices/", [this](const auto& seen) {
           ++changes_;
           slice_.TellOfSlice(seen.uid(), seen.copy());
           endpoint_.TellOfSlice(seen.uid(), seen.copy());
         })});
    ASSERT_TRUE(history) << history.error().Describe();
    history_ = *std::move(history);
  }
  void TellOfPod(const Seen<Pod>& seen) {
    ++changes_;
    pods_seen_ += seen.before == nullptr ? 1 : 0;
    slice_.TellOfPod(seen.either().metadata.name);
    endpoint_.TellOfPod(seen.uid(), seen.copy());
    node_.TellOfPod(seen.uid(), seen.copy());
    if (seen.now == nullptr) return;
    const bool driven_out = std::ranges::any_of(seen.now->status.conditions, [](const auto& one) {
      return one.type == "DisruptionTarget" && one.reason == "DeletionByTaintManager";
    });
    if (driven_out) driven_out_.insert(seen.uid());
  }

  /// A node is missed, and its pods go, within seconds.
  std::vector<std::string> Flags() const override {
    return {ControllersFlag(),
            "--node-monitor-grace-period=8s",
            "--node-monitor-period=1s",
            "--node-eviction-rate=2",
            "--secondary-node-eviction-rate=2",
            "--unhealthy-zone-threshold=0.9"};
  }
  Deployment DescribeDeployment(int number) {
    Deployment deployment;
    deployment.metadata.namespace_ = space_;
    deployment.metadata.name = NameOf(number);
    deployment.spec.replicas = 4;
    deployment.spec.selector.emplace().matchLabels = {{"app", NameOf(number)}};
    deployment.spec.template_.metadata.labels = {{"app", NameOf(number)}};
    auto& spec = deployment.spec.template_.spec;
    spec.terminationGracePeriodSeconds = 1;
    auto& container = spec.containers.emplace_back();
    container.name = container.image = "main";
    for (const char* const key : {kNotReady, kUnreachable}) {
      auto& toleration = spec.tolerations.emplace_back();
      toleration.key = key;
      toleration.operator_ = "Exists";
      toleration.effect = "NoExecute";
      toleration.tolerationSeconds = 1;
    }
    return deployment;
  }
  Service DescribeService(int number) {
    Service service;
    service.metadata.namespace_ = space_;
    service.metadata.name = NameOf(number);
    service.spec.selector = {{"app", NameOf(number)}};
    service.spec.ports.emplace_back().port = 80;
    return service;
  }

  // What people do.
  void Order() override {
    if (!MayOrder()) return;
    switch (Below(8)) {
      case 0:
        return Change<Deployment>("scale", {space_, NameOf(Below(kServices))},
                                  R"({"spec":{"replicas":)" + std::to_string(Below(9)) + "}}");
      case 1:
        return DeletePod();
      case 2:
      case 3:
        return Change<Node>("node silent", {"", NodeName(Below(kNodes))}, Silent(true));
      case 4:
        return Change<Node>("node awake", {"", NodeName(Below(kNodes))}, Silent(false));
      case 5:
        return FlipReadiness();
      case 6:
        return Change<Service>("port", {space_, NameOf(Below(kServices))},
                               R"({"spec":{"ports":[{"port":80,"targetPort":)" +
                                   std::to_string(8080 + Below(3)) + "}]}}");
      default:
        return Change<Service>(
            "selector", {space_, NameOf(Below(kServices))},
            R"({"spec":{"selector":{"app":")" + NameOf(Below(kServices)) + R"("}}})");
    }
  }
  static std::string Silent(bool silent) {
    return R"({"metadata":{"annotations":{")" + std::string(simulation::kSilent) + R"(":)" +
           (silent ? R"("true")" : "null") + "}}}";
  }
  template <typename T>
  void Change(const char* what, const api::ObjectKey& key, std::string merge) {
    if (All<T>().Patch(key, {client::PatchType::kMerge, std::move(merge)})) Done(what);
  }
  std::optional<Pod> AnyPod() {
    const auto pods = All<Pod>().ListIn(space_);
    if (!pods || pods->items.empty()) return std::nullopt;
    return pods->items[static_cast<std::size_t>(Below(static_cast<int>(pods->items.size())))];
  }
  void DeletePod() {
    const auto pod = AnyPod();
    if (!pod || pod->metadata.deletionTimestamp) return;
    if (All<Pod>().Delete(api::ObjectKey::Of(*pod))) Done("pod deleted");
  }
  void FlipReadiness() {
    const auto pod = AnyPod();
    if (!pod || pod->metadata.deletionTimestamp) return;
    const bool ready = pod->metadata.annotations.find(simulation::kReady) == nullptr;
    Change<Pod>(ready ? "pod not ready" : "pod ready", api::ObjectKey::Of(*pod), Ready(!ready));
  }
  static std::string Ready(bool ready) {
    return R"({"metadata":{"annotations":{")" + std::string(simulation::kReady) + R"(":)" +
           (ready ? "null" : R"("false")") + "}}}";
  }

  /// Everything is to be well again.
  void Heal() {
    for (int i = 0; i < kNodes; ++i) {
      Must(All<Node>().Patch({"", NodeName(i)}, {client::PatchType::kMerge, Silent(false)}));
    }
    for (const Pod& pod : Must(All<Pod>().ListIn(space_)).items) {
      if (pod.metadata.annotations.find(simulation::kReady) == nullptr) continue;
      // It may have gone meanwhile.
      (void)All<Pod>().Patch(api::ObjectKey::Of(pod), {client::PatchType::kMerge, Ready(true)});
    }
  }

  /// The names of ready pods that a service selects.
  static std::set<std::string> PodsOf(const Service& service, const std::vector<Pod>& pods) {
    const std::string* const app = service.spec.selector.find("app");
    std::set<std::string> names;
    for (const Pod& pod : pods) {
      const std::string* const its = pod.metadata.labels.find("app");
      if (its != nullptr && *its == *app && IsReady(pod)) names.insert(pod.metadata.name);
    }
    return names;
  }
  static std::set<std::string> InSlices(const Service& service,
                                        const std::vector<EndpointSlice>& slices) {
    std::set<std::string> names;
    for (const EndpointSlice& slice : slices) {
      const std::string* const its = slice.metadata.labels.find("kubernetes.io/service-name");
      if (its == nullptr || *its != service.metadata.name) continue;
      for (const auto& endpoint : slice.endpoints) {
        if (endpoint.conditions.ready.value_or(false)) names.insert(endpoint.targetRef->name);
      }
    }
    return names;
  }
  std::set<std::string> InEndpoints(const Service& service) const {
    std::set<std::string> names;
    const auto endpoints = All<Endpoints>().Get({space_, service.metadata.name});
    if (!endpoints) return {"none"};
    for (const auto& subset : endpoints->subsets) {
      for (const auto& address : subset.addresses) names.insert(address.targetRef->name);
    }
    return names;
  }
  /// What is not as it was asked to be.
  std::vector<std::string> Unsettled() const {
    std::vector<std::string> all;
    for (const Node& node : Must(All<Node>().ListIn("")).items) {
      if (!node.spec.taints.empty()) all.push_back(node.metadata.name + " has taints");
    }
    const auto pods = Must(All<Pod>().ListIn(space_)).items;
    for (const Pod& pod : pods) {
      if (!IsReady(pod)) all.push_back(pod.metadata.name + " is not ready");
    }
    for (const Deployment& deployment : Must(All<Deployment>().ListIn(space_)).items) {
      const auto& status = deployment.status;
      const bool done = status.observedGeneration == deployment.metadata.generation &&
                        status.replicas == deployment.spec.replicas &&
                        status.availableReplicas == deployment.spec.replicas;
      if (!done) all.push_back(deployment.metadata.name + " is not whole");
    }
    const auto slices = Must(All<EndpointSlice>().ListIn(space_)).items;
    for (const Service& service : Must(All<Service>().ListIn(space_)).items) {
      const auto wanted = PodsOf(service, pods);
      const std::string& name = service.metadata.name;
      if (InSlices(service, slices) != wanted) all.push_back("slices of " + name);
      if (InEndpoints(service) != wanted) all.push_back("endpoints of " + name);
    }
    return all;
  }
  /// Until all is as it was asked for: from there on, only that counts.
  void Settle() override {
    EXPECT_TRUE(Eventually(
        [&] {
          Must(breakage_.Revive());
          Heal();
          return Unsettled().empty();
        },
        180s));
    EXPECT_THAT(Unsettled(), IsEmpty());
    Must(history_->CatchUp());
    history_->WhileStill([&] {
      node_.Checkpoint();
      slice_.Checkpoint();
      endpoint_.Checkpoint();
      return true;
    });
    ++settled_;
  }

  SimulatedCluster simulated_{
      plane(),
      executor(),
      network(),
      {.nodes = kNodes,
       .timings = {.start = 100ms, .ready = 100ms, .stop = 200ms, .spread = 1},
       .lease = 2s}};
  const std::string space_ = NewNamespace();

  // While the history is still.
  std::vector<std::string> violations_;
  faults::NodeInvariants node_{violations_};
  faults::SliceInvariants slice_{violations_};
  faults::EndpointInvariants endpoint_{violations_};
  std::set<std::string> driven_out_;  // uids of pods
  int pods_seen_ = 0;
  std::int64_t changes_ = 0;

  std::unique_ptr<NamespaceHistory> history_;
};

TEST_F(NodeChaosTest, WhateverBreaksServicesHaveTheirPodsAndNobodyIsDrivenOutForNothing) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  Must(breakage_.Revive());
  ASSERT_TRUE(Eventually([&] { return IsFurnished(space_); }, 60s));
  for (int i = 0; i < kServices; ++i) {
    Must(All<Service>().Create(DescribeService(i)));
    Must(All<Deployment>().Create(DescribeDeployment(i)));
  }
  BreakAndSettle(3);
  if (HasFatalFailure()) return;
  history_->WhileStill([&] {
    EXPECT_THAT(violations_, IsEmpty());
    std::cout << Told() << pods_seen_ << " pods ever, " << driven_out_.size() << " driven out; "
              << changes_ << " changes\n";
    return true;
  });
}

}  // namespace
}  // namespace flyball::cluster
