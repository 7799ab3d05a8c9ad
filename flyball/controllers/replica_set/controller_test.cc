#include "flyball/controllers/replica_set/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::replica_set {
namespace {

using apps::v1::ReplicaSet;
using core::v1::Pod;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kStatus = "PUT /apis/apps/v1/namespaces/default/replicasets/web/status";

class ReplicaSetTest : public ControllerFixture {
 protected:
  ReplicaSetTest() { CreateServiceAccount("default"); }

  static ReplicaSet Web(std::int32_t replicas) {
    ReplicaSet set;
    set.metadata.namespace_ = "default";
    set.metadata.name = "web";
    set.spec.replicas = replicas;
    set.spec.selector.emplace().matchLabels["app"] = "web";
    set.spec.template_.metadata.labels["app"] = "web";
    set.spec.template_.metadata.annotations["note"] = "kept";
    core::v1::Container& container = set.spec.template_.spec.containers.emplace_back();
    container.name = "main";
    container.image = "none";
    return set;
  }
  template <typename T>
  static T Must(Result<T> done) {
    if (done) return *std::move(done);
    ADD_FAILURE() << done.error().Describe();
    return {};
  }
  ReplicaSet Create(const ReplicaSet& set) { return Must(All<ReplicaSet>().Create(set)); }
  ReplicaSet Get() { return Must(All<ReplicaSet>().Get({"default", "web"})); }
  void ScaleTo(std::int32_t replicas) {
    ReplicaSet set = Get();
    set.spec.replicas = replicas;
    Must(All<ReplicaSet>().Update(set));
  }

  Pod CreatePod(const std::string& name, const std::string& app,
                const std::optional<ReplicaSet>& owner = {}, const std::string& node = "") {
    Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = name;
    pod.metadata.labels["app"] = app;
    if (owner) pod.metadata.ownerReferences.push_back(common::ControllerRefTo(*owner));
    pod.spec = Web(0).spec.template_.spec;
    pod.spec.nodeName = node;
    return Must(All<Pod>().Create(pod));
  }
  std::vector<Pod> Pods() { return Must(All<Pod>().ListIn("default")).items; }
  std::vector<std::string> PodNames() {
    std::vector<std::string> names;
    for (const Pod& pod : Pods()) names.push_back(pod.metadata.name);
    return names;
  }
  void Run(Pod pod) {
    pod.status.phase = "Running";
    pod.status.conditions.push_back(ReadyCondition(api::Time(executor_.clock().WallNow())));
    Must(All<Pod>().UpdateStatus(pod));
  }
  void SetLabel(const std::string& pod, const std::string& app) {
    Must(All<Pod>().Patch({"default", pod},
                          client::Patch::Merge(*api::Json::Parse(
                              R"({"metadata":{"labels":{"app":")" + app + R"("}}})"))));
  }

  /// What the controller asked for, but for the status of sets.
  std::vector<std::string> TakePodWrites() {
    std::vector<std::string> writes;
    for (const std::string& request : TakeRequests()) {
      if (!request.ends_with("/status")) writes.push_back(request);
    }
    return writes;
  }

