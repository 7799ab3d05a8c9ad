#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "flyball/api/json_decode.h"
#include "flyball/api/time.h"
#include "flyball/ctl/trace/findings.h"
#include "gtest/gtest.h"

/// Situations for tests: a Deployment of two pods, of which all is well unless a test says not.
namespace flyball::ctl::trace {

inline const WallTime kNow = api::Time::Parse("2026-11-16T12:00:00Z")->ToWallTime();

inline api::Json ParseJson(std::string_view text) {
  auto json = api::Json::Parse(text);
  EXPECT_TRUE(json) << (json ? "" : json.error().Describe()) << "\n" << text;
  return json ? *std::move(json) : api::Json();
}

inline core::v1::Pod ParsePod(std::string_view text) {
  auto pod = api::DecodeJson<core::v1::Pod>(text);
  EXPECT_TRUE(pod) << (pod ? "" : pod.error().Describe()) << "\n" << text;
  return pod ? *std::move(pod) : core::v1::Pod();
}

/// A pod of the set "web-1", placed, with this status; `more` stands among its metadata.
inline core::v1::Pod PodWith(const std::string& name, const std::string& status,
                             const std::string& more = "") {
  return ParsePod(
      R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"uid-)" + name +
      R"(","creationTimestamp":"2026-11-16T11:50:00Z")" + more +
      R"(},"spec":{"nodeName":"node-1","schedulerName":"default-scheduler"},"status":)" + status +
      "}");
}

inline core::v1::Pod ReadyPod(const std::string& name) {
  return PodWith(name, R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})");
}

inline Link Deployment(const std::string& spec = "", const std::string& status = "",
                       const std::string& metadata = "") {
  return {
      "deployments.apps",
      ParseJson(R"({"kind":"Deployment","metadata":{"name":"web","namespace":"shop",
            "uid":"uid-web","generation":1)" +
                metadata + R"(},"spec":{"replicas":2,
            "selector":{"matchLabels":{"app":"web"}},
            "template":{"metadata":{"labels":{"app":"web"}}})" +
                spec + R"(},"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2)" +
                status + "}}")};
}

inline Link ReplicaSet(const std::string& status = "") {
  return {"replicasets.apps",
          ParseJson(R"({"kind":"ReplicaSet","metadata":{"name":"web-1","namespace":"shop",
            "uid":"uid-web-1","generation":1},"spec":{"replicas":2,
            "selector":{"matchLabels":{"app":"web","pod-template-hash":"1"}},
            "template":{"metadata":{"labels":{"app":"web","pod-template-hash":"1"}}}},
            "status":{"observedGeneration":1,"replicas":2)" +
                    status + "}}")};
}

inline ReportedController Controller(const std::string& name, const std::string& resource,
                                     const std::string& key) {
  const ReportedReconcile reconcile{.time = kNow - std::chrono::seconds(5),
                                    .took = std::chrono::milliseconds(3),
                                    .cause = resource + " " + key + " added",
                                    .causes = 1,
                                    .reads = {{resource, "12"}},
                                    .outcome = "done"};
  return {.name = name,
          .running = true,
          .caches = {{.resource = resource, .synced = true, .version = "12"}},
          .queues = {{.name = resource,
                      .resource = resource,
                      .keys = {{.key = key, .state = "idle", .reconciles = {reconcile}}}}}};
}

/// Two pods of two are ready.
inline Observation Healthy() {
  return {.chain = {.asked = Deployment(),
                    .owned = {ReplicaSet()},
                    .pods = {ReadyPod("web-1-a"), ReadyPod("web-1-b")}},
          .controllers =
              std::vector{Controller("deployment-controller", "deployments.apps", "shop/web"),
                          Controller("replicaset-controller", "replicasets.apps", "shop/web-1")},
          .now = kNow};
}

inline ReportedReconcile& LastReconcile(Observation& observation, std::size_t controller) {
  return observation.controllers->at(controller).queues.at(0).keys.at(0).reconciles.back();
}

}  // namespace flyball::ctl::trace
