#include "flyball/controllers/namespace_deletion/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "flyball/api/apps/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"

namespace flyball::controllers::namespace_deletion {
namespace {

using core::v1::ConfigMap;
using core::v1::Namespace;
using core::v1::NamespaceCondition;
using core::v1::Pod;
using core::v1::Secret;
using core::v1::ServiceAccount;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class NamespaceDeletionTest : public ControllerFixture {
 protected:
  NamespaceDeletionTest() { CreateNamespace("team"); }

  template <typename T>
  T Create(const std::string& name, const std::vector<std::string>& finalizers = {}) {
    T object;
    object.metadata.namespace_ = "team";
    object.metadata.name = name;
    object.metadata.finalizers = finalizers;
    auto created = All<T>().Create(object);
    EXPECT_TRUE(created) << created.error().Describe();
    return created ? *std::move(created) : T();
  }
  /// A pod on a node, which takes its time to go until the node says that it is gone.
  void CreatePod(const std::string& name, std::int64_t grace) {
    Create<ServiceAccount>("default");
    Pod pod;
    pod.metadata.namespace_ = "team";
    pod.metadata.name = name;
    pod.spec.nodeName = "node";
    pod.spec.terminationGracePeriodSeconds = grace;
    core::v1::Container& container = pod.spec.containers.emplace_back();
    container.name = "c";
    container.image = "image";
    const auto created = All<Pod>().Create(pod);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  /// As the kubelet deletes it at the end.
  void EndPod(const std::string& name) {
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    EXPECT_TRUE(All<Pod>().Delete({"team", name}, now));
  }
  template <typename T>
  void RemoveFinalizers(const std::string& name) {
    T object = *All<T>().Get({"team", name});
    object.metadata.finalizers.clear();
    EXPECT_TRUE(All<T>().Update(object));
  }
  void DeleteNamespace() { EXPECT_TRUE(All<Namespace>().Delete({"", "team"})); }
  bool IsGone() { return !All<Namespace>().Get({"", "team"}); }
  /// "True SomeResourcesRemain: ...".
  std::string Condition(const std::string& type) {
    const Namespace space = *All<Namespace>().Get({"", "team"});
    const auto found = std::ranges::find(space.status.conditions, type, &NamespaceCondition::type);
    if (found == space.status.conditions.end()) return "";
    return found->status + " " + found->reason + ": " + found->message;
  }
};

TEST_F(NamespaceDeletionTest, ANamespaceIsEmptiedAndGoes) {
  Create<ConfigMap>("map");
  Create<Secret>("secret");
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(4));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Pass(seconds(2));
    EXPECT_TRUE(IsGone());
    EXPECT_THAT(TakeRequests(), ElementsAre("DELETE /api/v1/namespaces/team/configmaps",
                                            "DELETE /api/v1/namespaces/team/secrets",
                                            "PUT /api/v1/namespaces/team/status",
                                            "PUT /api/v1/namespaces/team/finalize"));
  });
}

TEST_F(NamespaceDeletionTest, NamespacesThatLiveAreLeftAlone) {
  Create<ConfigMap>("map");
  Play(Make(deps(), {}), [&] {
    Pass(seconds(1000));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(NamespaceDeletionTest, DeletesInTheBackground) {
  Create<ConfigMap>("map");
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(6));
    EXPECT_EQ(TakeSent()[0].body, R"({"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1",)"
                                  R"("propagationPolicy":"Background"})");
  });
}

TEST_F(NamespaceDeletionTest, PodsGoFirstAndTheRestWaitsForThem) {
  CreatePod("pod", 30);
  Create<ConfigMap>("map");
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(6));
    EXPECT_THAT(TakeRequests(), ElementsAre("DELETE /api/v1/namespaces/team/pods",
                                            "PUT /api/v1/namespaces/team/status"));
    EXPECT_TRUE(All<Pod>().Get({"team", "pod"})->metadata.deletionTimestamp);
    EXPECT_EQ(Condition("NamespaceDeletionContentFailure"),
              "False ContentDeleted: "
              "All content successfully deleted, may be waiting on finalization");
    EXPECT_EQ(Condition("NamespaceContentRemaining"),
              "False ContentRemoved: All content successfully removed");
    Pass(seconds(10));
    EXPECT_TRUE(All<ConfigMap>().Get({"team", "map"}));
    EndPod("pod");
    // Half of the grace, and a second more.
    Pass(seconds(16));
    EXPECT_TRUE(IsGone());
  });
}