  runtime::Controller::Deps recorded() {
    runtime::Controller::Deps all = deps();
    all.events = events_.Maker();
    return all;
  }
  void PlayIt(const std::function<void()>& test, const Options& options = {}) {
    Play(MakeReplicaSetController(recorded(), options), [&] {
      // Times are kept in whole seconds: from one of them on they are exact.
      Pass(seconds(1) - executor_.clock().WallNow().time_since_epoch() % seconds(1));
      test();
    });
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(ReplicaSetTest, MakesPodsOfItsTemplateAndSaysHowManyThereAre) {
  PlayIt([&] {
    const ReplicaSet set = Create(Web(3));
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 4);
    Pod expected;
    expected.kind = "Pod";
    expected.apiVersion = "v1";
    expected.metadata.generateName = "web-";
    expected.metadata.namespace_ = "default";
    expected.metadata.labels = {{"app", "web"}};
    expected.metadata.annotations = {{"note", "kept"}};
    expected.metadata.ownerReferences = {common::ControllerRefTo(set)};
    expected.spec = set.spec.template_.spec;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(sent[i].request, std::string("POST ") + kPods);
      EXPECT_EQ(Must(api::DecodeJson<Pod>(sent[i].body)), expected);
    }
    // Nor does it wait for the cache to show them.
    ReplicaSet told = set;
    told.kind = "ReplicaSet";
    told.apiVersion = "apps/v1";
    told.metadata.managedFields.clear();
    told.status.observedGeneration = 1;
    told.status.terminatingReplicas = 0;
    told.status.replicas = told.status.fullyLabeledReplicas = 3;
    EXPECT_EQ(sent[3].request, kStatus);
    EXPECT_EQ(Must(api::DecodeJson<ReplicaSet>(sent[3].body)), told);
    EXPECT_EQ(Get().status, told.status);

    std::vector<std::string> created;
    for (const std::string& name : PodNames()) {
      created.push_back("Normal SuccessfulCreate: Created pod: " + name);
    }
    EXPECT_THAT(events_.lines(), testing::UnorderedElementsAreArray(created));
    EXPECT_EQ(events_.recorded().at(0).about, runtime::ReferenceTo(set));
  });
}

TEST_F(ReplicaSetTest, CountsPodsThatAreReadyForLongEnoughTheMomentTheyAre) {
  PlayIt([&] {
    ReplicaSet set = Web(2);
    set.spec.minReadySeconds = 10;
    Create(set);
    Pass(seconds(1));
    Run(Pods()[0]);
    Pass(seconds(4));
    Run(Pods()[1]);
    Pass(seconds(1));
    EXPECT_EQ(Get().status.readyReplicas, 2);
    EXPECT_EQ(Get().status.availableReplicas, 0);
    Pass(milliseconds(4'900));
    EXPECT_EQ(Get().status.availableReplicas, 0);
    Pass(milliseconds(200));
    EXPECT_EQ(Get().status.availableReplicas, 1);
    Pass(milliseconds(3'800));
    EXPECT_EQ(Get().status.availableReplicas, 1);
    Pass(milliseconds(200));
    EXPECT_EQ(Get().status.availableReplicas, 2);
    // And then there is nothing left to look at.
    TakeSent();
    Pass(std::chrono::hours(1));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
}

TEST_F(ReplicaSetTest, RemovesThePodsThatAreMissedLeast) {
  PlayIt([&] {
    Create(Web(3));
    Pass(seconds(1));
    const std::vector<Pod> pods = Pods();
    Run(pods[0]);
    Run(pods[2]);
    Pass(seconds(1));
    TakeSent();
    ScaleTo(2);
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 2);
    EXPECT_EQ(sent[0].request, std::string("DELETE ") + kPods + "/" + pods[1].metadata.name);
    EXPECT_EQ(sent[0].body, R"({"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1",)"
                            R"("preconditions":{"uid":")" +
                                pods[1].metadata.uid + R"("}})");
    EXPECT_EQ(sent[1].request, kStatus);
    EXPECT_EQ(Get().status.replicas, 2);
    EXPECT_EQ(Get().status.terminatingReplicas, 0);  // it had no node
    EXPECT_EQ(events_.lines().back(),
              "Normal SuccessfulDelete: Deleted pod: " + pods[1].metadata.name);
    EXPECT_THAT(PodNames(), ElementsAre(pods[0].metadata.name, pods[2].metadata.name));
    ScaleTo(0);
    Pass(seconds(1));
    EXPECT_THAT(PodNames(), IsEmpty());
  });
}

TEST_F(ReplicaSetTest, SpreadsWhatItsOwnerHasOverNodesAcrossItsSets) {
  ReplicaSet old = Web(1);
  old.metadata.name = "old";
  old.spec.selector->matchLabels["app"] = old.spec.template_.metadata.labels["app"] = "old";
  ReplicaSet web = Web(2);
  for (ReplicaSet* const set : {&old, &web}) {
    meta::v1::OwnerReference& owner = set->metadata.ownerReferences.emplace_back();
    owner.apiVersion = "apps/v1";
    owner.kind = "Deployment";
    owner.name = "shop";
    owner.uid = "uid-of-shop";
    owner.controller = true;
    *set = Create(*set);
  }
  CreatePod("old-a", "old", old, "crowded");
  for (const char* const name : {"a", "b"}) {
    Run(CreatePod(std::string("web-") + name, "web", web, *name == 'a' ? "empty" : "crowded"));
  }
  PlayIt([&] {
    Pass(seconds(10));
    EXPECT_THAT(TakePodWrites(), IsEmpty());
    ScaleTo(1);
    Pass(seconds(1));
    EXPECT_THAT(TakePodWrites(), ElementsAre(std::string("DELETE ") + kPods + "/web-b"));
  });
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("replicaset_controller_sorting_deletion_age_ratio_count 1"));
}

TEST_F(ReplicaSetTest, ReplacesPodsThatEndOrAreToldToOrLoseTheirLabels) {
  PlayIt([&] {
    const ReplicaSet set = Create(Web(3));
    Pass(seconds(1));
    const std::vector<Pod> pods = Pods();
    TakeSent();

    Pod failed = pods[0];
    failed.status.phase = "Failed";
    Must(All<Pod>().UpdateStatus(failed));
    Pass(seconds(1));
    EXPECT_THAT(TakePodWrites(), ElementsAre(std::string("POST ") + kPods));

    EXPECT_TRUE(All<Pod>().Delete({"default", pods[1].metadata.name}));
    Pass(seconds(1));
    EXPECT_THAT(TakePodWrites(), ElementsAre(std::string("POST ") + kPods));

    SetLabel(pods[2].metadata.name, "other");
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_GE(sent.size(), 2);
    EXPECT_EQ(sent[0].request, std::string("PATCH ") + kPods + "/" + pods[2].metadata.name);
    EXPECT_EQ(sent[0].body, R"({"metadata":{"uid":")" + pods[2].metadata.uid +
                                R"(","ownerReferences":[{"$patch":"delete","uid":")" +
                                set.metadata.uid + R"("}]}})");
    EXPECT_EQ(sent[1].request, std::string("POST ") + kPods);
    EXPECT_EQ(Get().status.replicas, 3);
  });
}

