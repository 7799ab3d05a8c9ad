#include "tests/cluster/rollout_invariants.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A deployment "web" of four pods, one more and one fewer allowed, and what becomes of it.
class RolloutInvariantsTest : public testing::Test {
 protected:
  RolloutInvariantsTest() { Deploy(4); }

  void Deploy(int replicas, int surge = 1, int unavailable = 1) {
    apps::v1::Deployment deployment;
    deployment.metadata.name = deployment.metadata.uid = "web";
    deployment.spec.replicas = replicas;
    deployment.spec.strategy.rollingUpdate = apps::v1::RollingUpdateDeployment();
    deployment.spec.strategy.rollingUpdate->maxSurge = api::IntOrString(surge);
    deployment.spec.strategy.rollingUpdate->maxUnavailable = api::IntOrString(unavailable);
    seen_.See("/deployments/web", ++revision_, &deployment);
  }
  void DeleteDeployment() {
    seen_.See("/deployments/web", ++revision_, static_cast<apps::v1::Deployment*>(nullptr));
  }
  void Scale(const std::string& name, int replicas) {
    apps::v1::ReplicaSet set;
    set.metadata = Owned(name, "web");
    set.spec.replicas = replicas;
    seen_.See("/replicasets/" + name, ++revision_, &set);
  }
  void DeleteSet(const std::string& name) {
    seen_.See("/replicasets/" + name, ++revision_, static_cast<apps::v1::ReplicaSet*>(nullptr));
  }
  void Create(const std::string& name, const std::string& set) {
    seen_.See("/pods/" + name, ++revision_, &(pods_[name] = PodOf(name, set)));
  }
  void Ready(const std::string& name) {
    auto& condition = pods_[name].status.conditions.emplace_back();
    condition.type = "Ready";
    condition.status = "True";
    seen_.See("/pods/" + name, ++revision_, &pods_[name]);
  }
  void Terminate(const std::string& name) {
    pods_[name].metadata.deletionTimestamp = api::Time();
    seen_.See("/pods/" + name, ++revision_, &pods_[name]);
  }
  void Remove(const std::string& name) {
    seen_.See("/pods/" + name, ++revision_, static_cast<core::v1::Pod*>(nullptr));
  }
  /// So many pods of a set, all ready.
  void Fill(const std::string& set, int replicas) {
    Scale(set, replicas);
    for (int i = 0; i < replicas; ++i) {
      Create(set + "-" + std::to_string(i), set);
      Ready(set + "-" + std::to_string(i));
    }
  }

  /// What was not held, without what led to it.
  std::vector<std::string> Broken() const {
    std::vector<std::string> lines;
    for (const std::string& each : seen_.broken()) {
      lines.push_back(each.substr(0, each.find('\n')));
    }
    return lines;
  }

  static meta::v1::ObjectMeta Owned(const std::string& name, const std::string& owner) {
    meta::v1::ObjectMeta metadata;
    metadata.name = metadata.uid = name;
    auto& reference = metadata.ownerReferences.emplace_back();
    reference.uid = owner;
    reference.controller = true;
    return metadata;
  }
  static core::v1::Pod PodOf(const std::string& name, const std::string& set) {
    core::v1::Pod pod;
    pod.metadata = Owned(name, set);
    return pod;
  }

  RolloutInvariants seen_;
  std::int64_t revision_ = 0;
  std::map<std::string, core::v1::Pod> pods_;
};

TEST_F(RolloutInvariantsTest, ARolloutThatGoesAsItShouldBreaksNothing) {
  Fill("old", 4);
  Scale("new", 1);
  Create("new-0", "new");
  Scale("old", 3);
  Terminate("old-0");
  Ready("new-0");
  Remove("old-0");
  EXPECT_THAT(seen_.broken(), IsEmpty());
  EXPECT_THAT(seen_.WrongAtRest(), IsEmpty());
  EXPECT_EQ(seen_.Describe(), "16 changes, 1 deployments now, 2 ReplicaSets and 5 pods ever");
}