TEST_F(NamespaceDeletionTest, APodThatOutstaysItsGraceIsAFailure) {
  CreatePod("pod", 10);
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(60));
    EXPECT_EQ(Condition("NamespaceDeletionContentFailure"),
              "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: "
              "unexpected items still remain in namespace: team for gvr: /v1, Resource=pods");
    EXPECT_FALSE(IsGone());
    EndPod("pod");
    Pass(seconds(60));
    EXPECT_TRUE(IsGone());
  });
}

TEST_F(NamespaceDeletionTest, SaysWhatItWaitsForUntilFinalizersGo) {
  Create<ConfigMap>("kept", {"example.com/a", "example.com/b"});
  Create<ConfigMap>("kept-too", {"example.com/a"});
  Create<ConfigMap>("free");
  Create<Secret>("kept", {"example.com/b"});
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(6));
    EXPECT_EQ(Condition("NamespaceContentRemaining"),
              "True SomeResourcesRemain: Some resources are remaining: "
              "configmaps. has 2 resource instances, secrets. has 1 resource instances");
    EXPECT_EQ(Condition("NamespaceFinalizersRemaining"),
              "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
              "example.com/a in 2 resource instances, example.com/b in 2 resource instances");
    EXPECT_FALSE(All<ConfigMap>().Get({"team", "free"}));

    RemoveFinalizers<ConfigMap>("kept");
    RemoveFinalizers<ConfigMap>("kept-too");
    Pass(seconds(20));
    EXPECT_EQ(Condition("NamespaceContentRemaining"),
              "True SomeResourcesRemain: Some resources are remaining: "
              "secrets. has 1 resource instances");
    Pass(seconds(600));
    EXPECT_FALSE(IsGone());
    RemoveFinalizers<Secret>("kept");
    Pass(seconds(20));
    EXPECT_TRUE(IsGone());
  });
}

TEST_F(NamespaceDeletionTest, WhatWasDeletedBeforeItStartedGoesToo) {
  Create<ConfigMap>("map");
  DeleteNamespace();
  Play(Make(deps(), {}), [&] {
    Pass(seconds(6));
    EXPECT_TRUE(IsGone());
  });
}

TEST_F(NamespaceDeletionTest, OthersFinalizersOnTheNamespaceStay) {
  Namespace space = *All<Namespace>().Get({"", "team"});
  space.spec.finalizers = {"kubernetes", "example.com/theirs"};
  EXPECT_TRUE(All<Namespace>().UpdatePart({"", "team"}, "finalize", space));
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(600));
    EXPECT_THAT(All<Namespace>().Get({"", "team"})->spec.finalizers,
                ElementsAre("example.com/theirs"));
    EXPECT_EQ(Condition("NamespaceContentRemaining"),
              "False ContentRemoved: All content successfully removed");
  });
}

TEST_F(NamespaceDeletionTest, FinalizesAgainWhenAnotherWroteMeanwhile) {
  Play(Make(deps(), {}), [&] {
    answer_instead_ = [this](const transport::Request& request) {
      if (request.target.ends_with("/finalize")) {
        answer_instead_ = nullptr;
        Namespace space = *All<Namespace>().Get({"", "team"});
        space.metadata.labels["meanwhile"] = "yes";
        EXPECT_TRUE(All<Namespace>().Update(space));
      }
      return std::nullopt;
    };
    DeleteNamespace();
    Pass(seconds(6));
    EXPECT_TRUE(IsGone());
    EXPECT_THAT(TakeRequests(), ElementsAre("PUT /api/v1/namespaces/team/status",
                                            "PUT /api/v1/namespaces/team/finalize",
                                            "PUT /api/v1/namespaces/team/finalize"));
  });
}

