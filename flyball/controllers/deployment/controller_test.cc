#include "flyball/controllers/deployment/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/template_hash.h"
#include "flyball/base/stable_sort.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/deployment/annotations.h"
#include "flyball/controllers/deployment/conditions.h"
#include "flyball/controllers/deployment/revisions.h"
#include "flyball/controllers/deployment/rollout.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kCreateSet = "POST /apis/apps/v1/namespaces/default/replicasets";
const std::string kWriteStatus = "PUT /apis/apps/v1/namespaces/default/deployments/web/status";

class DeploymentControllerTest : public ControllerFixture {
 protected:
  std::unique_ptr<runtime::Controller> MakeController() {
    auto all = deps();
    all.events = events_.Maker();
    return Make(all, {});
  }
  void PlayIt(const std::function<void()>& test) { Play(MakeController(), test); }
  void Settle() { Pass(milliseconds(500)); }
  /// Times are kept in whole seconds: from one of them on they are exact.
  void ToWholeSecond() {
    Pass(seconds(1) - executor_.clock().WallNow().time_since_epoch() % seconds(1));
  }

  /// "default/web" of so many pods, which rolls one pod at a time.
  static Deployment Web(std::int32_t replicas, const std::string& image = "web:1") {
    Deployment deployment;
    deployment.metadata.namespace_ = "default";
    deployment.metadata.name = "web";
    deployment.spec.replicas = replicas;
    deployment.spec.selector.emplace().matchLabels["app"] = "web";
    deployment.spec.template_.metadata.labels["app"] = "web";
    core::v1::Container& container = deployment.spec.template_.spec.containers.emplace_back();
    container.name = "web";
    container.image = image;
    deployment.spec.strategy.type = kRollingUpdate;
    auto& rolling = deployment.spec.strategy.rollingUpdate.emplace();
    rolling.maxSurge = api::IntOrString(1);
    rolling.maxUnavailable = api::IntOrString(0);
    return deployment;
  }
  static Deployment Recreating(std::int32_t replicas) {
    Deployment deployment = Web(replicas);
    deployment.spec.strategy.type = kRecreate;
    deployment.spec.strategy.rollingUpdate.reset();
    return deployment;
  }

