// namespace-controller on a real API server, with the rights of its own service account: all kinds
// there are, custom ones among them, and servers that do not answer.

#include <algorithm>
#include <string>
#include <vector>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/client/discovery.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/manager_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using api::Json;
using apiextensions::v1::CustomResourceDefinition;
using client::Resource;
using core::v1::ConfigMap;
using core::v1::Namespace;
using core::v1::Pod;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kFinalizer = "example.com/keep";
const Resource kApiServices{"apiregistration.k8s.io", "v1", "apiservices", "APIService", false};

/// A kind, and what an object of it has besides its metadata.
struct Kind {
  Resource resource;
  std::string rest;
};

std::vector<Kind> TwentyKinds() {
  const std::string pod = R"({"containers":[{"name":"c","image":"i"}]})";
  const std::string labelled = R"({"metadata":{"labels":{"a":"b"}},"spec":)" + pod + "}";
  const std::string workload =
      R"("spec":{"selector":{"matchLabels":{"a":"b"}},"template":)" + labelled + "}";
  const std::string job =
      R"({"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})";
  return {
      {{"", "v1", "configmaps", "ConfigMap"}, ""},
      {{"", "v1", "secrets", "Secret"}, ""},
      {{"", "v1", "serviceaccounts", "ServiceAccount"}, ""},
      {{"", "v1", "limitranges", "LimitRange"}, ""},
      {{"", "v1", "endpoints", "Endpoints"}, ""},
      {{"", "v1", "services", "Service"}, R"("spec":{"ports":[{"port":80}]})"},
      {{"", "v1", "pods", "Pod"}, R"("spec":)" + pod},
      {{"", "v1", "podtemplates", "PodTemplate"}, R"("template":)" + labelled},
      {{"", "v1", "replicationcontrollers", "ReplicationController"},
       R"("spec":{"selector":{"a":"b"},"template":)" + labelled + "}"},
      {{"apps", "v1", "deployments", "Deployment"}, workload},
      {{"apps", "v1", "replicasets", "ReplicaSet"}, workload},
      {{"apps", "v1", "daemonsets", "DaemonSet"}, workload},
      {{"apps", "v1", "statefulsets", "StatefulSet"}, workload},
      {{"apps", "v1", "controllerrevisions", "ControllerRevision"},
       R"("revision":1,"data":{"a":"b"})"},
      {{"batch", "v1", "jobs", "Job"}, R"("spec":)" + job},
      {{"batch", "v1", "cronjobs", "CronJob"},
       R"("spec":{"schedule":"* * * * *","jobTemplate":{"spec":)" + job + "}}"},
      {{"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy"},
       R"("spec":{"podSelector":{}})"},
      {{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"},
       R"("spec":{"selector":{"matchLabels":{"a":"b"}}})"},
      {{"rbac.authorization.k8s.io", "v1", "roles", "Role"}, ""},
      {{"coordination.k8s.io", "v1", "leases", "Lease"}, ""},
  };
}

class NamespaceDeletionTest : public ManagerTest {
 protected:
  void Create(const Kind& kind, const std::string& name,
              const std::vector<std::string>& finalizers = {}) const {
    Json object = Must(Json::Parse("{" + kind.rest + "}"));
    auto& members = *object.If<Json::Object>();
    members["apiVersion"] = kind.resource.ApiVersion();
    members["kind"] = kind.resource.kind;
    members["metadata"] =
        Json::Object{{"namespace", space_},
                     {"name", name},
                     {"finalizers", Json::Array(finalizers.begin(), finalizers.end())}};
    Must(admin().Dynamic(kind.resource).Create(object));
  }
  void RemoveFinalizers(const Resource& resource, const std::string& name) const {
    Must(admin().Dynamic(resource).Patch(
        {space_, name}, client::Patch::Merge(*Json::Parse(R"({"metadata":{"finalizers":null}})"))));
  }
  void DeleteNamespace() const { Must(All<Namespace>().Delete({"", space_})); }
  bool IsGone() const { return !Exists<Namespace>({"", space_}); }
  /// "True SomeResourcesRemain: ..."; empty if there is no such condition.
  std::string Condition(const std::string& type) const {
    const auto space = All<Namespace>().Get({"", space_});
    if (!space) return "gone";
    const auto found =
        std::ranges::find(space->status.conditions, type, &core::v1::NamespaceCondition::type);
    if (found == space->status.conditions.end()) return "";
    return found->status + " " + found->reason + ": " + found->message;
  }
  bool WaitForAccount() const {
    return Eventually([this] { return Exists<core::v1::ServiceAccount>({space_, "default"}); });
  }

  const std::string space_ = NewNamespace();
};

/// A kind whose objects may say anything.
CustomResourceDefinition Widgets() {
  CustomResourceDefinition definition;
  definition.metadata.name = "widgets.example.com";
  definition.spec.group = "example.com";
  definition.spec.scope = "Namespaced";
  definition.spec.names.plural = "widgets";
  definition.spec.names.kind = "Widget";
  auto& version = definition.spec.versions.emplace_back();
  version.name = "v1";
  version.served = version.storage = true;
  auto& schema = version.schema.emplace().openAPIV3Schema.emplace();
  schema.type = "object";
  schema.xKubernetesPreserveUnknownFields = true;
  return definition;
}