TEST_F(RolloutInvariantsTest, MoreThanTheSurgeAllowsIsSeen) {
  Fill("old", 4);
  Scale("new", 2);
  EXPECT_THAT(Broken(),
              ElementsAre("at 11: new was scaled up, to 6 pods of web, which allows for 4 and 1 "
                          "more"));
}

TEST_F(RolloutInvariantsTest, APodThatNobodyAskedForIsSeenAlsoWhenAnotherHasGone) {
  Fill("old", 4);
  Scale("old", 3);
  Terminate("old-0");
  Create("old-4", "old");
  EXPECT_THAT(Broken(),
              ElementsAre("at 13: old-4 is pod number 5 that old got, which was scaled up by 4 in "
                          "all"));
}

TEST_F(RolloutInvariantsTest, APodDeletedThatShouldLiveIsSeenHoweverItWent) {
  Fill("old", 4);
  Terminate("old-0");
  Remove("old-0");
  Remove("old-1");
  EXPECT_THAT(
      Broken(),
      ElementsAre(
          "at 11: old-0 is pod number 1 that old lost, which was scaled down by 0 in all",
          "at 13: old-1 is pod number 2 that old lost, which was scaled down by 0 in all",
          "at 13: old-1 was available and was deleted, which leaves web with 2 of 4, of which 1 "
          "may be missing"));
}

TEST_F(RolloutInvariantsTest, TooFewAvailableIsSeenOfWhatHasBeenWhole) {
  Fill("old", 4);
  Scale("new", 1);
  Create("new-0", "new");
  Scale("old", 2);
  Terminate("old-0");
  Terminate("old-1");
  EXPECT_THAT(Broken(),
              ElementsAre("at 15: old-1 was available and was deleted, which leaves web with 2 of "
                          "4, of which 1 may be missing"));
}

TEST_F(RolloutInvariantsTest, WhatLedToItIsToldWithIt) {
  Fill("old", 1);
  Terminate("old-0");
  EXPECT_THAT(seen_.broken(),
              ElementsAre("at 5: old-0 is pod number 1 that old lost, which was scaled down by 0 "
                          "in all\n"
                          "    at 2: old wants 1 and says generation 0 of 0, 0 pods, 0 available\n"
                          "    at 3: old-0 is new\n"
                          "    at 4: old-0 is available\n"
                          "    at 5: old-0 goes, available"));
}

TEST_F(RolloutInvariantsTest, WhatHasNeverBeenWholeMayBeTakenApart) {
  Scale("old", 4);
  Create("old-0", "old");
  Ready("old-0");
  Scale("old", 0);
  Terminate("old-0");
  EXPECT_THAT(seen_.broken(), IsEmpty());
}

TEST_F(RolloutInvariantsTest, ADeploymentThatIsGoneHoldsNobodyToAnything) {
  Fill("old", 4);
  DeleteDeployment();
  Terminate("old-0");
  Create("old-4", "old");
  EXPECT_THAT(seen_.broken(), IsEmpty());
}

TEST_F(RolloutInvariantsTest, WhatHasLostItsOwnerIsWrongAtRest) {
  Fill("old", 2);
  DeleteSet("old");
  Fill("new", 1);
  DeleteDeployment();
  Terminate("new-0");
  EXPECT_THAT(seen_.WrongAtRest(),
              ElementsAre("the pod new-0 is still going", "the pod old-0 has no owner",
                          "the pod old-1 has no owner", "new has no owner"));
}

TEST_F(RolloutInvariantsTest, TooManyAndTooFewPodsAreWrongAtRest) {
  Fill("old", 3);
  Create("old-3", "old");
  EXPECT_THAT(seen_.WrongAtRest(),
              ElementsAre("old has 4 pods, and wants 3", "web wants 4 pods, its sets 3"));
}

TEST_F(RolloutInvariantsTest, ScalingByPeopleIsNotTheManagersDoing) {
  Fill("old", 4);
  Deploy(2);
  Scale("old", 2);
  Terminate("old-0");
  Terminate("old-1");
  Deploy(5);
  Scale("old", 5);
  for (const char* const name : {"old-4", "old-5", "old-6"}) Create(name, "old");
  EXPECT_THAT(seen_.broken(), IsEmpty());
}

}  // namespace
}  // namespace flyball::cluster
