#include "flyball/controllers/daemon_set/node_fitness.h"

#include <gtest/gtest.h>

#include <functional>

#include "flyball/controllers/daemon_set/internal/daemon_set_fake.h"

namespace flyball::controllers::daemon_set {
namespace {

using apps::v1::DaemonSet;
using core::v1::Node;
using core::v1::PodSpec;

Fitness FitnessOf(const std::function<void(PodSpec&)>& change_set,
                  const std::function<void(Node&)>& change_node, api::TolerationRules rules = {}) {
  DaemonSet set = Agent();
  if (change_set) change_set(set.spec.template_.spec);
  Node node;
  node.metadata.name = "a";
  node.metadata.labels["zone"] = "east";
  if (change_node) change_node(node);
  return NodeFitness(set, rules).Of(*ViewOf(node));
}

std::function<void(Node&)> Tainted(const std::string& key, const std::string& effect) {
  return [=](Node& node) { node.spec.taints.push_back(TaintOf(key, effect)); };
}

TEST(NodeFitness, AnyNodeWillDoForASetThatAsksForNothing) {
  EXPECT_EQ(FitnessOf(nullptr, nullptr), kRuns);
  // Cordoned: that shows as a taint, and that alone counts.
  EXPECT_EQ(FitnessOf(nullptr, [](Node& node) { node.spec.unschedulable = true; }), kRuns);
}

TEST(NodeFitness, ASetThatNamesANodeHasNoOther) {
  EXPECT_EQ(FitnessOf([](PodSpec& spec) { spec.nodeName = "a"; }, nullptr), kRuns);
  EXPECT_EQ(FitnessOf([](PodSpec& spec) { spec.nodeName = "b"; }, nullptr), kNeither);
}

TEST(NodeFitness, SelectorAndRequiredAffinityMustMatch) {
  EXPECT_EQ(FitnessOf([](PodSpec& spec) { spec.nodeSelector["zone"] = "east"; }, nullptr), kRuns);
  EXPECT_EQ(FitnessOf([](PodSpec& spec) { spec.nodeSelector["zone"] = "west"; }, nullptr),
            kNeither);
  const auto in = [](const std::string& zone) {
    return [=](PodSpec& spec) {
      auto& required = spec.affinity.emplace()
                           .nodeAffinity.emplace()
                           .requiredDuringSchedulingIgnoredDuringExecution.emplace();
      auto& expression = required.nodeSelectorTerms.emplace_back().matchExpressions.emplace_back();
      expression.key = "zone";
      expression.operator_ = "In";
      expression.values = {zone};
    };
  };
  EXPECT_EQ(FitnessOf(in("east"), nullptr), kRuns);
  EXPECT_EQ(FitnessOf(in("west"), nullptr), kNeither);
  EXPECT_EQ(FitnessOf([](PodSpec& spec) { spec.affinity.emplace(); }, nullptr), kRuns);
}

struct TaintCase {
  std::string key;
  std::string effect;
  Fitness fitness;
};

TEST(NodeFitness, TaintsKeepPodsOffOrDriveThemOut) {
  const TaintCase cases[] = {
      {"dedicated", "NoSchedule", kStays},
      {"dedicated", "NoExecute", kNeither},
      {"dedicated", "PreferNoSchedule", kRuns},
      // What every daemon pod puts up with.
      {"node.kubernetes.io/not-ready", "NoExecute", kRuns},
      {"node.kubernetes.io/unreachable", "NoExecute", kRuns},
      {"node.kubernetes.io/disk-pressure", "NoSchedule", kRuns},
      {"node.kubernetes.io/memory-pressure", "NoSchedule", kRuns},
      {"node.kubernetes.io/pid-pressure", "NoSchedule", kRuns},
      {"node.kubernetes.io/unschedulable", "NoSchedule", kRuns},
      // But not with this, while it has a network of its own.
      {"node.kubernetes.io/network-unavailable", "NoSchedule", kStays},
      {"node.kubernetes.io/not-ready", "NoSchedule", kStays},
  };
  for (const TaintCase& one : cases) {
    EXPECT_EQ(FitnessOf(nullptr, Tainted(one.key, one.effect)), one.fitness)
        << one.key << " " << one.effect;
  }
  EXPECT_EQ(FitnessOf([](PodSpec& spec) { spec.hostNetwork = true; },
                      Tainted("node.kubernetes.io/network-unavailable", "NoSchedule")),
            kRuns);
}

TEST(NodeFitness, WhatTheTemplateToleratesCounts) {
  const auto tolerant = [](PodSpec& spec) {
    auto& toleration = spec.tolerations.emplace_back();
    toleration.key = "dedicated";
    toleration.operator_ = "Exists";
  };
  EXPECT_EQ(FitnessOf(tolerant, Tainted("dedicated", "NoExecute")), kRuns);
  EXPECT_EQ(FitnessOf(tolerant, Tainted("other", "NoExecute")), kNeither);
}

TEST(NodeFitness, NumbersAreComparedOnlyWithTheFeature) {
  const auto below = [](PodSpec& spec) {
    auto& toleration = spec.tolerations.emplace_back();
    toleration.key = "load";
    toleration.operator_ = "Lt";
    toleration.value = "10";
  };
  const auto loaded = [](Node& node) {
    node.spec.taints.push_back(TaintOf("load", "NoSchedule"));
    node.spec.taints[0].value = "7";
  };
  EXPECT_EQ(FitnessOf(below, loaded), kStays);
  EXPECT_EQ(FitnessOf(below, loaded, {.compare_numbers = true}), kRuns);
}

}  // namespace
}  // namespace flyball::controllers::daemon_set
