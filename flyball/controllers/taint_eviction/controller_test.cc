#include "flyball/controllers/taint_eviction/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/node_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::taint_eviction {
namespace {

using core::v1::Node;
using core::v1::Pod;
using sandbox::Fault;
using sandbox::Requests;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kStatus = "PATCH /api/v1/namespaces/default/pods/p/status";
constexpr const char* kDelete = "DELETE /api/v1/namespaces/default/pods/p";
constexpr const char* kMarked = "Normal TaintManagerEviction: Marking for deletion Pod default/p";
constexpr const char* kCancelled =
    "Normal TaintManagerEviction: Cancelling deletion of Pod default/p";

/// The controller on an embedded server, with a test in the place of everybody else.
class TaintEvictionTest : public ControllerFixture {
 protected:
  TaintEvictionTest() { CreateServiceAccount("default"); }

  void PlayIt(const std::function<void()>& test) {
    auto with_events = deps();
    with_events.events = events_.Maker();
    Play(Make(with_events, {}), [&] {
      Pass(seconds(1));
      TakeSent();
      test();
    });
  }

  void CreateNode(const std::vector<std::string>& taints) {
    Node node;
    node.metadata.name = "n";
    ASSERT_TRUE(All<Node>().Create(node));
    SetTaints(taints);
  }
  void SetTaints(const std::vector<std::string>& keys) {
    Node node = *All<Node>().Get({"", "n"});
    node.spec.taints.clear();
    for (const auto& key : keys) node.spec.taints.push_back(MakeTaint(key, "NoExecute"));
    const auto updated = All<Node>().Update(node);
    ASSERT_TRUE(updated) << updated.error().Describe();
  }
  void CreatePod(const std::string& tolerated = "", std::optional<std::int64_t> time = {}) {
    Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = "p";
    pod.spec.nodeName = "n";
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "app";
    if (!tolerated.empty()) Tolerate(pod, tolerated, time);
    const auto created = All<Pod>().Create(pod);
    ASSERT_TRUE(created) << created.error().Describe();
  }
  static void Tolerate(Pod& pod, const std::string& key, std::optional<std::int64_t> time) {
    auto& toleration = pod.spec.tolerations.emplace_back();
    toleration.key = key;
    toleration.operator_ = "Exists";
    toleration.effect = "NoExecute";
    toleration.tolerationSeconds = time;
  }
  bool IsThere() {
    const auto pod = All<Pod>().Get({"default", "p"});
    return pod && !pod->metadata.deletionTimestamp;
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(TaintEvictionTest, APodThatDoesNotTolerateATaintSaysSoAndGoes) {
  PlayIt([&] {
    CreateNode({});
    CreatePod();
    Pass(seconds(10));
    EXPECT_THAT(TakeSent(), IsEmpty());
    SetTaints({"a"});
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 2);
    EXPECT_EQ(sent[0].request, kStatus);
    EXPECT_THAT(sent[0].body, HasSubstr("DeletionByTaintManager"));
    EXPECT_EQ(sent[1].request, kDelete);
    // This very pod, and no other that may have come to have its name.
    EXPECT_THAT(sent[1].body, HasSubstr("\"preconditions\":{\"uid\":"));
    EXPECT_FALSE(IsThere());
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kMarked));
  const auto about = events_.recorded().front().about;
  EXPECT_EQ(about.kind, "Pod");
  EXPECT_EQ(about.uid, "");
  EXPECT_THAT(metrics_.Text(), HasSubstr("taint_eviction_controller_pod_deletions_total 1"));
  EXPECT_THAT(
      metrics_.Text(),
      HasSubstr("taint_eviction_controller_pod_deletion_duration_seconds_bucket{le=\"1\"} 1"));
}

TEST_F(TaintEvictionTest, APodGoesWhenItsTimeIsUp) {
  PlayIt([&] {
    CreateNode({});
    CreatePod("a", 30);
    SetTaints({"a"});
    Pass(seconds(29));
    EXPECT_TRUE(IsThere());
    Pass(seconds(2));
    EXPECT_FALSE(IsThere());
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatus, kDelete));
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kMarked));
}