  template <typename T>
  static T Must(Result<T> result) {
    if (result) return *std::move(result);
    ADD_FAILURE() << result.error().Describe();
    return {};
  }
  Deployment Get() { return Must(All<Deployment>().Get({"default", "web"})); }
  void Change(const std::function<void(Deployment&)>& change) {
    Deployment deployment = Get();
    change(deployment);
    Must(All<Deployment>().Update(deployment));
  }
  void SetImage(const std::string& image) {
    Change([&](Deployment& its) { its.spec.template_.spec.containers[0].image = image; });
  }
  /// By revision.
  std::vector<ReplicaSet> Sets() {
    auto sets = Must(All<ReplicaSet>().ListIn("default")).items;
    StableSort(sets, {}, [](const ReplicaSet& set) { return RevisionOf(set).value_or(0); });
    return sets;
  }
  /// Each as "web:1 3", the image and the size.
  std::vector<std::string> Sizes() {
    std::vector<std::string> sizes;
    for (const ReplicaSet& set : Sets()) {
      sizes.push_back(set.spec.template_.spec.containers[0].image + " " +
                      std::to_string(*set.spec.replicas));
    }
    return sizes;
  }
  /// What the ReplicaSet controller and nodes would do: all pods that are wanted come and are
  /// available at once, up to so many, and others have gone.
  void RunPods(std::int32_t most_available = 1000) {
    for (ReplicaSet set : Sets()) {
      const apps::v1::ReplicaSetStatus before = set.status;
      set.status.replicas = *set.spec.replicas;
      set.status.readyReplicas = set.status.availableReplicas =
          std::min(*set.spec.replicas, most_available);
      set.status.terminatingReplicas = 0;
      set.status.observedGeneration = set.metadata.generation;
      if (set.status != before) Must(All<ReplicaSet>().UpdateStatus(set));
    }
  }
  /// Until there is nothing left to do.
  void RollOut() {
    for (int i = 0; i < 30; ++i) {
      RunPods();
      Settle();
    }
  }
  std::string ProgressReason() {
    const Deployment deployment = Get();
    const auto* const condition = FindCondition(deployment.status, kProgressing);
    return condition == nullptr ? "" : condition->reason;
  }
  static std::string Name(const Deployment& deployment) {
    return "web-" + api::PodTemplateHash(deployment.spec.template_);
  }
  /// The server refuses what a request's line begins with, so many times.
  void Refuse(const std::string& requests, int code, const std::string& reason,
              const std::string& message, const std::string& details, int times = 1000) {
    const std::string status =
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + message +
        R"(","reason":")" + reason + R"(","details":)" + details + R"(,"code":)" +
        std::to_string(code) + "}";
    answer_instead_ = [=, left = std::make_shared<int>(times)](
                          const transport::Request& request) -> std::optional<transport::Response> {
      if (!(request.method + " " + request.target).starts_with(requests)) return std::nullopt;
      if ((*left)-- <= 0) return std::nullopt;
      transport::Response response;
      response.status = code;
      response.headers = {{"content-type", "application/json"}};
      response.body = status;
      return response;
    };
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(DeploymentControllerTest, CreatesASetForANewDeploymentAndReportsOnIt) {
  PlayIt([&] {
    ToWholeSecond();
    const Deployment created = Must(All<Deployment>().Create(Web(3)));
    Settle();
    const std::string name = Name(created);
    const auto sent = TakeSent();
    ASSERT_THAT(sent, SizeIs(2));
    EXPECT_EQ(sent[0].request, kCreateSet);
    EXPECT_EQ(sent[1].request, kWriteStatus);
    const ReplicaSet set = Must(All<ReplicaSet>().Get({"default", name}));
    EXPECT_EQ(*set.spec.replicas, 3);
    EXPECT_EQ(set.metadata.ownerReferences, std::vector{common::ControllerRefTo(created)});

    const WallTime now = std::chrono::floor<seconds>(executor_.clock().WallNow());
    apps::v1::DeploymentStatus expected;
    expected.observedGeneration = 1;
    expected.unavailableReplicas = 3;
    expected.terminatingReplicas = 0;
    expected.conditions = {MakeCondition(kProgressing, "True", kSetCreated,
                                         "Created new replica set \"" + name + "\"", now),
                           MakeCondition(kAvailable, "False", "MinimumReplicasUnavailable",
                                         "Deployment does not have minimum availability.", now)};
    EXPECT_EQ(Get().status, expected);
    EXPECT_EQ(Get().metadata.annotations, (api::Map<std::string>{{std::string(kRevision), "1"}}));

    RollOut();
    const Deployment done = Get();
    EXPECT_EQ(done.status.replicas, 3);
    EXPECT_EQ(done.status.updatedReplicas, 3);
    EXPECT_EQ(done.status.availableReplicas, 3);
    EXPECT_EQ(done.status.unavailableReplicas, 0);
    EXPECT_EQ(done.status.terminatingReplicas, 0);
    ASSERT_THAT(done.status.conditions, SizeIs(2));
    EXPECT_EQ(done.status.conditions[0].type, kAvailable);
    EXPECT_EQ(done.status.conditions[1].message,
              "ReplicaSet \"" + name + "\" has successfully progressed.");
    EXPECT_THAT(events_.lines(), ElementsAre("Normal ScalingReplicaSet: Scaled up replica set " +
                                             name + " from 0 to 3"));
    TakeSent();
    Pass(std::chrono::hours(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(DeploymentControllerTest, RollsOnePodAtATime) {
  PlayIt([&] {
    const std::string old_name = Name(Must(All<Deployment>().Create(Web(3))));
    RollOut();
    SetImage("web:2");
    const std::string name = Name(Get());
    std::vector<std::vector<std::string>> steps;
    for (int i = 0; i < 30; ++i) {
      Settle();
      if (steps.empty() || steps.back() != Sizes()) steps.push_back(Sizes());
      RunPods();
    }
    EXPECT_THAT(steps,
                ElementsAre(ElementsAre("web:1 3", "web:2 1"),  //
                            ElementsAre("web:1 2", "web:2 2"), ElementsAre("web:1 1", "web:2 3"),
                            ElementsAre("web:1 0", "web:2 3")));
    const auto scaled = [](const std::string& set, const char* way, const char* from_to) {
      return std::string("Normal ScalingReplicaSet: Scaled ") + way + " replica set " + set + " " +
             from_to;
    };
    EXPECT_THAT(
        events_.lines(),
        ElementsAre(scaled(old_name, "up", "from 0 to 3"), scaled(name, "up", "from 0 to 1"),
                    scaled(old_name, "down", "from 3 to 2"), scaled(name, "up", "from 1 to 2"),
                    scaled(old_name, "down", "from 2 to 1"), scaled(name, "up", "from 2 to 3"),
                    scaled(old_name, "down", "from 1 to 0")));
    EXPECT_EQ(ProgressReason(), kSetAvailable);
    EXPECT_EQ(*Get().metadata.annotations.find(kRevision), "2");
  });
}

TEST_F(DeploymentControllerTest, GoesBackToAnOldSetWhenItsTemplateComesBack) {
  PlayIt([&] {
    Must(All<Deployment>().Create(Web(2)));
    RollOut();
    SetImage("web:2");
    RollOut();
    SetImage("web:1");
    RollOut();
    EXPECT_THAT(Sizes(), ElementsAre("web:2 0", "web:1 2"));
    const ReplicaSet back = Sets()[1];
    EXPECT_EQ(*back.metadata.annotations.find(kRevision), "3");
    EXPECT_EQ(*back.metadata.annotations.find(kRevisionHistory), "1");
    EXPECT_EQ(*Get().metadata.annotations.find(kRevision), "3");
  });
}

TEST_F(DeploymentControllerTest, RollsOutAfterAReplicaSetWithTheHighestRevisionThereIs) {
  PlayIt([&] {
    Must(All<Deployment>().Create(Web(2)));
    RollOut();
    ReplicaSet set = Sets()[0];
    set.metadata.annotations[kRevision] = "9223372036854775807";
    Must(All<ReplicaSet>().Update(set));
    RollOut();
    SetImage("web:2");
    RollOut();
    EXPECT_THAT(Sizes(), ElementsAre("web:2 2", "web:1 0"));
    EXPECT_EQ(Sets()[0].metadata.annotations.find(kRevision), nullptr);
    // As upstream: what the ReplicaSet says, and it says nothing.
    EXPECT_EQ(*Get().metadata.annotations.find(kRevision), "");
    EXPECT_EQ(ProgressReason(), kSetAvailable);
    SetImage("web:1");
    RollOut();
    EXPECT_THAT(Sizes(), ElementsAre("web:2 0", "web:1 2"));
    EXPECT_EQ(*Get().metadata.annotations.find(kRevision), "9223372036854775807");
  });
}

TEST_F(DeploymentControllerTest, RollsBackByTheOldAnnotation) {
  PlayIt([&] {
    Must(All<Deployment>().Create(Web(2)));
    RollOut();
    SetImage("web:2");
    RollOut();
    Change([](Deployment& its) { its.metadata.annotations[kRollBackTo] = "1"; });
    RollOut();
    EXPECT_THAT(Sizes(), ElementsAre("web:2 0", "web:1 2"));
    EXPECT_EQ(Get().metadata.annotations.find(kRollBackTo), nullptr);
    EXPECT_THAT(events_.lines(),
                testing::Contains(
                    "Normal DeploymentRollback: Rolled back deployment \"web\" to revision 1"));
  });
}

TEST_F(DeploymentControllerTest, SetsBeyondTheHistoryGo) {
  PlayIt([&] {
    Deployment deployment = Web(1);
    deployment.spec.revisionHistoryLimit = 1;
    Must(All<Deployment>().Create(deployment));
    RollOut();
    for (const char* const image : {"web:2", "web:3", "web:4"}) {
      SetImage(image);
      RollOut();
    }
    EXPECT_THAT(Sizes(), ElementsAre("web:3 0", "web:4 1"));
  });
}

TEST_F(DeploymentControllerTest, WhatIsPausedIsScaledButNotRolled) {
  PlayIt([&] {
    Must(All<Deployment>().Create(Web(2)));
    RollOut();
    Change([](Deployment& its) {
      its.spec.paused = true;
      its.spec.replicas = 5;
      its.spec.template_.spec.containers[0].image = "web:2";
    });
    RollOut();
    EXPECT_THAT(Sizes(), ElementsAre("web:1 5"));
    EXPECT_EQ(ProgressReason(), kPaused);
    Change([](Deployment& its) { its.spec.paused = false; });
    RollOut();
    EXPECT_THAT(Sizes(), ElementsAre("web:1 0", "web:2 5"));
    EXPECT_EQ(ProgressReason(), kSetAvailable);
  });
}

TEST_F(DeploymentControllerTest, ARolloutThatStandsStillIsReportedWhenItsTimeIsOver) {
  PlayIt([&] {
    ToWholeSecond();
    Deployment deployment = Web(3);
    deployment.spec.progressDeadlineSeconds = 60;
    Must(All<Deployment>().Create(deployment));
    Settle();
    RunPods(0);  // they come, which is progress, and none is available
    Pass(seconds(59));
    EXPECT_EQ(ProgressReason(), kSetUpdated);
    TakeSent();
    Pass(seconds(3));
    EXPECT_EQ(ProgressReason(), kTimedOut);
    EXPECT_THAT(TakeRequests(), ElementsAre(kWriteStatus));
    RollOut();
    EXPECT_EQ(ProgressReason(), kSetAvailable);
  });
}

TEST_F(DeploymentControllerTest, WhatRecreatesWaitsForTheLastPodToGo) {
  PlayIt([&] {
    Must(All<Deployment>().Create(Recreating(1)));
    RollOut();
    core::v1::ServiceAccount account;
    account.metadata.namespace_ = "default";
    account.metadata.name = "default";
    Must(All<core::v1::ServiceAccount>().Create(account));
    core::v1::Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = "web-pod";
    pod.metadata.labels["app"] = "web";
    pod.metadata.ownerReferences.push_back(common::ControllerRefTo(Sets().at(0)));
    pod.spec = Web(1).spec.template_.spec;
    Must(All<core::v1::Pod>().Create(pod));
    Settle();
    SetImage("web:2");
    RollOut();
    EXPECT_THAT(Sizes(), ElementsAre("web:1 0")) << "its set says that it is gone, but it is not";
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    ASSERT_TRUE(All<core::v1::Pod>().Delete({"default", "web-pod"}, now));
    Settle();
    EXPECT_THAT(Sizes(), ElementsAre("web:1 0", "web:2 1"));
  });
}

TEST_F(DeploymentControllerTest, ASetOfSomebodyElseThatHasTheNameMakesForAnother) {
  PlayIt([&] {
    ReplicaSet other;
    other.metadata.namespace_ = "default";
    other.metadata.name = Name(Web(1));
    other.metadata.labels["app"] = "other";
    other.spec.selector.emplace().matchLabels["app"] = "other";
    other.spec.template_ = Web(1).spec.template_;
    other.spec.template_.metadata.labels["app"] = "other";
    // The server's defaults are part of the hash.
    Deployment probe = Web(1);
    probe.spec.paused = true;
    const Deployment created = Must(All<Deployment>().Create(probe));
    other.metadata.name = Name(created);
    Must(All<ReplicaSet>().Create(other));
    Change([](Deployment& its) { its.spec.paused = false; });
    RollOut();
    EXPECT_EQ(Get().status.collisionCount, 1);
    const std::string name = "web-" + api::PodTemplateHash(created.spec.template_, 1);
    EXPECT_TRUE(All<ReplicaSet>().Get({"default", name}));
    EXPECT_EQ(ProgressReason(), kSetAvailable);
  });
}

TEST_F(DeploymentControllerTest, ASetThatCannotBeCreatedIsReportedAndTriedAgain) {
  PlayIt([&] {
    Refuse(kCreateSet, 403, "Forbidden", "exceeded quota", R"({"kind":"replicasets"})");
    const std::string name = Name(Must(All<Deployment>().Create(Web(1))));
    Settle();
    const std::string message = "Failed to create new replica set \"" + name + "\": exceeded quota";
    const Deployment refused = Get();
    ASSERT_THAT(refused.status.conditions, SizeIs(1));
    EXPECT_EQ(refused.status.conditions[0].status, "False");
    EXPECT_EQ(refused.status.conditions[0].reason, kSetCreateError);
    EXPECT_EQ(refused.status.conditions[0].message, message);
    EXPECT_THAT(events_.lines(), testing::Each("Warning ReplicaSetCreateError: " + message));
    const auto requests = TakeRequests();
    EXPECT_EQ(std::ranges::count(requests, kWriteStatus), 1);
    EXPECT_GT(std::ranges::count(requests, kCreateSet), 3);
    answer_instead_ = nullptr;
    RollOut();
    EXPECT_EQ(ProgressReason(), kSetAvailable);
  });
}

TEST_F(DeploymentControllerTest, ANamespaceThatGoesIsNotInsistedOn) {
  PlayIt([&] {
    Refuse(kCreateSet, 403, "Forbidden", "it is being terminated",
           R"({"causes":[{"reason":"NamespaceTerminating"}]})");
    Must(All<Deployment>().Create(Web(1)));
    Pass(seconds(60));
    EXPECT_THAT(TakeRequests(), ElementsAre(kCreateSet));
    EXPECT_THAT(events_.lines(), IsEmpty());
  });
}

TEST_F(DeploymentControllerTest, AdoptsSetsThatItSelectsAndReleasesThoseThatItDoesNot) {
  PlayIt([&] {
    ReplicaSet orphan;
    orphan.metadata.namespace_ = "default";
    orphan.metadata.name = "orphan";
    orphan.metadata.labels["app"] = "web";
    orphan.spec.replicas = 2;
    orphan.spec.selector.emplace().matchLabels["app"] = "web";
    orphan.spec.template_ = Web(1).spec.template_;
    Must(All<Deployment>().Create(Web(2, "web:2")));
    RollOut();
    Must(All<ReplicaSet>().Create(orphan));
    Settle();
    RollOut();
    const Deployment deployment = Get();
    ReplicaSet adopted = Must(All<ReplicaSet>().Get({"default", "orphan"}));
    EXPECT_EQ(adopted.metadata.ownerReferences, std::vector{common::ControllerRefTo(deployment)});
    EXPECT_EQ(*adopted.spec.replicas, 0) << "it is an old one";

    adopted.metadata.labels["app"] = "free";
    Must(All<ReplicaSet>().Update(adopted));
    Settle();
    EXPECT_THAT(Must(All<ReplicaSet>().Get({"default", "orphan"})).metadata.ownerReferences,
                IsEmpty());
  });
}

TEST_F(DeploymentControllerTest, AChangeAtTheWrongMomentIsNotOverwritten) {
  PlayIt([&] {
    Must(All<Deployment>().Create(Web(2)));
    RollOut();
    before_next_request_ = [&] {  // the one that creates the set for this template
      before_next_request_ = nullptr;
      SetImage("web:3");
    };
    SetImage("web:2");
    RollOut();
    EXPECT_THAT(Sizes(), ElementsAre("web:1 0", "web:2 0", "web:3 2"));
    EXPECT_EQ(ProgressReason(), kSetAvailable);
  });
}

TEST_F(DeploymentControllerTest, WhatAnotherManagerHasLeftAsItShouldBeIsNotTouched) {
  const auto next = MakeController();
  PlayIt([&] {
    Must(All<Deployment>().Create(Web(2)));
    RollOut();
    SetImage("web:2");
    RollOut();
    TakeSent();
    next->Start();  // it has been told of all of it
    Pass(seconds(60));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    ASSERT_TRUE(next->Stop(executor_.clock().SteadyNow() + seconds(1)));
  });
}

}  // namespace
}  // namespace flyball::controllers::deployment
