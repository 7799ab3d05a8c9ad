#include "flyball/sandbox/internal/server_fixture.h"

namespace flyball::sandbox {
namespace {

/// Autoscalers are stored as v2 and served as v1 too.
class AutoscalerTest : public ServerFixture {
 protected:
  static constexpr const char* kV1 =
      "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
  static constexpr const char* kV2 =
      "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

  static std::string Scaler(const std::string& spec) {
    return R"({"metadata":{"name":"web","annotations":{"a":"b"}},"spec":{"scaleTargetRef":)"
           R"({"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"maxReplicas":3)" +
           spec + "}}";
  }
  Response V1() { return Get(std::string(kV1) + "/web"); }
  Response V2() { return Get(std::string(kV2) + "/web"); }
};

TEST_F(AutoscalerTest, V1MeasuresCpuUnlessItIsToldOtherwise) {
  const auto made = Post(kV1, Scaler(""));
  ASSERT_EQ(made.status, 201) << made.body.ToString();
  EXPECT_EQ(made.At("spec"),
            R"({"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1",)"
            R"("kind":"Deployment","name":"web"},"targetCPUUtilizationPercentage":80})");
  EXPECT_EQ(V2().At("spec.metrics"),
            R"([{"resource":{"name":"cpu","target":{"averageUtilization":80,)"
            R"("type":"Utilization"}},"type":"Resource"}])");
}

TEST_F(AutoscalerTest, WhatV1HasNoMembersForIsInAnnotations) {
  ASSERT_EQ(
      Post(kV2,
           Scaler(R"(,"behavior":{"scaleUp":{"tolerance":"0.1"}},"metrics":[)"
                  R"({"type":"Object","object":{"describedObject":{"kind":"Ingress","name":"i"},)"
                  R"("metric":{"name":"rps","selector":{"matchLabels":{"a":"b"}}},)"
                  R"("target":{"type":"AverageValue","averageValue":"2k"}}},)"
                  R"({"type":"Resource","resource":{"name":"cpu","target":)"
                  R"({"type":"Utilization","averageUtilization":55}}}])"))
          .status,
      201);
  const auto shown = V1();
  EXPECT_EQ(shown.At("spec.targetCPUUtilizationPercentage"), "55");
  EXPECT_EQ(
      *shown.body.Find("metadata")->Find("annotations"),
      (api::Json(api::Json::Object{
          {"a", "b"},
          {"autoscaling.alpha.kubernetes.io/behavior",
           R"({"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[)"
           R"({"Type":"Pods","Value":4,"PeriodSeconds":15},)"
           R"({"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":"100m"},)"
           R"("ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[)"
           R"({"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}})"},
          {"autoscaling.alpha.kubernetes.io/metrics",
           R"([{"type":"Object","object":{"target":{"kind":"Ingress","name":"i"},)"
           R"("metricName":"rps","targetValue":"0","selector":{"matchLabels":{"a":"b"}},)"
           R"("averageValue":"2k"}}])"}})));
}

TEST_F(AutoscalerTest, AWriteThroughV1LosesNothingOfV2) {
  Post(kV2, Scaler(R"(,"behavior":{"scaleUp":{"stabilizationWindowSeconds":5}},"metrics":[)"
                   R"({"type":"Pods","pods":{"metric":{"name":"q"},)"
                   R"("target":{"type":"AverageValue","averageValue":"100m"}}},)"
                   R"({"type":"External","external":{"metric":{"name":"e"},)"
                   R"("target":{"type":"Value","value":"7"}}},)"
                   R"({"type":"ContainerResource","containerResource":{"name":"cpu",)"
                   R"("container":"c","target":{"type":"Utilization","averageUtilization":9}}}])"));
  MergePatch(std::string(kV2) + "/web/status",
             R"({"status":{"currentReplicas":1,"desiredReplicas":2,"currentMetrics":[)"
             R"({"type":"Resource","resource":{"name":"cpu","current":)"
             R"({"averageUtilization":33,"averageValue":"10m"}}}],"conditions":[)"
             R"({"type":"AbleToScale","status":"True","lastTransitionTime":)"
             R"("2024-01-02T03:05:05Z","reason":"r"}]}})");
  const auto before = V2();
  EXPECT_EQ(V1().At("status"), R"({"currentCPUUtilizationPercentage":33,"currentReplicas":1,)"
                               R"("desiredReplicas":2})");
  ASSERT_EQ(MergePatch(std::string(kV1) + "/web", R"({"metadata":{"labels":{"x":"y"}}})").status,
            200);
  const auto after = V2();
  EXPECT_EQ(after.At("spec"), before.At("spec"));
  EXPECT_EQ(after.At("status"), before.At("status"));
  EXPECT_EQ(after.At("metadata.generation"), "1");
  EXPECT_EQ(after.At("metadata.annotations"), R"({"a":"b"})");
}

TEST_F(AutoscalerTest, ManagersOfOneVersionAreKnownInTheOther) {
  Post(kV1, Scaler(""));
  const auto apply = [&](const char* collection, const std::string& version,
                         const std::string& manager) {
    return Ask("PATCH", std::string(collection) + "/web?fieldManager=" + manager,
               R"({"apiVersion":"autoscaling/)" + version +
                   R"(","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},)"
                   R"("spec":{"maxReplicas":)" +
                   (manager == "me" ? "3" : "4") + "}}",
               "application/apply-patch+yaml");
  };
  ASSERT_EQ(apply(kV1, "v1", "me").status, 200);
  EXPECT_EQ(apply(kV2, "v2", "you").At("message"),
            "Apply failed with 2 conflicts: conflicts with \"me\":\n"
            "- .spec.maxReplicas\n"
            "conflicts with \"unknown\" using autoscaling/v1:\n"
            "- .spec.maxReplicas");
}

TEST_F(AutoscalerTest, PodsThatAreNotThereMeasureNothing) {
  EXPECT_EQ(Post(kV1, Scaler(R"(,"minReplicas":0)")).At("message"),
            "HorizontalPodAutoscaler.autoscaling \"web\" is invalid: spec.metrics: Forbidden: must "
            "specify at least one Object or External metric to support scaling to zero replicas");
}

}  // namespace
}  // namespace flyball::sandbox