TEST_F(ReplicaSetTest, CountsPodsThatAreOnTheirWayOut) {
  PlayIt([&] {
    const ReplicaSet set = Create(Web(1));
    Pass(seconds(1));
    EXPECT_TRUE(All<Pod>().Delete({"default", PodNames()[0]}));
    CreatePod("slow", "web", set, "node");
    Pass(seconds(1));
    EXPECT_TRUE(All<Pod>().Delete({"default", "slow"}));
    Pass(seconds(1));
    apps::v1::ReplicaSetStatus expected;
    expected.replicas = expected.fullyLabeledReplicas = 1;
    expected.terminatingReplicas = 1;
    expected.observedGeneration = 1;
    EXPECT_EQ(Get().status, expected);
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    EXPECT_TRUE(All<Pod>().Delete({"default", "slow"}, now));
    Pass(seconds(1));
    expected.terminatingReplicas = 0;
    EXPECT_EQ(Get().status, expected);
  });
}

TEST_F(ReplicaSetTest, SaysAtOnceThatAPodIsOnItsWayOut) {
  PlayIt([&] {
    const ReplicaSet set = Create(Web(1));
    Run(CreatePod("placed", "web", set, "node"));
    Pass(seconds(1));
    ScaleTo(0);
    TakeSent();
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 2);
    EXPECT_EQ(sent[0].request, std::string("DELETE ") + kPods + "/placed");
    const auto told = Must(api::DecodeJson<ReplicaSet>(sent[1].body)).status;
    EXPECT_EQ(told.replicas + told.readyReplicas + told.availableReplicas, 0);
    EXPECT_EQ(told.terminatingReplicas, 1);
  });
}

