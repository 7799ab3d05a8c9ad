#include "flyball/sandbox/discovery/discovery.h"

#include "flyball/api/apidiscovery/v2.h"
#include "flyball/api/envelope.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/sandbox/internal/raw_server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using api::Json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kAggregated[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

TEST(Discovery, GroupsComeInUpstreamsOrderWithThePreferredVersionFirst) {
  RawServer server;
  const Json groups = server.GetJson("/apis");
  EXPECT_EQ(TextAt(groups, {"kind"}), "APIGroupList");
  std::vector<std::string> names;
  for (const Json& group : *groups.Find("groups")->If<Json::Array>()) {
    names.push_back(TextAt(group, {"name"}));
    if (names.back() == "autoscaling") {
      EXPECT_EQ(TextAt(group, {"preferredVersion", "groupVersion"}), "autoscaling/v2");
    }
  }
  EXPECT_THAT(
      names,
      ElementsAre("apiregistration.k8s.io", "apps", "events.k8s.io", "authentication.k8s.io",
                  "authorization.k8s.io", "autoscaling", "batch", "certificates.k8s.io",
                  "networking.k8s.io", "policy", "rbac.authorization.k8s.io", "storage.k8s.io",
                  "admissionregistration.k8s.io", "apiextensions.k8s.io", "scheduling.k8s.io",
                  "coordination.k8s.io", "node.k8s.io", "discovery.k8s.io", "resource.k8s.io",
                  "flowcontrol.apiserver.k8s.io", "storagemigration.k8s.io"));
}

TEST(Discovery, AVersionListsItsResourcesAndTheirSubresources) {
  RawServer server;
  const std::string body = server.Get("/apis/apps/v1").body;
  EXPECT_THAT(
      body,
      HasSubstr(
          R"({"name":"deployments","singularName":"deployment","namespaced":true,)"
          R"("kind":"Deployment","verbs":["create","delete","deletecollection","get","list",)"
          R"("patch","update","watch"],"shortNames":["deploy"],"categories":["all"]},)"
          R"({"name":"deployments/scale","singularName":"","namespaced":true,)"
          R"("group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]})"));
  EXPECT_EQ(server.Get("/apis/apps/v9").status, 404);
  EXPECT_EQ(TextAt(server.GetJson("/api"), {"versions"}), R"(["v1"])");
  EXPECT_EQ(TextAt(server.GetJson("/apis/apps"), {"preferredVersion", "version"}), "v1");
}

TEST(Discovery, AllAtOnceForThoseWhoPreferIt) {
  RawServer server;
  const auto answer = server.Get("/apis", kAggregated);
  EXPECT_EQ(transport::FindHeader(answer.headers, "content-type"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  EXPECT_THAT(answer.body,
              HasSubstr(R"({"metadata":{"name":"apps"},"versions":[{"version":"v1",)"));
  const std::string tag(transport::FindHeader(answer.headers, "etag"));
  const auto again =
      server.Send("GET", "/apis", {}, {{"accept", kAggregated}, {"if-none-match", tag}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
}

TEST(Discovery, AllAtOnceInProtobufSaysTheSame) {
  RawServer server;
  const auto answer = server.Get(
      "/api",
      "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  const auto envelope = api::OpenEnvelope(answer.body);
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->kind, "APIGroupDiscoveryList");
  const auto list = api::DecodeProtobuf<apidiscovery::v2::APIGroupDiscoveryList>(envelope->raw);
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0].versions[0].resources[0].resource, "bindings");
}

TEST(ServerPaths, HealthVersionAndPaths) {
  RawServer server;
  EXPECT_EQ(server.Get("/livez").body, "ok");
  EXPECT_EQ(server.Get("/readyz?verbose").body, "[+]ping ok\n[+]storage ok\nreadyz check passed\n");
  EXPECT_EQ(server.Get("/healthz/nothing").status, 404);
  EXPECT_EQ(TextAt(server.GetJson("/version"), {"gitVersion"}), "v1.37.1");
  EXPECT_THAT(TextAt(server.GetJson("/"), {"paths"}), HasSubstr(R"("/apis/apps/v1")"));
}

}  // namespace
}  // namespace flyball::sandbox
