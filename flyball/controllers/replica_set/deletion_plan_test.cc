#include "flyball/controllers/replica_set/deletion_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::replica_set {
namespace {

using core::v1::Pod;
using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 16)};

/// One that runs, has been ready for an hour, and is like all others.
Pod RunningPod(const std::string& name) {
  Pod pod;
  pod.metadata.name = name;
  pod.metadata.uid = name;
  pod.metadata.creationTimestamp = api::Time(kNow - hours(1));
  pod.spec.nodeName = "node";
  pod.status.phase = "Running";
  pod.status.conditions.push_back(ReadyCondition(api::Time(kNow - hours(1))));
  return pod;
}

/// That, but for what a test is about.
Pod With(const std::string& name, const std::function<void(Pod&)>& change) {
  Pod pod = RunningPod(name);
  change(pod);
  return pod;
}

Pod NotReady(const std::string& name, const std::function<void(Pod&)>& change = [](Pod&) {}) {
  Pod pod = RunningPod(name);
  pod.status.conditions.clear();
  change(pod);
  return pod;
}

std::vector<PodRef> Views(const std::vector<Pod>& pods) {
  std::vector<PodRef> views;
  for (const Pod& pod : pods) views.push_back(ViewOf(pod));
  return views;
}

/// The order in which pods go, all but the last, which stays. Whatever order they are in.
std::vector<std::string> Order(std::vector<Pod> pods, const std::vector<Pod>& related = {}) {
  std::vector<std::string> first;
  std::ranges::sort(pods, {}, [](const Pod& pod) { return pod.metadata.name; });
  do {
    std::vector<std::string> names;
    for (const auto& pod : ChoosePodsToDelete(Views(pods), Views(related), pods.size() - 1, kNow)) {
      names.emplace_back(pod->metadata.name);
    }
    if (first.empty()) first = names;
    EXPECT_EQ(names, first) << "depends on the order that they come in";
  } while (std::ranges::next_permutation(pods, {}, [](const Pod& pod) {
             return pod.metadata.name;
           }).found);
  return first;
}

TEST(DeletionPlan, WhatIsOnNoNodeGoesFirst) {
  EXPECT_THAT(Order({With("b-free", [](Pod& pod) { pod.spec.nodeName = ""; }),
                     With("a-pending", [](Pod& pod) { pod.status.phase = "Pending"; })}),
              ElementsAre("b-free"));
}

TEST(DeletionPlan, ThenByPhase) {
  const auto in_phase = [](const std::string& name, const std::string& phase) {
    return With(name, [&](Pod& pod) { pod.status.phase = phase; });
  };
  EXPECT_THAT(Order({in_phase("c", "Pending"), in_phase("b", "Unknown"), NotReady("a")}),
              ElementsAre("c", "b"));
  // One that has none yet is as good as pending.
  EXPECT_THAT(Order({in_phase("c", ""), in_phase("b", "Unknown"), in_phase("a", "Running")}),
              ElementsAre("c", "b"));
}

TEST(DeletionPlan, ThenTheNotReadyAndThenByCost) {
  const auto costs = [](const std::string& name, const std::string& cost) {
    return With(name, [&](Pod& pod) {
      pod.metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] = cost;
    });
  };
  EXPECT_THAT(Order({NotReady("z"), costs("y", "-5"), RunningPod("x"), costs("w", "7")}),
              ElementsAre("z", "y", "x"));
  const std::vector<PodRef> pods = Views({RunningPod("a"), costs("b", "-5")});
  EXPECT_THAT(ChoosePodsToDelete(pods, {}, 1, kNow), ElementsAre(pods[1]));
  EXPECT_THAT(ChoosePodsToDelete(pods, {}, 1, kNow, {.by_cost = false}), ElementsAre(pods[0]));
}

TEST(DeletionPlan, ACostIsAWholeNumberAsOneWritesIt) {
  const auto cost = [](const std::string& text) {
    return DeletionCost(*ViewOf(With("pod", [&](Pod& pod) {
      pod.metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] = text;
    })));
  };
  EXPECT_EQ(DeletionCost(*ViewOf(RunningPod("pod"))), 0);
  EXPECT_EQ(cost("10"), 10);
  EXPECT_EQ(cost("-10"), -10);
  EXPECT_EQ(cost("-08"), -8);
  EXPECT_EQ(cost("2147483647"), 2147483647);
  for (const char* const none :
       {"", "0", "008", "+10", "2147483648", "1.5", "1x", "-", " 1", "x"}) {
    EXPECT_EQ(cost(none), 0) << none;
  }
}

TEST(DeletionPlan, ThenThoseWithMoreNeighboursOfTheSameOwner) {
  const auto on = [](const std::string& name, const std::string& node) {
    return With(name, [&](Pod& pod) { pod.spec.nodeName = node; });
  };
  const std::vector<Pod> pods = {on("c", "full"), on("b", "half"), on("a", "empty")};
  std::vector<Pod> related = {on("r1", "full"), on("r2", "full"), on("r3", "half")};
  EXPECT_THAT(Order(pods, related), ElementsAre("c", "b"));
  // Those that have ended, or are about to, are no neighbours.
  for (const char* const name : {"s1", "s2", "s3"}) {
    related.push_back(on(name, "empty"));
    related.back().status.phase = "Succeeded";
    related.push_back(on(name, "empty"));
    related.back().metadata.deletionTimestamp = api::Time(kNow);
  }
  EXPECT_THAT(Order(pods, related), ElementsAre("c", "b"));
}