TEST_F(ReplicaSetTest, DoesNotTellOfPodsOnTheirWayOutWithoutTheFeature) {
  PlayIt(
      [&] {
        Create(Web(1));
        Pass(seconds(1));
        EXPECT_EQ(Get().status.terminatingReplicas, std::nullopt);
      },
      {.tell_terminating = false});
}

TEST_F(ReplicaSetTest, AdoptsPodsThatNobodyHasAndRemovesTheSurplus) {
  const Pod free = CreatePod("free", "web");
  CreatePod("stray", "other");
  PlayIt([&] {
    const ReplicaSet set = Create(Web(2));
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_GE(sent.size(), 2);
    EXPECT_EQ(sent[0].request, std::string("PATCH ") + kPods + "/free");
    EXPECT_EQ(sent[0].body,
              R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",)"
              R"("name":"web","uid":")" +
                  set.metadata.uid + R"(","controller":true,"blockOwnerDeletion":true}],"uid":")" +
                  free.metadata.uid + R"("}})");
    EXPECT_EQ(sent[1].request, std::string("POST ") + kPods);

    // One whose labels come to match is adopted too, and then there is one too many.
    SetLabel("stray", "web");
    Pass(seconds(1));
    EXPECT_THAT(TakePodWrites(),
                ElementsAre(std::string("PATCH ") + kPods + "/stray", StartsWith("DELETE ")));
    EXPECT_THAT(Pods(), SizeIs(2));
  });
}

TEST_F(ReplicaSetTest, ASetThatIsBeingDeletedOnlyTellsHowItStands) {
  PlayIt([&] {
    Create(Web(2));
    Pass(seconds(1));
    meta::v1::DeleteOptions foreground;
    foreground.propagationPolicy = "Foreground";
    EXPECT_TRUE(All<ReplicaSet>().Delete({"default", "web"}, foreground));
    Pass(seconds(1));
    TakeSent();
    EXPECT_TRUE(All<Pod>().Delete({"default", PodNames()[0]}));
    CreatePod("free", "web");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatus));
    EXPECT_EQ(Get().status.replicas, 1);
  });
}

TEST_F(ReplicaSetTest, AQuotaThatIsUsedUpCostsFewRequestsAndIsTold) {
  const auto refused =
      faults_.On(Requests::Creates().Of("pods"))
          .After(3)
          .Refuse(sandbox::Forbidden({"", "pods"}, "web-x", "exceeded quota: small"));
  const std::string why = R"(pods "web-x" is forbidden: exceeded quota: small)";
  PlayIt([&] {
    Create(Web(20));
    Pass(milliseconds(3));
    // One, two, and then four of which none got through.
    EXPECT_THAT(TakePodWrites(), SizeIs(7));
    std::vector<std::string> failures = events_.lines();
    std::erase_if(failures, [](const std::string& line) { return line.starts_with("Normal"); });
    EXPECT_THAT(failures, SizeIs(4));
    EXPECT_THAT(failures, Each("Warning FailedCreate: Error creating: " + why));
    const auto conditions = Get().status.conditions;
    ASSERT_THAT(conditions, SizeIs(1));
    EXPECT_EQ(conditions[0].type, "ReplicaFailure");
    EXPECT_EQ(conditions[0].status, "True");
    EXPECT_EQ(conditions[0].reason, "FailedCreate");
    EXPECT_EQ(conditions[0].message, why);

    // It tries again, one at a time and ever more rarely, until there is room.
    Pass(seconds(60));
    const std::size_t tries = TakePodWrites().size();
    EXPECT_GE(tries, 8);
    EXPECT_LE(tries, 20);
    EXPECT_EQ(Get().status.replicas, 3);
    EXPECT_EQ(Get().status.conditions, conditions);
    faults_.LiftAll();
    Pass(seconds(100));
    EXPECT_EQ(Get().status.replicas, 20);
    EXPECT_THAT(Get().status.conditions, IsEmpty());
  });
}

