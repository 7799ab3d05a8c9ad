// A cluster that is handed from upstream's manager to ours and back, in the middle of what it is at
// and at rest: what one began the other finishes, and what one has done the other leaves alone.
//
// FLYBALL_HANDOVER_DEPLOYMENTS sets how many deployments there are.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/rollout_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ImageOf(int revision) { return "registry.example.com/app:" + std::to_string(revision); }

class HandoverTest : public RolloutTest {
 protected:
  static constexpr auto kPatience = 300s;

  HandoverTest()
      : RolloutTest({.deployments = NumberFromEnvironment("FLYBALL_HANDOVER_DEPLOYMENTS", 10),
                     .pods = 4}) {}

  /// A new image for all, and back when the manager is at it: some pods have it, and some do not.
  void BeginToRoll(int revision) {
    Must(fleet_.Roll(ImageOf(revision)));
    const int pods = fleet_.shape().deployments * fleet_.shape().pods;
    ASSERT_TRUE(Eventually([&] { return UpdatedPods(revision) >= pods / 4; }, 120s));
  }
  /// Of the sets that are to have this image.
  int UpdatedPods(int revision) {
    int pods = 0;
    for (const auto& set : simulated_.informers().Of<ReplicaSet>().lister().InNamespace(space_)) {
      if (ImageIn(*set) == ImageOf(revision)) pods += set->status.replicas;
    }
    return pods;
  }
  static std::string ImageIn(const ReplicaSet& set) {
    return set.spec.template_.spec.containers.at(0).image;
  }

  /// That each deployment has one ReplicaSet for each image that it ever had, as many pods as it
  /// wants in the last, and none in the others.
  void ExpectOneSetEach(int images) {
    std::map<std::string, std::map<std::string, int>> pods;  // by deployment and image
    for (const ReplicaSet& set : Must(All<ReplicaSet>().ListIn(space_)).items) {
      const std::string& owner = set.metadata.ownerReferences.at(0).name;
      EXPECT_EQ(set.metadata.name, owner + "-" + *set.metadata.labels.find("pod-template-hash"));
      EXPECT_TRUE(pods[owner].emplace(ImageIn(set), set.status.replicas).second)
          << owner << " has two sets for " << ImageIn(set);
    }
    std::map<std::string, int> wanted;
    for (int i = 1; i < images; ++i) wanted[ImageOf(i)] = 0;
    wanted[ImageOf(images)] = fleet_.shape().pods;
    EXPECT_EQ(pods.size(), static_cast<std::size_t>(fleet_.shape().deployments));
    for (const auto& [owner, its] : pods) EXPECT_EQ(its, wanted) << owner;
  }

  void TakeOver(bool from_upstream) {
    {
      ManagerBinary first = Start(from_upstream, SilentFlags());
      Must(fleet_.Create(ImageOf(1)));
      Must(fleet_.AwaitComplete(kPatience));
      Must(fleet_.Roll(ImageOf(2)));
      Must(fleet_.AwaitComplete(kPatience));
      (void)AwaitSignOfLife(first);
      clock().SleepFor(2s);  // lint: allow sleep: events, the last that it writes
      EXPECT_TRUE(first.process().Stop(clock(), 20s));
    }
    AuditLog log(real_plane().audit_log());
    (void)log.ReadOn();
    ManagerBinary second = Start(!from_upstream, SilentFlags());
    const std::string probe = AwaitSignOfLife(second);
    clock().SleepFor(5s);  // lint: allow sleep: for what it may want to do later
    EXPECT_TRUE(second.process().Running()) << second.log();
    EXPECT_THAT(WritesSince(log, probe), IsEmpty());
    ExpectOneSetEach(2);
    ExpectSound();
  }

  meta::v1::ObjectMeta OwnedBy(const std::string& kind, const meta::v1::ObjectMeta& owner,
                               const std::string& name) const {
    meta::v1::ObjectMeta metadata;
    metadata.namespace_ = space_;
    metadata.name = name;
    metadata.labels = {{"app", DeploymentFleet::NameOf(0)}, {"tier", "front"}};
    auto& reference = metadata.ownerReferences.emplace_back();
    reference.apiVersion = "apps/v1";
    reference.kind = kind;
    reference.name = owner.name;
    reference.uid = owner.uid;
    reference.controller = true;
    return metadata;
  }
};

TEST_F(HandoverTest, RolloutsGoOnWhenManagersChangeInTheirMiddleAndComeToOneEnd) {
  bool upstream = true;
  std::optional<ManagerBinary> manager = Start(upstream, Flags());
  Must(fleet_.Create(ImageOf(1)));
  Must(fleet_.AwaitComplete(kPatience));
  constexpr int kHandovers = 4;
  for (int i = 0; i < kHandovers; ++i) {
    SCOPED_TRACE("handover " + std::to_string(i) + ", from " + (upstream ? "upstream" : "ours"));
    const int revision = i + 2;
    ASSERT_NO_FATAL_FAILURE(BeginToRoll(revision));
    // One way it is told to end, the other way nobody asks.
    if (i < kHandovers / 2) {
      EXPECT_TRUE(manager->process().Stop(clock(), 20s)) << manager->log();
    } else {
      manager->process().Kill();
    }
    EXPECT_LT(fleet_.Complete(), fleet_.shape().deployments) << "there was nothing left to do";
    upstream = !upstream;
    manager.emplace(Start(upstream, Flags()));
    const auto complete = fleet_.AwaitComplete(kPatience);
    ASSERT_TRUE(complete) << complete.error().Describe() << "\n" << manager->log();
    ExpectOneSetEach(revision);
    ExpectSound();
  }
  std::cout << history_->Describe() << "\n";
}

TEST_F(HandoverTest, WhatNobodyAskedForIsFoundInTheHistoryOnceItIsMade) {
  // As some manager might have made them, had it done so twice.
  core::v1::ServiceAccount account;
  account.metadata.namespace_ = space_;
  account.metadata.name = "default";
  Must(All<core::v1::ServiceAccount>().Create(account));
  Must(fleet_.CreateOne(0, ImageOf(1)));
  const Deployment owner = Must(All<Deployment>().Get({space_, DeploymentFleet::NameOf(0)}));
  ReplicaSet set;
  set.metadata = OwnedBy("Deployment", owner.metadata, "web-0-x");
  set.spec.replicas = 1;
  set.spec.selector = owner.spec.selector;
  set.spec.template_ = owner.spec.template_;
  set = Must(All<ReplicaSet>().Create(set));
  for (const char* const name : {"wanted", "second"}) {
    core::v1::Pod pod;
    pod.metadata = OwnedBy("ReplicaSet", set.metadata, name);
    pod.spec = owner.spec.template_.spec;
    Must(All<core::v1::Pod>().Create(pod));
  }
  EXPECT_THAT(
      Must(history_->Broken()),
      ElementsAre(HasSubstr(": second is pod number 2 that web-0-x got, which was scaled up "
                            "by 1 in all")));
  EXPECT_THAT(Must(history_->WrongAtRest()),
              ElementsAre("web-0-x has 2 pods, and wants 1", "web-0 wants 4 pods, its sets 1"));
}

TEST_F(HandoverTest, OursTakesOverFromUpstreamsAndWritesNothing) { TakeOver(true); }

TEST_F(HandoverTest, UpstreamsTakesOverFromOursAndWritesNothing) { TakeOver(false); }

}  // namespace
}  // namespace flyball::cluster
