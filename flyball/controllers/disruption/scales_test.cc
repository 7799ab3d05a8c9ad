#include "flyball/controllers/disruption/scales.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/undecodable_fake.h"
#include "flyball/controllers/disruption/internal/disruption_fixture.h"

/// How many pods there are to be, by those who control them.
namespace flyball::controllers::disruption {
namespace {

using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using apps::v1::StatefulSet;
using core::v1::ReplicationController;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

const client::Resource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                    "CustomResourceDefinition", false};
const client::Resource kWidgets{"example.com", "v1", "widgets", "Widget", true};
const std::string kScale =
    R"(,"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.size"})";

class DisruptionScalesTest : public DisruptionTest {
 protected:
  /// A kind of other people's.
  void DefineWidgets(const std::string& scale) {
    const std::string definition = R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
      "spec":{"group":"example.com","scope":"Namespaced",
        "names":{"plural":"widgets","kind":"Widget"},
        "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{})" +
                                   scale + R"(},
          "schema":{"openAPIV3Schema":{"type":"object","properties":{
            "spec":{"type":"object","properties":{"size":{"type":"integer"}}},
            "status":{"type":"object","properties":{"size":{"type":"integer"}}}}}}}]}})";
    Must(deps().client.Dynamic(kDefinitions).Create(*api::Json::Parse(definition)));
    TakeSent();
  }
  Owners CreateWidget(std::int32_t size) {
    Must(deps().client.Dynamic(kWidgets).Create(
        *api::Json::Parse(R"({"apiVersion":"example.com/v1","kind":"Widget",)"
                          R"("metadata":{"namespace":"team","name":"web"},"spec":{"size":)" +
                          std::to_string(size) + "}}")));
    TakeSent();
    return {ToWidget(Must(deps().client.Metadata(kWidgets).Get({"team", "web"})).metadata.uid)};
  }
  static meta::v1::OwnerReference ToWidget(const std::string& uid) {
    meta::v1::OwnerReference owner;
    owner.apiVersion = "example.com/v1";
    owner.kind = "Widget";
    owner.name = "web";
    owner.uid = uid;
    owner.controller = true;
    return owner;
  }
};

TEST_F(DisruptionScalesTest, APartOfWhatAReplicationControllerAsksFor) {
  PlayIt([&] {
    CreatePod("a", CreateSet<ReplicationController>("web", 4));
    CreateMinAvailable("50%");
    Settle();
    EXPECT_EQ(Status(), "1/2/4 0");
  });
}

TEST_F(DisruptionScalesTest, APartOfWhatAReplicaSetAsksFor) {
  PlayIt([&] {
    const Owners set = CreateSet<ReplicaSet>("web", 3);
    for (const char* const name : {"a", "b", "c"}) CreatePod(name, set);
    CreateMaxUnavailable("1");
    Settle();
    EXPECT_EQ(Status(), "3/2/3 1");
  });
}

TEST_F(DisruptionScalesTest, APartOfWhatADeploymentAsksForHoweverManySetsItHas) {
  PlayIt([&] {
    const Owners deployment = CreateSet<Deployment>("web", 5);
    CreatePod("a", CreateSet<ReplicaSet>("old", 2, deployment));
    CreatePod("b", CreateSet<ReplicaSet>("new", 4, deployment));
    CreateMaxUnavailable("20%");
    Settle();
    EXPECT_EQ(Status(), "2/4/5 0");
  });
}

TEST_F(DisruptionScalesTest, APartOfWhatAStatefulSetAsksFor) {
  PlayIt([&] {
    CreatePod("web-0", CreateSet<StatefulSet>("web", 3));
    CreateMaxUnavailable("70%");
    Settle();
    EXPECT_EQ(Status(), "1/0/3 1");
  });
}

TEST_F(DisruptionScalesTest, APartOfWhatAllAskForTogether) {
  PlayIt([&] {
    CreatePod("a", CreateSet<ReplicaSet>("one", 3));
    CreatePod("b", CreateSet<StatefulSet>("two", 4));
    CreateMinAvailable("100%");
    Settle();
    EXPECT_EQ(Status(), "2/7/7 0");
  });
}

TEST_F(DisruptionScalesTest, ASetWhoseDeploymentIsGoneIsAskedItself) {
  PlayIt([&] {
    Owners deployment = CreateSet<Deployment>("web", 5);
    deployment.front().uid = "of one that was there before";
    CreatePod("a", CreateSet<ReplicaSet>("web", 2, deployment));
    CreateMaxUnavailable("0");
    Settle();
    EXPECT_EQ(Status(), "1/2/2 0");
  });
}

TEST_F(DisruptionScalesTest, APartOfWhatACustomKindAsksFor) {
  PlayIt([&] {
    DefineWidgets(kScale);
    CreatePod("a", CreateWidget(4));
    CreateMinAvailable("25%");
    Settle();
    EXPECT_EQ(Status(), "1/1/4 0");
    EXPECT_THAT(TakeRequests(), ElementsAre(kWriteStatus));
  });
}