TEST_F(ReplicaSetTest, APodThatCannotBeDeletedIsToldAndTriedAgain) {
  PlayIt([&] {
    Create(Web(2));
    Pass(seconds(1));
    auto refused = faults_.On(Requests::Deletes().Of("pods"))
                       .Refuse(sandbox::Forbidden({"", "pods"}, "web-x", "not by you"));
    ScaleTo(0);
    Pass(milliseconds(3));
    EXPECT_EQ(events_.lines().back(),
              R"(Warning FailedDelete: Error deleting: pods "web-x" is forbidden: not by you)");
    ASSERT_THAT(Get().status.conditions, SizeIs(1));
    EXPECT_EQ(Get().status.conditions[0].reason, "FailedDelete");
    EXPECT_EQ(Get().status.conditions[0].message,
              R"(unable to delete pods: pods "web-x" is forbidden: not by you)");
    refused.Lift();
    Pass(seconds(10));
    EXPECT_THAT(Pods(), IsEmpty());
    EXPECT_THAT(Get().status.conditions, IsEmpty());
  });
}

TEST_F(ReplicaSetTest, APodThatIsGoneAlreadyIsAsGoodAsDeleted) {
  PlayIt([&] {
    Create(Web(1));
    Pass(seconds(1));
    faults_.On(Requests::Deletes().Of("pods")).Once().Interrupt([this](const auto&) {
      EXPECT_TRUE(All<Pod>().Delete({"default", PodNames()[0]}));
    });
    const std::size_t before = events_.lines().size();
    ScaleTo(0);
    Pass(seconds(1));
    EXPECT_THAT(events_.lines(), SizeIs(before));
    EXPECT_THAT(Get().status.conditions, IsEmpty());
    EXPECT_EQ(Get().status.replicas, 0);
  });
}

TEST_F(ReplicaSetTest, ANamespaceThatGoesIsNobodysFault) {
  PlayIt([&] {
    CreateNamespace("team");
    ReplicaSet set = Web(0);
    set.metadata.namespace_ = "team";
    set = Create(set);
    Pass(seconds(1));
    EXPECT_TRUE(All<core::v1::Namespace>().Delete({"", "team"}));
    TakeSent();
    set = Must(All<ReplicaSet>().Get({"team", "web"}));
    set.spec.replicas = 3;
    Must(All<ReplicaSet>().Update(set));
    Pass(seconds(29));
    const std::string attempt = "POST /api/v1/namespaces/team/pods";
    EXPECT_THAT(TakeRequests(),
                ElementsAre(attempt, "PUT /apis/apps/v1/namespaces/team/replicasets/web/status"));
    Pass(seconds(60));  // the server may not have known of a new namespace
    EXPECT_THAT(TakeRequests(), ElementsAre(attempt, attempt));
    EXPECT_THAT(events_.lines(), IsEmpty());
    EXPECT_THAT(Must(All<ReplicaSet>().Get({"team", "web"})).status.conditions, IsEmpty());
  });
}

TEST_F(ReplicaSetTest, ALostAnswerMakesNoPodTooMany) {
  const auto lost = faults_.On(Requests::Creates().Of("pods")).Every(2).Times(2).LoseAnswer();
  PlayIt([&] {
    Create(Web(4));
    Pass(seconds(200));
    EXPECT_THAT(Pods(), SizeIs(4));
    std::vector<std::string> writes = TakePodWrites();
    EXPECT_THAT(writes, SizeIs(4));
    EXPECT_THAT(writes, Each(std::string("POST ") + kPods));
    EXPECT_EQ(Get().status.replicas, 4);
    EXPECT_THAT(Get().status.conditions, IsEmpty());
  });
  EXPECT_EQ(lost.count(), 2);
}