TEST_F(NamespaceDeletionTest, FiveHundredObjectsOfTwentyKindsAndCustomOnesGo) {
  StartManager();
  ASSERT_TRUE(WaitForAccount());
  const Kind widgets{{"example.com", "v1", "widgets", "Widget"}, ""};
  Must(All<CustomResourceDefinition>().Create(Widgets()));
  ASSERT_TRUE(
      Eventually([&] { return admin().Dynamic(widgets.resource).ListIn(space_).has_value(); }));
  for (const Kind& kind : TwentyKinds()) {
    for (int i = 0; i < 25; ++i) Create(kind, kind.resource.plural + "-" + std::to_string(i));
  }
  const Resource maps = Resource::Of<ConfigMap>();
  for (const char* const name : {"kept-1", "kept-2"}) {
    Create({maps, ""}, name, {kFinalizer});
    Create(widgets, name, {kFinalizer, "example.com/other"});
  }
  Create(widgets, "free");

  DeleteNamespace();
  const std::string waits =
      "True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource "
      "instances, widgets.example.com has 2 resource instances";
  EXPECT_TRUE(Eventually([&] { return Condition("NamespaceContentRemaining") == waits; }, 60s))
      << Condition("NamespaceContentRemaining");
  EXPECT_EQ(Condition("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
            "example.com/keep in 4 resource instances, example.com/other in 2 resource instances");
  EXPECT_EQ(Condition("NamespaceDeletionContentFailure"),
            "False ContentDeleted: "
            "All content successfully deleted, may be waiting on finalization");
  EXPECT_EQ(Condition("NamespaceDeletionDiscoveryFailure"),
            "False ResourcesDiscovered: All resources successfully discovered");
  EXPECT_EQ(Condition("NamespaceDeletionGroupVersionParsingFailure"),
            "False ParsedGroupVersions: All legacy kube types successfully parsed");

  for (const char* const name : {"kept-1", "kept-2"}) {
    RemoveFinalizers(maps, name);
    RemoveFinalizers(widgets.resource, name);
  }
  EXPECT_TRUE(Eventually([this] { return IsGone(); }, 60s));
  Must(All<CustomResourceDefinition>().Delete({"", "widgets.example.com"}));
}

TEST_F(NamespaceDeletionTest, PodsAreWaitedForBeforeTheRestGoes) {
  StartManager();
  ASSERT_TRUE(WaitForAccount());
  Create({Resource::Of<Pod>(), R"("spec":{"nodeName":"none","terminationGracePeriodSeconds":8,)"
                               R"("containers":[{"name":"c","image":"i"}]})"},
         "pod");
  Create({Resource::Of<ConfigMap>(), ""}, "map");
  DeleteNamespace();
  const auto ends = [this] {
    return Must(All<Pod>().Get({space_, "pod"})).metadata.deletionTimestamp.has_value();
  };
  ASSERT_TRUE(Eventually(ends));
  const std::string later = NewNamespace();  // goes by the same queue
  Must(All<core::v1::Namespace>().Delete({"", later}));
  ASSERT_TRUE(Eventually([&] { return !Exists<core::v1::Namespace>({"", later}); }));
  EXPECT_TRUE(Exists<ConfigMap>({space_, "map"}));
  meta::v1::DeleteOptions at_once;
  at_once.gracePeriodSeconds = 0;
  Must(All<Pod>().Delete({space_, "pod"}, at_once));
  EXPECT_TRUE(Eventually([this] { return IsGone(); }, 60s));
}

TEST_F(NamespaceDeletionTest, ADeadAggregatedServerElsewhereNeitherStopsNorHurriesIt) {
  StartManager();
  ASSERT_TRUE(WaitForAccount());
  Must(admin().Dynamic(kApiServices).Create(*Json::Parse(R"({
    "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
    "metadata": {"name": "v1.dead.example.com"},
    "spec": {"group": "dead.example.com", "version": "v1", "groupPriorityMinimum": 1000,
             "versionPriority": 10, "insecureSkipTLSVerify": true,
             "service": {"namespace": "default", "name": "nobody"}}})")));
  const auto is_known = [this] { return !Must(client::Discover(admin().rest())).unknown.empty(); };
  EXPECT_TRUE(Eventually(is_known, 60s));
  Create({Resource::Of<ConfigMap>(), ""}, "map");

  DeleteNamespace();
  EXPECT_TRUE(Eventually([this] { return !Exists<ConfigMap>({space_, "map"}); }));
  EXPECT_TRUE(Eventually([this] {
    return Condition("NamespaceDeletionDiscoveryFailure") ==
           "True DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve "
           "the complete list of server APIs: dead.example.com/v1: stale GroupVersion discovery: "
           "dead.example.com/v1";
  })) << Condition("NamespaceDeletionDiscoveryFailure");
  clock().SleepFor(3s);  // lint: allow sleep: no namespace goes meanwhile that could show it
  EXPECT_FALSE(IsGone());
  EXPECT_THAT(RequestsOf(real_plane().audit_log(),
                         "system:serviceaccount:kube-system:namespace-controller", space_),
              Each(Not(HasSubstr("finalize"))));

  Must(admin().Dynamic(kApiServices).Delete({"", "v1.dead.example.com"}));
  EXPECT_TRUE(Eventually([this] { return IsGone(); }, 120s));
}

}  // namespace
}  // namespace flyball::cluster
