#include "flyball/simulation/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using core::v1::Node;
using core::v1::NodeSelectorRequirement;
using core::v1::NodeSelectorTerm;
using core::v1::Pod;

Pod PodWith(const std::function<void(Pod&)>& change) {
  Pod pod = PodNamed("pod", "1");
  change(pod);
  return pod;
}
Node NodeWith(const std::function<void(Node&)>& change) {
  Node node = NodeNamed("node");
  change(node);
  return node;
}

NodeState StateOf(const Node& node) {
  NodeState state;
  state.name = node.metadata.name;
  state.Describe(ViewOf(node));
  return state;
}

Misfit Fit(const Pod& pod, const Node& node) {
  return FitOf(PodNeeds::Of(ViewOf(pod)), StateOf(node));
}

core::v1::Taint TaintOf(const std::string& key, const std::string& value,
                        const std::string& effect) {
  core::v1::Taint taint;
  taint.key = key;
  taint.value = value;
  taint.effect = effect;
  return taint;
}

core::v1::Toleration TolerationOf(const std::string& key, const std::string& op,
                                  const std::string& value, const std::string& effect) {
  core::v1::Toleration toleration;
  toleration.key = key;
  toleration.operator_ = op;
  toleration.value = value;
  toleration.effect = effect;
  return toleration;
}

NodeSelectorRequirement Requirement(const std::string& key, const std::string& op,
                                    std::vector<std::string> values = {}) {
  NodeSelectorRequirement requirement;
  requirement.key = key;
  requirement.operator_ = op;
  requirement.values = std::move(values);
  return requirement;
}

TEST(Fit, APodFitsWhereThereIsRoom) {
  EXPECT_EQ(Fit(PodNamed("pod", "4"), NodeNamed("node")), Misfit::kNone);
  EXPECT_EQ(Fit(PodNamed("pod", "4001m"), NodeNamed("node")), Misfit::kResources);
  NodeState node = StateOf(NodeNamed("node"));
  const PodNeeds needs = PodNeeds::Of(ViewOf(PodNamed("pod", "3")));
  node.Put(needs.footprint);
  EXPECT_EQ(FitOf(needs, node), Misfit::kResources);
  node.Remove(needs.footprint);
  EXPECT_EQ(FitOf(needs, node), Misfit::kNone);
}

TEST(Fit, OnlySoManyPodsFitHoweverSmall) {
  NodeState node = StateOf(NodeNamed("node"));
  const PodNeeds needs = PodNeeds::Of(ViewOf(PodNamed("pod")));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(FitOf(needs, node), Misfit::kNone) << i;
    node.Put(needs.footprint);
  }
  EXPECT_EQ(FitOf(needs, node), Misfit::kResources);
}

TEST(Fit, OtherResourcesCountToo) {
  const Pod pod = PodWith([](Pod& its) {
    its.spec.containers[0].resources.requests["example.com/gpu"] =
        api::Quantity::Parse("2").value();
  });
  EXPECT_EQ(Fit(pod, NodeNamed("node")), Misfit::kResources);
  EXPECT_EQ(Fit(pod, NodeWith([](Node& node) {
                  node.status.allocatable["example.com/gpu"] = api::Quantity::Parse("2").value();
                })),
            Misfit::kNone);
}

TEST(Fit, TaintsKeepPodsOffThatDoNotTolerateThem) {
  const Node tainted =
      NodeWith([](Node& node) { node.spec.taints = {TaintOf("key", "value", "NoSchedule")}; });
  const auto with = [](const core::v1::Toleration& toleration) {
    return PodWith([&](Pod& pod) { pod.spec.tolerations = {toleration}; });
  };
  EXPECT_EQ(Fit(PodNamed("pod"), tainted), Misfit::kTaint);
  EXPECT_EQ(Fit(with(TolerationOf("key", "Equal", "value", "NoSchedule")), tainted), Misfit::kNone);
  EXPECT_EQ(Fit(with(TolerationOf("key", "", "value", "")), tainted), Misfit::kNone);
  EXPECT_EQ(Fit(with(TolerationOf("key", "Exists", "", "NoSchedule")), tainted), Misfit::kNone);
  EXPECT_EQ(Fit(with(TolerationOf("", "Exists", "", "")), tainted), Misfit::kNone);
  EXPECT_EQ(Fit(with(TolerationOf("key", "Equal", "other", "")), tainted), Misfit::kTaint);
  EXPECT_EQ(Fit(with(TolerationOf("key", "Exists", "", "NoExecute")), tainted), Misfit::kTaint);
  EXPECT_EQ(Fit(PodNamed("pod"), NodeWith([](Node& node) {
                  node.spec.taints = {TaintOf("key", "", "PreferNoSchedule")};
                })),
            Misfit::kNone);
}

TEST(Fit, ACordonedNodeTakesOnlyWhatToleratesIt) {
  const Node cordoned = NodeWith([](Node& node) { node.spec.unschedulable = true; });
  EXPECT_EQ(Fit(PodNamed("pod"), cordoned), Misfit::kUnschedulable);
  EXPECT_EQ(Fit(PodWith([](Pod& pod) {
                  pod.spec.tolerations = {
                      TolerationOf("node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule")};
                }),
                cordoned),
            Misfit::kNone);
}