TEST_F(ReplicaSetTest, ACacheThatIsBehindMakesNoPodTooManyNorTooFew) {
  PlayIt([&] {
    auto held = faults_.OnEvents(Requests::Watches().Of("pods")).Hold();
    Create(Web(3));
    Pass(seconds(5));
    ReplicaSet set = Get();
    set.metadata.annotations["touched"] = "yes";
    Must(All<ReplicaSet>().Update(set));
    Pass(seconds(5));
    EXPECT_THAT(Pods(), SizeIs(3));
    held.Lift();
    Pass(seconds(1));
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("replicaset_controller_stale_sync_skips_total{group=\"\","
                          "resource=\"pods\"} 1\n"));
    held = faults_.OnEvents(Requests::Watches().Of("pods")).Hold();
    ScaleTo(2);
    Pass(seconds(5));
    ScaleTo(1);
    Pass(seconds(5));
    EXPECT_THAT(Pods(), SizeIs(2));
    held.Lift();
    Pass(seconds(1));
    EXPECT_THAT(Pods(), SizeIs(1));
  });
}

TEST_F(ReplicaSetTest, AStatusThatSomebodyElseOvertakesIsWrittenOnceMore) {
  PlayIt([&] {
    faults_.On(Requests::Updates().Of("replicasets/status")).Once().Interrupt([this](const auto&) {
      ReplicaSet set = Get();
      set.metadata.annotations["touched"] = "yes";
      Must(All<ReplicaSet>().Update(set));
    });
    Create(Web(0));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatus, kStatus));
    EXPECT_EQ(Get().status.observedGeneration, 1);
    EXPECT_EQ(Get().metadata.annotations, (api::Map<std::string>{{"touched", "yes"}}));
  });
}

TEST_F(ReplicaSetTest, ASetThatTakesTheNameOfAnotherIsNotGivenItsStatus) {
  PlayIt([&] {
    Create(Web(1));
    Pass(seconds(1));
    faults_.On(Requests::Updates().Of("replicasets/status")).Once().Interrupt([this](const auto&) {
      EXPECT_TRUE(All<ReplicaSet>().Delete({"default", "web"}));
      ReplicaSet next = Web(0);
      next.spec.selector->matchLabels["app"] = next.spec.template_.metadata.labels["app"] = "next";
      Create(next);
    });
    Run(Pods()[0]);
    const auto statuses = [&] {
      std::vector<std::int32_t> ready;
      for (const Sent& sent : TakeSent()) {
        if (sent.request == kStatus) {
          ready.push_back(Must(api::DecodeJson<ReplicaSet>(sent.body)).status.readyReplicas);
        }
      }
      return ready;
    };
    Pass(seconds(10));
    // The first told of a pod that is not ready, then that it is, which was refused; the next has
    // none.
    EXPECT_THAT(statuses(), ElementsAre(0, 1, 0));
  });
}

TEST_F(ReplicaSetTest, OnlyPodsThatItControlsOrMightAdoptWakeIt) {
  const auto woken = [this] {
    const std::string text = metrics_.Text();
    const std::string name = "workqueue_adds_total{name=\"replicaset\"} ";
    const std::size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
  };
  PlayIt([&] {
    const ReplicaSet set = Create(Web(0));
    Pass(seconds(1));
    const int before = woken();
    ReplicaSet another = set;
    another.metadata.uid = "another";
    Run(CreatePod("theirs", "web", another));
    CreatePod("plain", "other");
    Pass(seconds(1));
    EXPECT_TRUE(All<Pod>().Delete({"default", "theirs"}));
    Pass(seconds(1));
    EXPECT_EQ(woken(), before);
    SetLabel("plain", "web");
    Pass(seconds(1));
    EXPECT_GT(woken(), before);
  });
}

}  // namespace
}  // namespace flyball::controllers::replica_set
