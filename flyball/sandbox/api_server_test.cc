#include "flyball/sandbox/api_server.h"

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/sandbox/internal/server_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using apps::v1::Deployment;
using core::v1::ConfigMap;

class ApiServerTest : public ServerFixture {};

ConfigMap NamedMap(std::string name) {
  ConfigMap map;
  map.metadata.namespace_ = "default";
  map.metadata.name = std::move(name);
  return map;
}

TEST_F(ApiServerTest, AnObjectLivesFromPostToDelete) {
  const auto maps = client_.Of<ConfigMap>();
  ConfigMap map = NamedMap("web");
  map.data["a"] = "b";
  const auto created = maps.Create(map);
  ASSERT_TRUE(created.has_value()) << created.error().Describe();
  EXPECT_EQ(created->data, map.data);
  EXPECT_NE(created->metadata.uid, "");
  EXPECT_NE(created->metadata.resourceVersion, "");
  EXPECT_EQ(*maps.Get({"default", "web"}), *created);

  ConfigMap changed = *created;
  changed.data["a"] = "c";
  const auto updated = maps.Update(changed);
  ASSERT_TRUE(updated.has_value()) << updated.error().Describe();
  EXPECT_EQ(updated->data.find("a")->compare("c"), 0);
  const auto stale = maps.Update(changed);
  ASSERT_FALSE(stale.has_value());
  EXPECT_EQ(stale.error().code(), ErrorCode::kConflict);

  const auto patched = maps.Patch(
      {"default", "web"}, {client::PatchType::kMerge, R"({"metadata":{"labels":{"x":"y"}}})"});
  ASSERT_TRUE(patched.has_value()) << patched.error().Describe();
  EXPECT_EQ(*patched->metadata.labels.find("x"), "y");
  ASSERT_TRUE(maps.Delete({"default", "web"}).has_value());
  EXPECT_EQ(maps.Get({"default", "web"}).error().code(), ErrorCode::kNotFound);
}

TEST_F(ApiServerTest, StatusAndSpecComeSeparately) {
  const auto deployments = client_.Of<Deployment>();
  Deployment web;
  web.metadata.namespace_ = "default";
  web.metadata.name = "web";
  web.spec.selector.emplace().matchLabels["app"] = "web";
  web.spec.template_.metadata.labels["app"] = "web";
  auto& container = web.spec.template_.spec.containers.emplace_back();
  container.name = "c";
  container.image = "registry.example/web:1";
  web.status.replicas = 7;
  const auto created = deployments.Create(web);
  ASSERT_TRUE(created.has_value()) << created.error().Describe();
  EXPECT_EQ(created->status.replicas, 0);
  EXPECT_EQ(created->metadata.generation, 1);
  EXPECT_EQ(created->spec.replicas, 1);

  Deployment with_status = *created;
  with_status.status.replicas = 3;
  with_status.spec.replicas = 9;
  const auto status = deployments.UpdateStatus(with_status);
  ASSERT_TRUE(status.has_value()) << status.error().Describe();
  EXPECT_EQ(status->status.replicas, 3);
  EXPECT_EQ(status->spec.replicas, 1);
  EXPECT_EQ(status->metadata.generation, 1);

  Deployment scaled = *status;
  scaled.spec.replicas = 5;
  scaled.status.replicas = 99;
  const auto updated = deployments.Update(scaled);
  ASSERT_TRUE(updated.has_value()) << updated.error().Describe();
  EXPECT_EQ(updated->spec.replicas, 5);
  EXPECT_EQ(updated->status.replicas, 3);
  EXPECT_EQ(updated->metadata.generation, 2);
}

TEST_F(ApiServerTest, WhatIsBeingDeletedHoldsItsName) {
  const std::string map = R"({"metadata":{"name":"a","finalizers":["example.com/held"]}})";
  Post("namespaces/default/configmaps", map);
  Ask("DELETE", "namespaces/default/configmaps/a");
  const auto again = Post("namespaces/default/configmaps", map);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.At("message"), "object is being deleted: configmaps \"a\" already exists");
}

TEST_F(ApiServerTest, AnAttemptIsOfEverything) {
  const auto some =
      Post("namespaces/default/configmaps?dryRun=Some", R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(some.status, 422);
  EXPECT_EQ(some.At("message"),
            "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Some\"]: "
            "supported values: \"All\"");
}

TEST_F(ApiServerTest, OnlyBesideBuiltInResourcesAStatusSaysThatThereIsNone) {
  EXPECT_EQ(Get("nothings").At("reason"), "NotFound");
  EXPECT_EQ(Get("/apis/apps/v1/nothings").At("reason"), "NotFound");
  for (const char* const path : {"/apis/example.com/v1/widgets", "/apis/example.com", "/nothing"}) {
    const auto answer = Get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_TRUE(answer.body.IsNull()) << path;  // a text
  }
}

TEST_F(ApiServerTest, AllThatIsWrongWithAWatchIsTold) {
  EXPECT_EQ(
      Get("configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact").At("message"),
      "ListOptions.meta.k8s.io \"\" is invalid: [resourceVersionMatch: Forbidden: "
      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, "
      "resourceVersionMatch: Unsupported value: \"Exact\": supported values: "
      "\"NotOlderThan\"]");
}

}  // namespace
}  // namespace flyball::sandbox