TEST_F(TaintEvictionTest, APodWhoseNodeIsWellAgainInTimeStays) {
  PlayIt([&] {
    CreateNode({});
    CreatePod("a", 30);
    SetTaints({"a"});
    Pass(seconds(20));
    SetTaints({});
    Pass(seconds(100));
    EXPECT_TRUE(IsThere());
    // The next time it has all its time again.
    SetTaints({"a"});
    Pass(seconds(29));
    EXPECT_TRUE(IsThere());
    Pass(seconds(2));
    EXPECT_FALSE(IsThere());
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kCancelled, kMarked));
}

TEST_F(TaintEvictionTest, APodThatIsGoneBeforeItsTimeIsSpokenOfNoMore) {
  PlayIt([&] {
    CreateNode({"a"});
    CreatePod("a", 30);
    Pass(seconds(10));
    meta::v1::DeleteOptions at_once;
    at_once.gracePeriodSeconds = 0;
    ASSERT_TRUE(All<Pod>().Delete({"default", "p"}, at_once));
    Pass(seconds(100));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kCancelled));
}

TEST_F(TaintEvictionTest, APodThatComesToSuchANodeGoes) {
  PlayIt([&] {
    CreateNode({"a"});
    CreatePod();
    Pass(seconds(1));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(TaintEvictionTest, ATolerationThatIsAddedInTimeCounts) {
  PlayIt([&] {
    CreateNode({"a"});
    CreatePod("a", 30);
    Pass(seconds(10));
    Pod pod = *All<Pod>().Get({"default", "p"});
    pod.spec.tolerations.clear();
    Tolerate(pod, "a", std::nullopt);
    Tolerate(pod, "a", 30);
    const auto updated = All<Pod>().Update(pod);
    ASSERT_TRUE(updated) << updated.error().Describe();
    Pass(seconds(100));
    EXPECT_TRUE(IsThere());
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kCancelled));
}

TEST_F(TaintEvictionTest, WhatWasThereBeforeItIsLookedAt) {
  CreateNode({});
  CreatePod("a", 30);
  SetTaints({"a"});
  PlayIt([&] {
    Pass(seconds(20));
    EXPECT_TRUE(IsThere());
    Pass(seconds(20));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(TaintEvictionTest, APodGoesWhenItWasToThoughItsNodeIsGone) {
  PlayIt([&] {
    CreateNode({"a"});
    CreatePod("a", 30);
    Pass(seconds(10));
    ASSERT_TRUE(All<Node>().Delete({"", "n"}));
    Pass(seconds(10));
    EXPECT_TRUE(IsThere());
    Pass(seconds(20));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(TaintEvictionTest, NoPodGoesForWhatIsNoLongerSo) {
  PlayIt([&] {
    CreateNode({"a"});
    CreatePod("a", 30);
    Pass(seconds(20));
    // The node is well again, and nobody here hears of it.
    Fault deaf = faults_.OnEvents(Requests::Watches().Of("nodes")).Hold();
    SetTaints({});
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    deaf.Lift();
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kCancelled));
}

TEST_F(TaintEvictionTest, WhatCouldNotBeDeletedIsTriedAgainAndToldOnce) {
  PlayIt([&] {
    CreateNode({"a"});
    faults_.On(Requests::Deletes().Of("pods")).Times(8).Refuse(500);
    CreatePod();
    Pass(minutes(5));  // each may have been carried out late: for half a minute nobody knows
    EXPECT_FALSE(IsThere());
  });
  EXPECT_THAT(events_.lines(), ElementsAre(kMarked));
  EXPECT_THAT(metrics_.Text(), HasSubstr("taint_eviction_controller_pod_deletions_total 1"));
}

}  // namespace
}  // namespace flyball::controllers::taint_eviction