TEST(Fit, PortsOfTheNodeAreGivenOnce) {
  const auto with = [](const std::string& ip, const std::string& protocol) {
    return PodNeeds::Of(ViewOf(PodWith([&](Pod& pod) {
      auto& port = pod.spec.containers[0].ports.emplace_back();
      port.hostPort = 80;
      port.hostIP = ip;
      port.protocol = protocol;
    })));
  };
  NodeState node = StateOf(NodeNamed("node"));
  node.Put(with("10.0.0.1", "TCP").footprint);
  EXPECT_EQ(FitOf(with("", "TCP"), node), Misfit::kPorts);
  EXPECT_EQ(FitOf(with("10.0.0.1", ""), node), Misfit::kPorts);
  EXPECT_EQ(FitOf(with("10.0.0.2", "TCP"), node), Misfit::kNone);
  EXPECT_EQ(FitOf(with("10.0.0.1", "UDP"), node), Misfit::kNone);
}

TEST(Fit, SelectorsAndRequiredAffinityMustBothMatch) {
  const Node node = NodeWith([](Node& its) { its.metadata.labels["zone"] = "a"; });
  EXPECT_EQ(Fit(PodWith([](Pod& pod) { pod.spec.nodeSelector = {{"zone", "a"}}; }), node),
            Misfit::kNone);
  EXPECT_EQ(Fit(PodWith([](Pod& pod) { pod.spec.nodeSelector = {{"zone", "b"}}; }), node),
            Misfit::kAffinity);
  const auto required = [](std::vector<NodeSelectorTerm> terms) {
    return PodWith([&](Pod& pod) {
      pod.spec.affinity.emplace()
          .nodeAffinity.emplace()
          .requiredDuringSchedulingIgnoredDuringExecution.emplace()
          .nodeSelectorTerms = std::move(terms);
    });
  };
  NodeSelectorTerm zone_b;
  zone_b.matchExpressions = {Requirement("zone", "In", {"b"})};
  NodeSelectorTerm by_name;
  by_name.matchFields = {Requirement("metadata.name", "In", {"node"})};
  EXPECT_EQ(Fit(required({zone_b}), node), Misfit::kAffinity);
  EXPECT_EQ(Fit(required({zone_b, by_name}), node), Misfit::kNone);
  EXPECT_EQ(Fit(required({NodeSelectorTerm()}), node), Misfit::kAffinity);
  EXPECT_EQ(PodNeeds::Of(ViewOf(required({by_name}))).only_nodes,
            std::optional(std::vector<std::string>{"node"}));
  EXPECT_EQ(PodNeeds::Of(ViewOf(required({zone_b, by_name}))).only_nodes, std::nullopt);
}

TEST(ResourceAmounts, OfAPodAreWhatItsContainersNeedAtATime) {
  const auto cpu = [](const std::string& amount, const std::string& policy = "") {
    core::v1::Container container = ContainerNamed("c");
    container.resources.requests["cpu"] = api::Quantity::Parse(amount).value();
    if (!policy.empty()) container.restartPolicy = policy;
    return container;
  };
  const auto requests = [&](const std::function<void(Pod&)>& change) {
    return RequestsOf(*ViewOf(PodWith(change))).milli_cpu;
  };
  EXPECT_EQ(requests([&](Pod& pod) { pod.spec.containers = {cpu("1"), cpu("500m")}; }), 1500);
  EXPECT_EQ(requests([&](Pod& pod) { pod.spec.initContainers = {cpu("3"), cpu("2")}; }), 3000);
  // A sidecar runs beside all that comes after it.
  EXPECT_EQ(requests([&](Pod& pod) { pod.spec.initContainers = {cpu("1", "Always")}; }), 2000);
  EXPECT_EQ(requests([&](Pod& pod) {
              pod.spec.initContainers = {cpu("1", "Always"), cpu("3"), cpu("1", "Always")};
            }),
            4000);
  EXPECT_EQ(
      requests([](Pod& pod) { pod.spec.overhead["cpu"] = api::Quantity::Parse("250m").value(); }),
      1250);
  EXPECT_EQ(requests([](Pod& pod) {
              pod.spec.resources.emplace().requests["cpu"] = api::Quantity::Parse("5").value();
            }),
            5000);
}

TEST(MisfitReport, SpeaksAsUpstreamDoes) {
  const PodNeeds needs = PodNeeds::Of(ViewOf(PodNamed("pod", "3")));
  const auto report = [&](const std::vector<Node>& nodes, std::size_t not_named = 0) {
    MisfitReport its;
    for (const Node& node : nodes) {
      NodeState state = StateOf(node);
      state.Put(PodFootprint::Of(*ViewOf(PodNamed("there", "2"))));
      its.Add(needs, state, FitOf(needs, state));
    }
    its.AddNotNamed(not_named);
    return its.Message();
  };
  const Node full = NodeNamed("full");
  const Node small = NodeWith([](Node& node) {
    node.status.allocatable["cpu"] = api::Quantity::Parse("1").value();
    node.status.allocatable["pods"] = api::Quantity::Parse("1").value();
  });
  const Node tainted =
      NodeWith([](Node& node) { node.spec.taints = {TaintOf("key", "value", "NoExecute")}; });
  const Node cordoned = NodeWith([](Node& node) { node.spec.unschedulable = true; });
  EXPECT_EQ(report({}), "no nodes available to schedule pods");
  EXPECT_EQ(report({full, tainted, tainted}),
            "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). "
            "preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, "
            "2 Preemption is not helpful for scheduling.");
  EXPECT_EQ(report({full}),
            "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 "
            "No preemption victims found for incoming pod.");
  EXPECT_EQ(report({small, cordoned}),
            "0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods, 1 node(s) were "
            "unschedulable. preemption: 0/2 nodes are available: 2 Preemption is not helpful for "
            "scheduling.");
  EXPECT_EQ(
      report({full}, 2),
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) "
      "[NodeAffinity]. preemption: 0/3 nodes are available: 1 No preemption victims found for "
      "incoming pod, 2 Preemption is not helpful for scheduling.");
}

}  // namespace
}  // namespace flyball::simulation
