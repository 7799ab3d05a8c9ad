#include <chrono>

#include "flyball/api/time.h"
#include "flyball/sandbox/internal/server_fixture.h"
#include "gmock/gmock.h"

namespace flyball::sandbox {
namespace {

using testing::StartsWith;

constexpr const char* kPods = "namespaces/default/pods";

class PodTest : public ServerFixture {
 protected:
  void AddAccount() {
    Post("namespaces/default/serviceaccounts", R"({"metadata":{"name":"default"}})");
  }
  Response AddPod(const std::string& more = "") {
    return Post(kPods, R"({"metadata":{"name":"web","labels":{"app":"web"}},"spec":{)" + more +
                           R"("containers":[{"name":"c","image":"web:1"}]}})");
  }
  Response Bind() {
    return Post("namespaces/default/pods/web/binding",
                R"({"metadata":{"name":"web"},"target":{"kind":"Node","name":"n1"}})");
  }
  void Run() {
    MergePatch("namespaces/default/pods/web/status",
               R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  }
};

TEST_F(PodTest, NeedsItsServiceAccount) {
  const auto refused = AddPod();
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.At("message"),
            "pods \"web\" is forbidden: error looking up service account default/default: "
            "serviceaccount \"default\" not found");
}

TEST_F(PodTest, GetsWhatAdmissionGivesIt) {
  AddAccount();
  const auto pod = AddPod();
  ASSERT_EQ(pod.status, 201) << pod.body.ToString();
  EXPECT_EQ(pod.At("status"), R"({"phase":"Pending","qosClass":"BestEffort"})");
  EXPECT_EQ(pod.At("metadata.generation"), "1");
  EXPECT_EQ(pod.At("spec.serviceAccountName"), "default");
  EXPECT_EQ(pod.At("spec.serviceAccount"), "default");
  EXPECT_EQ(pod.At("spec.priority"), "0");
  EXPECT_EQ(pod.At("spec.preemptionPolicy"), "PreemptLowerPriority");
  EXPECT_EQ(pod.At("spec.tolerations"),
            R"([{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists",)"
            R"("tolerationSeconds":300},{"effect":"NoExecute",)"
            R"("key":"node.kubernetes.io/unreachable","operator":"Exists",)"
            R"("tolerationSeconds":300}])");
  const std::string volume =
      (*pod.body.Find("spec")->Find("volumes")->If<api::Json::Array>())[0].Find("name")->ToString();
  EXPECT_THAT(volume, StartsWith("\"kube-api-access-"));
  EXPECT_EQ((*pod.body.Find("spec")->Find("containers")->If<api::Json::Array>())[0]
                .Find("volumeMounts")
                ->ToString(),
            R"([{"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","name":)" + volume +
                R"(,"readOnly":true}])");
}

TEST_F(PodTest, IsBoundToOneNodeOnce) {
  AddAccount();
  AddPod();
  const auto bound = Bind();
  EXPECT_EQ(bound.status, 201);
  EXPECT_EQ(bound.At("status"), "Success");
  const auto pod = Get("namespaces/default/pods/web");
  EXPECT_EQ(pod.At("spec.nodeName"), "n1");
  EXPECT_EQ(pod.At("metadata.generation"), "1");
  const auto again = Bind();
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.At("message"),
            "Operation cannot be fulfilled on pods/binding \"web\": pod web is already assigned to "
            "node \"n1\"");
}

TEST_F(PodTest, WaitsForItsNodeToLetItGo) {
  AddAccount();
  AddPod();
  Bind();
  const auto deleted = Ask("DELETE", "namespaces/default/pods/web");
  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(deleted.At("metadata.deletionGracePeriodSeconds"), "30");
  EXPECT_EQ(deleted.At("metadata.generation"), "2");
  EXPECT_EQ(Get("namespaces/default/pods/web").status, 200);
  EXPECT_EQ(Ask("DELETE", "namespaces/default/pods/web?gracePeriodSeconds=0").status, 200);
  EXPECT_EQ(Get("namespaces/default/pods/web").status, 404);
}

TEST_F(PodTest, MayHaveALongerGraceThanThereIsTime) {
  AddAccount();
  AddPod();
  Bind();
  const auto deleted =
      Ask("DELETE", "namespaces/default/pods/web?gracePeriodSeconds=9223372036854775807");
  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(deleted.At("metadata.deletionGracePeriodSeconds"), "9223372036854775807");
  const auto end = api::Time::Parse(deleted.At("metadata.deletionTimestamp"));
  const auto start = api::Time::Parse(deleted.At("metadata.creationTimestamp"));
  EXPECT_GT(*end - *start, std::chrono::years(292));
  const auto hurried = Ask("DELETE", "namespaces/default/pods/web?gracePeriodSeconds=30");
  EXPECT_EQ(hurried.At("metadata.deletionGracePeriodSeconds"), "30");
  EXPECT_LT(*api::Time::Parse(hurried.At("metadata.deletionTimestamp")) - *start,
            std::chrono::hours(1));
}