TEST_F(DisruptionScalesTest, PodsThatNobodyControlsAreNotCountedAndToldOf) {
  PlayIt([&] {
    CreatePod("a");
    CreatePod("b", CreateSet<ReplicaSet>("web", 1));
    CreateMaxUnavailable("1");
    Settle();
    EXPECT_EQ(Status(), "2/0/1 2");
    TakeSent();
    Pass(minutes(10));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
  EXPECT_THAT(
      events_.lines(),
      Contains("Warning UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: "
               "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]"
               "LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the "
               "status of the PDB cannot be calculated correctly, which may result in "
               "undefined behavior. To account for these pods please set "
               "\".spec.minAvailable\" field of the PDB to an integer value."));
}

// Where nobody can tell.

TEST_F(DisruptionScalesTest, AKindWithoutAScaleLetsNoneGoAndIsNotTriedOverAndOver) {
  PlayIt([&] {
    DaemonSet set;
    set.metadata.namespace_ = "team";
    set.metadata.name = "web";
    set.spec.selector.emplace().matchLabels = {{"app", "web"}};
    FillTemplate(set.spec.template_);
    CreatePod("a", {common::ControllerRefTo(Must(All<DaemonSet>().Create(set)))});
    CreateMaxUnavailable("1");
    Pass(minutes(10));
    EXPECT_EQ(Status(), "0/0/0 0 daemonsets.apps does not implement the scale subresource");
    const auto condition = Get().status.conditions.front();
    EXPECT_EQ(condition.type, "DisruptionAllowed");
    EXPECT_EQ(condition.status, "False");
    EXPECT_EQ(condition.reason, "SyncFailed");
    EXPECT_EQ(condition.observedGeneration, 0) << "of what it has seen, that is nothing";
    EXPECT_EQ(Get().status.observedGeneration, 0);
    EXPECT_THAT(TakeRequests(), ElementsAre(kWriteStatus));
    EXPECT_THAT(events_.lines(),
                Contains("Warning CalculateExpectedPodCountFailed: Failed to calculate the number "
                         "of expected pods: daemonsets.apps does not implement the scale "
                         "subresource"));
    EXPECT_LT(events_.lines().size(), 5);
  });
}

TEST_F(DisruptionScalesTest, ANumberOfPodsNeedsNoScale) {
  PlayIt([&] {
    CreatePod("a", {ToWidget("of nothing")});
    CreateMinAvailable("0");
    Settle();
    EXPECT_EQ(Status(), "1/0/1 1");
  });
}

TEST_F(DisruptionScalesTest, AKindThatNobodyKnowsLetsNoneGoUntilItIsThere) {
  PlayIt([&] {
    CreatePod("a", {ToWidget("of nothing")});
    CreateMinAvailable("50%");
    Settle();
    EXPECT_EQ(Status(), R"(0/0/0 0 no matches for kind "Widget" in version "example.com/v1")");
    DefineWidgets("");
    DeletePod("a");
    Pass(seconds(2));
    CreatePod("b", CreateWidget(2));
    Settle();
    EXPECT_EQ(Status(), "0/0/0 0 widgets.example.com does not implement the scale subresource");
  });
}

TEST_F(DisruptionScalesTest, AnOwnerThatIsGoneLetsNoneGo) {
  PlayIt([&] {
    DefineWidgets(kScale);
    CreatePod("gone", {ToWidget("of nothing")});
    CreateMinAvailable("50%");
    Settle();
    EXPECT_EQ(Status(), R"(0/0/0 0 found no controllers for pod "gone")");
    // There is one of that name, but it is another.
    CreateWidget(3);
    SetReady("gone", false);
    Settle();
    EXPECT_EQ(Status(), R"(0/0/0 0 found no controllers for pod "gone")");
  });
}

TEST_F(DisruptionScalesTest, AServerThatDoesNotAnswerIsAskedAgain) {
  PlayIt([&] {
    DefineWidgets(kScale);
    const Owners widget = CreateWidget(2);
    int refused = 0;
    answer_instead_ = [&](const transport::Request& request) -> std::optional<transport::Response> {
      if (!request.target.ends_with("/scale") || ++refused > 3) return std::nullopt;
      return transport::Response{{500, {}}, ""};
    };
    CreatePod("a", widget);
    CreateMaxUnavailable("1");
    Pass(seconds(10));
    EXPECT_EQ(Status(), "1/1/2 0");
    EXPECT_EQ(Get().status.conditions.front().reason, "InsufficientPods");
    EXPECT_THAT(events_.lines(),
                Contains(StartsWith("Warning CalculateExpectedPodCountFailed: Failed to calculate "
                                    "the number of expected pods: ")));
  });
}

TEST_F(DisruptionScalesTest, RecoversWhenAllIsWellAgain) {
  PlayIt([&] {
    CreatePod("a", {ToWidget("of nothing")});
    CreatePod("b", CreateSet<ReplicaSet>("web", 2));
    CreateMaxUnavailable("1");
    Settle();
    EXPECT_THAT(Status(), StartsWith("0/0/0 0 no matches"));
    DeletePod("a");
    Settle();
    EXPECT_EQ(Status(), "1/1/2 0");
    EXPECT_EQ(Get().status.conditions.front().message, "");
  });
}

TEST_F(DisruptionScalesTest, TheServerIsAskedForTheScaleOfASetThatCannotBeDecoded) {
  faults_.OnEvents(sandbox::Requests::Watches().Of("replicasets")).Rewrite(Garble);
  PlayIt([&] {
    ReplicaSet set = MakeSet<ReplicaSet>("web", 10, {});
    set.spec.template_.spec.containers[0].image = kUndecodable;
    const Owners owners = {common::ControllerRefTo(Must(All<ReplicaSet>().Create(set)))};
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) CreatePod(name, owners);
    CreateMinAvailable("50%");
    Settle();
    EXPECT_EQ(Status(), "6/5/10 1");
  });
}

}  // namespace
}  // namespace flyball::controllers::disruption