TEST(DeletionPlan, ThenThoseThatAreReadyForAShorterTimeByPowersOfTwo) {
  const auto ready_for = [](const std::string& name, seconds time) {
    return With(name, [&](Pod& pod) {
      pod.status.conditions[0].lastTransitionTime = api::Time(kNow - time);
    });
  };
  const Pod timeless =
      With("d", [](Pod& pod) { pod.status.conditions[0].lastTransitionTime = {}; });
  EXPECT_THAT(Order({timeless, ready_for("c", seconds(10)), ready_for("b", seconds(100)),
                     ready_for("a", seconds(1000))}),
              ElementsAre("d", "c", "b"));
  // 2^33 ns are 8.6 s, 2^34 are 17.2 s: what is between is the same, and the uid decides.
  EXPECT_THAT(
      Order({ready_for("a", seconds(17)), ready_for("b", seconds(9)), ready_for("c", seconds(18))}),
      ElementsAre("a", "b"));
  // What is to be ready in the future is younger than all.
  EXPECT_THAT(Order({ready_for("b", seconds(-5)), ready_for("a", seconds(1))}), ElementsAre("b"));
}

TEST(DeletionPlan, ThenThoseWithMoreRestarts) {
  const auto restarts = [](const std::string& name, std::int32_t main, std::int32_t sidecar,
                           std::int32_t init = 0) {
    return With(name, [&](Pod& pod) {
      pod.status.containerStatuses.resize(2);
      pod.status.containerStatuses[1].restartCount = main;
      pod.spec.initContainers.resize(2);
      pod.spec.initContainers[0].name = "init";
      pod.spec.initContainers[1].name = "sidecar";
      pod.spec.initContainers[1].restartPolicy = "Always";
      pod.status.initContainerStatuses.resize(2);
      pod.status.initContainerStatuses[0].name = "init";
      pod.status.initContainerStatuses[0].restartCount = init;
      pod.status.initContainerStatuses[1].name = "sidecar";
      pod.status.initContainerStatuses[1].restartCount = sidecar;
    });
  };
  EXPECT_THAT(Order({restarts("d", 3, 0), restarts("c", 2, 9), restarts("b", 2, 1),
                     restarts("a", 2, 0, 100)}),
              ElementsAre("d", "c", "b"));
}

TEST(DeletionPlan, ThenThoseThatAreYoungerByPowersOfTwo) {
  const auto aged = [](const std::string& name, seconds age) {
    return NotReady(name,
                    [&](Pod& pod) { pod.metadata.creationTimestamp = api::Time(kNow - age); });
  };
  const Pod timeless = NotReady("d", [](Pod& pod) { pod.metadata.creationTimestamp = {}; });
  EXPECT_THAT(
      Order({timeless, aged("c", seconds(5)), aged("b", seconds(50)), aged("a", seconds(500))}),
      ElementsAre("d", "c", "b"));
  EXPECT_THAT(Order({aged("a", seconds(17)), aged("b", seconds(9)), aged("c", seconds(18))}),
              ElementsAre("a", "b"));
}

TEST(DeletionPlan, PodsThatAreAllAlikeGoInTheOrderTheyCome) {
  const std::vector<PodRef> pods = Views({RunningPod("b"), RunningPod("a"), RunningPod("c")});
  EXPECT_THAT(ChoosePodsToDelete(pods, {}, 2, kNow), ElementsAre(pods[0], pods[1]));
}

TEST(DeletionPlan, AnOrderThatGoesRoundInCirclesStillGivesEachPodOnce) {
  // "c" before "a" by restarts, "a" before "b" and "b" before "c" by uid.
  const Pod c =
      With("c", [](Pod& pod) { pod.status.containerStatuses.emplace_back().restartCount = 1; });
  const Pod b = With("b", [](Pod& pod) {
    pod.status.conditions[0].lastTransitionTime = api::Time(kNow - hours(1) + seconds(1));
  });
  std::vector<Pod> pods;
  for (int i = 0; i < 30; ++i) pods.insert(pods.end(), {c, RunningPod("a"), b});
  const auto chosen = ChoosePodsToDelete(Views(pods), {}, 89, kNow);
  EXPECT_THAT(chosen, SizeIs(89));
}

TEST(DeletionPlan, WhereAllGoThereIsNothingToChoose) {
  const std::vector<PodRef> pods = Views({RunningPod("a"), NotReady("b")});
  EXPECT_THAT(ChoosePodsToDelete(pods, {}, 2, kNow), ElementsAre(pods[0], pods[1]));
  EXPECT_THAT(ChoosePodsToDelete({}, {}, 0, kNow), IsEmpty());
}

TEST(DeletionPlan, MeasuresHowOldTheReadyPodsAreThatGo) {
  const auto aged = [](const std::string& name, seconds age) {
    return With(name, [&](Pod& pod) { pod.metadata.creationTimestamp = api::Time(kNow - age); });
  };
  const std::vector<PodRef> pods =
      Views({aged("a", seconds(25)), aged("b", seconds(10)), aged("c", seconds(9)), NotReady("d")});
  EXPECT_THAT(AgeRatios(pods, pods, kNow), ElementsAre(2, 1, 1));
  EXPECT_THAT(AgeRatios(pods, std::vector{pods[3]}, kNow), IsEmpty());
  const std::vector<PodRef> none_ready = Views({NotReady("a"), NotReady("b")});
  EXPECT_THAT(AgeRatios(none_ready, none_ready, kNow), IsEmpty());
  const std::vector<PodRef> newborn = Views({aged("a", seconds(25)), aged("b", seconds(0))});
  EXPECT_THAT(AgeRatios(newborn, newborn, kNow), IsEmpty());
}

}  // namespace
}  // namespace flyball::controllers::replica_set
