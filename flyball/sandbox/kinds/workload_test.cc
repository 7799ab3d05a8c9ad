#include "flyball/sandbox/internal/server_fixture.h"
#include "gmock/gmock.h"

namespace flyball::sandbox {
namespace {

using testing::HasSubstr;

class WorkloadTest : public ServerFixture {
 protected:
  static std::string Pods(const std::string& labels, const std::string& more = "") {
    return R"("template":{"metadata":{"labels":)" + labels + R"(},"spec":{)" + more +
           R"("containers":[{"name":"c","image":"w"}]}})";
  }
  static std::string Named(const std::string& spec) {
    return R"({"metadata":{"name":"web"},"spec":{)" + spec + "}}";
  }
};

const std::string kApps = "/apis/apps/v1/namespaces/default/";
const std::string kBatch = "/apis/batch/v1/namespaces/default/";
const std::string kSelector = R"("selector":{"matchLabels":{"app":"web"}},)";

TEST_F(WorkloadTest, ASelectorMustSelectItsTemplate) {
  const auto refused = Post(kApps + "deployments", Named(kSelector + Pods(R"({"app":"other"})")));
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.At("message"),
            "Deployment.apps \"web\" is invalid: spec.template.metadata.labels: Invalid value: "
            "{\"app\":\"other\"}: `selector` does not match template `labels`");
}

TEST_F(WorkloadTest, ASelectorStaysWhatItIs) {
  ASSERT_EQ(Post(kApps + "deployments", Named(kSelector + Pods(R"({"app":"web","v":"1"})"))).status,
            201);
  const auto refused =
      MergePatch(kApps + "deployments/web", R"({"spec":{"selector":{"matchLabels":{"v":"1"}}}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.At("message"),
            "Deployment.apps \"web\" is invalid: spec.selector: Invalid value: "
            "{\"matchLabels\":{\"app\":\"web\",\"v\":\"1\"}}: field is immutable");
}

TEST_F(WorkloadTest, AnnotationsOfADeploymentCountAsAChange) {
  Post(kApps + "deployments", Named(kSelector + Pods(R"({"app":"web"})")));
  const auto annotated =
      MergePatch(kApps + "deployments/web", R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_EQ(annotated.At("metadata.generation"), "2");
}

TEST_F(WorkloadTest, ADaemonSetCountsItsTemplates) {
  const auto made = Post(kApps + "daemonsets", Named(kSelector + Pods(R"({"app":"web"})")));
  ASSERT_EQ(made.status, 201) << made.body.ToString();
  EXPECT_EQ(made.At("metadata.annotations"), R"({"deprecated.daemonset.template.generation":"1"})");
  const auto changed =
      MergePatch(kApps + "daemonsets/web", R"({"spec":{"template":{"spec":{"hostPID":true}}}})");
  EXPECT_EQ(changed.At("metadata.annotations"),
            R"({"deprecated.daemonset.template.generation":"2"})");
}

TEST_F(WorkloadTest, TemplateGenerationOfADaemonSetWrapsAsInGo) {
  const auto made =
      Post(kApps + "daemonsets",
           R"({"metadata":{"name":"web",)"
           R"("annotations":{"deprecated.daemonset.template.generation":"9223372036854775807"}},)"
           R"("spec":{)" +
               kSelector + Pods(R"({"app":"web"})") + "}}");
  ASSERT_EQ(made.status, 201) << made.body.ToString();
  const auto changed =
      MergePatch(kApps + "daemonsets/web", R"({"spec":{"template":{"spec":{"hostPID":true}}}})");
  EXPECT_EQ(changed.At("metadata.annotations"),
            R"({"deprecated.daemonset.template.generation":"-9223372036854775808"})");
}

TEST_F(WorkloadTest, AJobSelectsItsPodsByItsUid) {
  const auto made = Post(kBatch + "jobs", Named(Pods("{}", R"("restartPolicy":"Never",)")));
  ASSERT_EQ(made.status, 201) << made.body.ToString();
  const std::string uid = made.At("metadata.uid");
  EXPECT_EQ(made.At("spec.selector"),
            R"({"matchLabels":{"batch.kubernetes.io/controller-uid":")" + uid + R"("}})");
  EXPECT_EQ(made.At("spec.template.metadata.labels"),
            R"({"batch.kubernetes.io/controller-uid":")" + uid +
                R"(","batch.kubernetes.io/job-name":"web","controller-uid":")" + uid +
                R"(","job-name":"web"})");
  const auto refused = Post(kBatch + "jobs", Named(Pods("{}")));
  EXPECT_THAT(refused.At("message"),
              HasSubstr("spec.template.spec.restartPolicy: Required value: valid values: "
                        "\"OnFailure\", \"Never\""));
  const auto fixed = MergePatch(kBatch + "jobs/web", R"({"spec":{"completions":9}})");
  EXPECT_THAT(fixed.At("message"),
              HasSubstr("spec.completions: Invalid value: 9: field is immutable"));
}

TEST_F(WorkloadTest, AStatusMustAddUp) {
  Post(kApps + "replicasets", Named(kSelector + Pods(R"({"app":"web"})")));
  const auto refused = MergePatch(kApps + "replicasets/web/status",
                                  R"({"status":{"replicas":1,"readyReplicas":2}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.At("message"),
            "ReplicaSet.apps \"web\" is invalid: status.readyReplicas: Invalid value: 2: cannot be "
            "greater than status.replicas");
}

}  // namespace
}  // namespace flyball::sandbox
