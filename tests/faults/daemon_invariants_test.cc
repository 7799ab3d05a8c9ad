#include "tests/faults/daemon_invariants.h"

#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"

namespace flyball::faults {
namespace {

using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

class DaemonInvariantsTest : public testing::Test {
 protected:
  void AddSet(std::int32_t surge = 0) {
    apps::v1::DaemonSet set;
    set.metadata.name = "agent";
    auto& rolling = set.spec.updateStrategy.rollingUpdate.emplace();
    rolling.maxSurge = api::IntOrString(surge);
    rolling.maxUnavailable = api::IntOrString(surge > 0 ? 0 : 1);
    set.status.desiredNumberScheduled = 2;
    set.spec.minReadySeconds = 10;
    invariants_.TellOfSet("set", set);
  }
  static Pod PodOn(const std::string& name, const std::string& node, bool ready = true) {
    Pod pod;
    pod.metadata.name = name;
    auto& owner = pod.metadata.ownerReferences.emplace_back();
    owner.uid = "set";
    owner.controller = true;
    pod.spec.nodeName = node;
    if (ready) {
      auto& condition = pod.status.conditions.emplace_back();
      condition.type = "Ready";
      condition.status = "True";
      condition.lastTransitionTime = api::Time(FakeClock::kStart);
    }
    return pod;
  }
  void Tell(const Pod& pod, bool deliberate = false) {
    invariants_.TellOfPod(pod.metadata.name, pod, deliberate);
  }
  void Delete(const std::string& pod, bool deliberate = false) {
    invariants_.TellOfPod(pod, std::nullopt, deliberate);
  }

  FakeClock clock_;
  std::vector<std::string> violations_;
  DaemonInvariants invariants_{clock_, violations_};
};

TEST_F(DaemonInvariantsTest, ANodeHasOnePodAtATime) {
  AddSet();
  Tell(PodOn("one", "a"));
  Tell(PodOn("two", "b"));
  Pod unbound = PodOn("three", "");
  auto& term = unbound.spec.affinity.emplace()
                   .nodeAffinity.emplace()
                   .requiredDuringSchedulingIgnoredDuringExecution.emplace()
                   .nodeSelectorTerms.emplace_back();
  term.matchFields.emplace_back().values = {"c"};
  Tell(unbound);
  EXPECT_THAT(violations_, IsEmpty());
  Tell(PodOn("more", "c"));
  EXPECT_THAT(violations_, ElementsAre("pod more is made: daemon set agent has 2 on c now"));
}

TEST_F(DaemonInvariantsTest, OrTwoWhileItSurges) {
  AddSet(1);
  Tell(PodOn("one", "a"));
  Tell(PodOn("two", "a"));
  EXPECT_THAT(violations_, IsEmpty());
  Tell(PodOn("three", "a"));
  EXPECT_THAT(violations_, ElementsAre("pod three is made: daemon set agent has 3 on a now"));
}

TEST_F(DaemonInvariantsTest, AsManyStayAvailableAsAreToBe) {
  AddSet();
  Tell(PodOn("one", "a"));
  Tell(PodOn("two", "b"));
  Tell(PodOn("idle", "c", false));
  clock_.Advance(std::chrono::seconds(10));
  Delete("idle");
  Delete("one");
  EXPECT_THAT(violations_, IsEmpty());
  Pod going = PodOn("two", "b");
  going.metadata.deletionTimestamp = api::Time(clock_.WallNow());
  Tell(going);
  EXPECT_THAT(violations_, ElementsAre("pod two is deleted: daemon set agent has 0 available ones "
                                       "left, and needs 1"));
}

TEST_F(DaemonInvariantsTest, WhatPeopleDeleteIsTheirOwnMatter) {
  AddSet();
  Tell(PodOn("one", "a"));
  Tell(PodOn("two", "b"));
  clock_.Advance(std::chrono::seconds(10));
  Delete("one", /*deliberate=*/true);
  Delete("two", /*deliberate=*/true);
  EXPECT_THAT(violations_, IsEmpty());
}

}  // namespace
}  // namespace flyball::faults