TEST_F(PodTest, GoesAtOnceWithoutANode) {
  AddAccount();
  AddPod();
  EXPECT_EQ(Ask("DELETE", "namespaces/default/pods/web").status, 200);
  EXPECT_EQ(Get("namespaces/default/pods/web").status, 404);
}

TEST_F(PodTest, ChangesItsImagesAndLittleElse) {
  AddAccount();
  AddPod();
  const auto image = Ask("PATCH", "namespaces/default/pods/web",
                         R"({"spec":{"containers":[{"name":"c","image":"web:2"}]}})",
                         "application/strategic-merge-patch+json");
  EXPECT_EQ(image.status, 200) << image.body.ToString();
  EXPECT_EQ(image.At("metadata.generation"), "2");
  const auto other = MergePatch("namespaces/default/pods/web", R"({"spec":{"hostname":"x"}})");
  EXPECT_EQ(other.status, 422);
  EXPECT_THAT(other.At("message"),
              StartsWith("Pod \"web\" is invalid: spec: Forbidden: pod updates may not change "
                         "fields other than `spec.containers[*].image`,"));
}

TEST_F(PodTest, KeepsOwnersAndQosClassFromItsStatus) {
  AddAccount();
  AddPod();
  const auto changed = MergePatch(
      "namespaces/default/pods/web/status",
      R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","uid":"1"}]},)"
      R"("status":{"phase":"Running","qosClass":null}})");
  EXPECT_EQ(changed.status, 200) << changed.body.ToString();
  EXPECT_EQ(changed.At("metadata.ownerReferences"), "");
  EXPECT_EQ(changed.At("status"), R"({"phase":"Running","qosClass":"BestEffort"})");
}

TEST_F(PodTest, IsEvictedAsFarAsItsBudgetAllows) {
  AddAccount();
  AddPod();
  Bind();
  Run();
  const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  Post(budgets, R"({"metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"app":"web"}},)"
                R"("minAvailable":1}})");
  const std::string eviction = R"({"metadata":{"name":"web"}})";
  const auto early = Post("namespaces/default/pods/web/eviction", eviction);
  EXPECT_EQ(early.status, 429);
  EXPECT_EQ(early.At("details"),
            R"({"causes":[{"message":"The disruption budget b is still being processed by the )"
            R"(server.","reason":"DisruptionBudget"}],"retryAfterSeconds":10})");

  MergePatch(budgets + "/b/status",
             R"({"status":{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,)"
             R"("desiredHealthy":1,"expectedPods":1}})");
  const auto refused = Post("namespaces/default/pods/web/eviction", eviction);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.At("details.causes"),
            R"([{"message":"The disruption budget b needs 1 healthy pods and has 1 currently",)"
            R"("reason":"DisruptionBudget"}])");

  MergePatch(budgets + "/b/status", R"({"status":{"disruptionsAllowed":1}})");
  const auto evicted = Post("namespaces/default/pods/web/eviction", eviction);
  EXPECT_EQ(evicted.status, 201) << evicted.body.ToString();
  const auto budget = Get(budgets + "/b");
  EXPECT_EQ(budget.At("status.disruptionsAllowed"), "0");
  EXPECT_NE(budget.At("status.disruptedPods.web"), "");
  const auto pod = Get("namespaces/default/pods/web");
  EXPECT_NE(pod.At("metadata.deletionTimestamp"), "");
  EXPECT_THAT(pod.At("status.conditions"), testing::HasSubstr("EvictionByEvictionAPI"));
}

TEST_F(PodTest, IsRefusedWithAllThatIsWrongWithIt) {
  AddAccount();
  const auto refused =
      Post(kPods, R"({"metadata":{"name":"web"},"spec":{"containers":[{"name":"C","ports":[)"
                  R"({"containerPort":0}],"volumeMounts":[{"name":"v","mountPath":"/v"}]}],)"
                  R"("restartPolicy":"Maybe"}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.At("message"),
              testing::HasSubstr("spec.containers[0].image: Required value"));
  EXPECT_THAT(refused.At("message"),
              testing::HasSubstr("spec.containers[0].volumeMounts[0].name: Not found: \"v\""));
  EXPECT_THAT(refused.At("message"),
              testing::HasSubstr("spec.restartPolicy: Unsupported value: \"Maybe\": supported "
                                 "values: \"Always\", \"OnFailure\", \"Never\""));
}

}  // namespace
}  // namespace flyball::sandbox
