#include "tests/faults/invariants.h"

#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::faults {
namespace {

using apps::v1::ReplicaSet;
using core::v1::Namespace;
using core::v1::Pod;
using core::v1::ReplicationController;
using testing::ElementsAre;
using testing::IsEmpty;

template <typename T>
sandbox::RecordPtr Stored(const T& object) {
  api::AnyObject any(T::kType);
  *static_cast<T*>(any.get()) = object;
  return std::make_shared<const sandbox::Record>(std::make_shared<const sandbox::Kind>(T::kType),
                                                 any);
}

meta::v1::OwnerReference ControlledBy(const std::string& uid) {
  meta::v1::OwnerReference owner;
  owner.uid = uid;
  owner.controller = true;
  return owner;
}

class InvariantsTest : public testing::Test {
 protected:
  template <typename T>
  void See(const std::string& resource, const T& object) {
    invariants_.Tell({.resource = resource, .before = nullptr, .after = Stored(object)});
  }
  template <typename T>
  void SeeGone(const std::string& resource, const T& object) {
    invariants_.Tell({.resource = resource, .before = Stored(object), .after = nullptr});
  }

  void SeeDeployment(std::int32_t replicas, std::int32_t surge, std::int32_t unavailable) {
    apps::v1::Deployment deployment;
    deployment.metadata.name = "web";
    deployment.metadata.uid = "d";
    deployment.spec.replicas = replicas;
    deployment.spec.strategy.rollingUpdate.emplace();
    deployment.spec.strategy.rollingUpdate->maxSurge = api::IntOrString(surge);
    deployment.spec.strategy.rollingUpdate->maxUnavailable = api::IntOrString(unavailable);
    See("apps/deployments", deployment);
  }
  void SeeSet(const std::string& name, std::int32_t replicas, bool goes = false) {
    ReplicaSet set;
    set.metadata.name = name;
    set.metadata.uid = name;
    set.metadata.ownerReferences = {ControlledBy("d")};
    set.spec.replicas = replicas;
    set.spec.minReadySeconds = 10;
    if (goes) set.metadata.deletionTimestamp = api::Time(clock_.WallNow());
    See("apps/replicasets", set);
  }
  Pod PodOf(const std::string& set, const std::string& name, bool ready = false) {
    Pod pod;
    pod.metadata.namespace_ = "ns";
    pod.metadata.name = name;
    pod.metadata.uid = name;
    pod.metadata.ownerReferences = {ControlledBy(set)};
    pod.status.phase = "Running";
    if (ready) {
      core::v1::PodCondition condition;
      condition.type = "Ready";
      condition.status = "True";
      condition.lastTransitionTime = api::Time(clock_.WallNow());
      pod.status.conditions.push_back(condition);
    }
    return pod;
  }
  void SeePods(const std::string& set, std::initializer_list<const char*> names, bool ready) {
    for (const char* const name : names) See("pods", PodOf(set, name, ready));
  }
  void SeeDeleted(Pod pod) {
    pod.metadata.deletionTimestamp = api::Time(clock_.WallNow());
    See("pods", pod);
  }