/// Discovery, with a group whose server is down.
std::optional<transport::Response> WithDeadGroup(const transport::Request& request) {
  if (request.target != "/apis") return std::nullopt;
  return transport::Response{
      {200,
       {{"content-type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}}},
      R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[)"
      R"({"metadata":{"name":"dead.example.com"},"versions":[)"
      R"({"version":"v1","freshness":"Stale"}]}]})"};
}

TEST_F(NamespaceDeletionTest, AGroupThatCannotBeAskedAboutNeitherStopsNorHurriesIt) {
  Create<ConfigMap>("map");
  answer_instead_ = WithDeadGroup;
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(600));
    EXPECT_FALSE(All<ConfigMap>().Get({"team", "map"}));
    EXPECT_FALSE(IsGone());
    EXPECT_EQ(Condition("NamespaceDeletionDiscoveryFailure"),
              "True DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to "
              "retrieve the complete list of server APIs: dead.example.com/v1: "
              "stale GroupVersion discovery: dead.example.com/v1");
    EXPECT_THAT(TakeRequests(), Not(Contains(HasSubstr("finalize"))));
    answer_instead_ = nullptr;
    Pass(seconds(61));
    EXPECT_TRUE(IsGone());
  });
}

TEST_F(NamespaceDeletionTest, NoDiscoveryAtAllMeansNoFinalizing) {
  answer_instead_ = [](const transport::Request& request) -> std::optional<transport::Response> {
    if (request.target != "/api") return std::nullopt;
    return transport::Response{{403, {}}, "no"};
  };
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(600));
    EXPECT_FALSE(IsGone());
    EXPECT_THAT(Condition("NamespaceDeletionDiscoveryFailure"), HasSubstr("True DiscoveryFailed"));
  });
}

TEST_F(NamespaceDeletionTest, AResourceThatFailsDoesNotKeepTheOthers) {
  Create<ConfigMap>("map");
  Create<Secret>("secret");
  answer_instead_ = [](const transport::Request& request) -> std::optional<transport::Response> {
    if (request.method != "DELETE" || !request.target.contains("configmaps")) return std::nullopt;
    return transport::Response{
        {500, {{"content-type", "application/json"}}},
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"it is full",)"
        R"("reason":"InternalError","code":500})"};
  };
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(10));
    EXPECT_FALSE(All<Secret>().Get({"team", "secret"}));
    EXPECT_EQ(Condition("NamespaceDeletionContentFailure"),
              "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: "
              "it is full");
    EXPECT_THAT(TakeRequests(), AllOf(Contains("DELETE /api/v1/namespaces/team/configmaps"),
                                      Not(Contains(HasSubstr("finalize")))));
    answer_instead_ = nullptr;
    Pass(seconds(60));
    EXPECT_TRUE(IsGone());
  });
}

TEST_F(NamespaceDeletionTest, WhatHasNoDeleteCollectionIsDeletedOneByOne) {
  Create<ConfigMap>("one");
  Create<ConfigMap>("two");
  answer_instead_ = [](const transport::Request& request) -> std::optional<transport::Response> {
    if (request.method != "DELETE" || !request.target.ends_with("configmaps")) return std::nullopt;
    return transport::Response{
        {405, {{"content-type", "application/json"}}},
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"MethodNotAllowed",)"
        R"("message":"the server does not allow this method on the requested resource"})"};
  };
  Play(Make(deps(), {}), [&] {
    DeleteNamespace();
    Pass(seconds(6));
    EXPECT_TRUE(IsGone());
    EXPECT_THAT(TakeRequests(), ElementsAre("DELETE /api/v1/namespaces/team/configmaps",
                                            "DELETE /api/v1/namespaces/team/configmaps/one",
                                            "DELETE /api/v1/namespaces/team/configmaps/two",
                                            "PUT /api/v1/namespaces/team/status",
                                            "PUT /api/v1/namespaces/team/finalize"));
  });
}

}  // namespace
}  // namespace flyball::controllers::namespace_deletion