  FakeClock clock_;
  Invariants invariants_{clock_};
};

TEST_F(InvariantsTest, AnOwnerGetsAsManyPodsAsItAsksForAndNoMore) {
  SeeSet("web-1", 2);
  SeePods("web-1", {"a", "b"}, false);
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  SeePods("web-1", {"c"}, false);
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pod c is made: web-1 has 3 now, and asks for 2"));
}

TEST_F(InvariantsTest, PodsThatHaveEndedOrAreOnTheirWayOutMakeRoom) {
  SeeSet("web-1", 2);
  SeePods("web-1", {"a", "b"}, false);
  Pod failed = PodOf("web-1", "a");
  failed.status.phase = "Failed";
  See("pods", failed);
  invariants_.PeopleDelete({"ns", "b"});
  SeeDeleted(PodOf("web-1", "b"));
  SeePods("web-1", {"c", "d"}, false);
  EXPECT_THAT(invariants_.violations(), IsEmpty());
}

TEST_F(InvariantsTest, WhatWasAskedForSinceTheLastCheckpointMayStillBeDone) {
  SeeSet("web-1", 2);
  SeeSet("web-1", 0);
  SeePods("web-1", {"a", "b"}, false);
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  invariants_.Checkpoint();
  SeePods("web-1", {"c"}, false);
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pod c is made: web-1 has 3 now, and asks for 0"));
}

TEST_F(InvariantsTest, ADeploymentHasRoomForItsSurge) {
  SeeDeployment(2, 1, 0);
  SeeSet("web-1", 2);
  SeeSet("web-2", 1);
  SeeSet("web-1", 1);
  SeeSet("web-2", 2);
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  SeeSet("web-2", 3);
  SeeSet("web-1", 0);
  EXPECT_THAT(
      invariants_.violations(),
      ElementsAre("web-2 is scaled to 3: deployment web has 4 replicas now, and room for 3"));
}

TEST_F(InvariantsTest, NoPodIsDeletedThatItsOwnerAsksFor) {
  SeeSet("web-1", 2);
  SeePods("web-1", {"a", "b"}, false);
  SeeDeleted(PodOf("web-1", "a"));
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pod a is deleted: web-1 has 1 left, and asks for 2"));
}

TEST_F(InvariantsTest, ControllersOfTheOldKindAreHeldToTheSame) {
  ReplicationController set;
  set.metadata.name = "old";
  set.metadata.uid = "old";
  set.spec.replicas = 1;
  See("replicationcontrollers", set);
  SeePods("old", {"a"}, false);
  SeeGone("pods", PodOf("old", "a"));
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pod a is deleted: old has 0 left, and asks for 1"));
}

TEST_F(InvariantsTest, WhatGoesWithItsOwnerOrItsNamespaceMayGo) {
  SeeSet("web-1", 1);
  SeePods("web-1", {"a"}, false);
  SeeSet("web-1", 1, /*goes=*/true);
  SeeDeleted(PodOf("web-1", "a"));

  SeeSet("web-2", 1);
  SeePods("web-2", {"b"}, false);
  Namespace space;
  space.metadata.name = "ns";
  space.metadata.deletionTimestamp = api::Time(clock_.WallNow());
  See("namespaces", space);
  SeeDeleted(PodOf("web-2", "b"));
  EXPECT_THAT(invariants_.violations(), IsEmpty());
}

TEST_F(InvariantsTest, SoManyStayAvailableAsMaxUnavailableSays) {
  SeeDeployment(3, 1, 1);
  SeeSet("web-1", 3);
  SeePods("web-1", {"a", "b", "c"}, true);
  clock_.Advance(std::chrono::seconds(10));
  SeeSet("web-1", 0);
  SeeDeleted(PodOf("web-1", "a"));
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  SeeDeleted(PodOf("web-1", "b"));
  EXPECT_THAT(invariants_.violations(), ElementsAre("pod b is deleted: deployment web has 1 "
                                                    "available ones left, and needs 2"));
}

TEST_F(InvariantsTest, PodsThatAreNotAvailableYetAreNotMissed) {
  SeeDeployment(2, 1, 0);
  SeeSet("web-1", 2);
  SeePods("web-1", {"a", "b"}, true);
  clock_.Advance(std::chrono::seconds(9));
  SeeSet("web-1", 0);
  SeeDeleted(PodOf("web-1", "a"));
  EXPECT_THAT(invariants_.violations(), IsEmpty());
}

TEST_F(InvariantsTest, NoHealthyPodIsEvictedThatABudgetWantsToStay) {
  SeeDeployment(4, 1, 1);
  SeeSet("web-1", 4);
  SeePods("web-1", {"a", "b", "c"}, true);
  See("pods", PodOf("web-1", "unready", false));
  policy::v1::PodDisruptionBudget budget;
  budget.metadata.namespace_ = "ns";
  budget.metadata.name = "budget";
  budget.metadata.uid = "budget";
  budget.spec.selector.emplace();
  budget.spec.minAvailable = api::IntOrString(2);
  See("policy/poddisruptionbudgets", budget);
  const auto evict = [&](const char* name, bool ready) {
    Pod pod = PodOf("web-1", name, ready);
    pod.status.conditions.emplace_back().type = "DisruptionTarget";
    pod.status.conditions.back().status = "True";
    pod.status.conditions.back().reason = "EvictionByEvictionAPI";
    SeeDeleted(pod);
  };
  evict("unready", false);
  evict("a", true);
  EXPECT_THAT(invariants_.violations(), IsEmpty());
  evict("b", true);
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pod b is evicted: budget budget has 1 healthy ones left, and needs 2"));
}

TEST_F(InvariantsTest, ABudgetMayBeAShareOfWhatIsAskedFor) {
  SeeDeployment(4, 1, 1);
  SeeSet("web-1", 4);
  SeePods("web-1", {"a", "b", "c", "d"}, true);
  policy::v1::PodDisruptionBudget budget;
  budget.metadata.namespace_ = "ns";
  budget.metadata.name = "budget";
  budget.metadata.uid = "budget";
  budget.spec.selector.emplace();
  budget.spec.maxUnavailable = api::IntOrString("50%");
  See("policy/poddisruptionbudgets", budget);
  for (const char* const name : {"a", "b", "c"}) {
    EXPECT_THAT(invariants_.violations(), IsEmpty()) << name;
    Pod pod = PodOf("web-1", name, true);
    pod.status.conditions.emplace_back().type = "DisruptionTarget";
    pod.status.conditions.back().status = "True";
    pod.status.conditions.back().reason = "EvictionByEvictionAPI";
    SeeDeleted(pod);
  }
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pod c is evicted: budget budget has 1 healthy ones left, and needs 2"));
}

TEST_F(InvariantsTest, InTheEndNothingIsLeftOfOwnersThatAreGone) {
  const auto object = [](const char* json) {
    return std::make_shared<const api::Json>(*api::Json::Parse(json));
  };
  parity::World world;
  world.present = {
      {{"", "pods", {"ns", "owned"}},
       object(R"({"metadata":{"uid":"1","ownerReferences":[{"uid":"gone"},{"uid":"2"}]}})")},
      {{"", "pods", {"ns", "free"}}, object(R"({"metadata":{"uid":"2"}})")},
      {{"", "pods", {"ns", "orphan"}},
       object(R"({"metadata":{"uid":"3","ownerReferences":[{"uid":"gone"}]}})")}};
  invariants_.Finish(world);
  EXPECT_THAT(invariants_.violations(),
              ElementsAre("pods/orphan in ns is left, its owners are gone"));
}

}  // namespace
}  // namespace flyball::faults
