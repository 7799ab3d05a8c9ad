#include "flyball/sandbox/openapi/openapi.h"

#include "flyball/sandbox/internal/raw_server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using api::Json;
using testing::HasSubstr;

TEST(OpenApi, TheIndexLeadsToTheDocuments) {
  RawServer server;
  const Json index = server.GetJson("/openapi/v3");
  const std::string target = TextAt(index, {"paths", "apis/apps/v1", "serverRelativeURL"});
  EXPECT_THAT(target, HasSubstr("/openapi/v3/apis/apps/v1?hash="));
  EXPECT_EQ(TextAt(server.GetJson(target), {"openapi"}), "3.0.0");
  EXPECT_EQ(server.Get("/openapi/v3/apis/apps/v9").status, 404);
  EXPECT_EQ(TextAt(server.GetJson("/openapi/v2"), {"swagger"}), "2.0");
}

TEST(OpenApi, TheOlderDocumentIsEmptyInProtobufToo) {
  RawServer server;
  const auto answer =
      server.Get("/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            "\x0a\x03"
            "2.0"
            "\x12\x15\x0a\x0aKubernetes\x12\x07v1.37.1");
}

TEST(OpenApi, TypesAreDescribedByTheirTables) {
  RawServer server;
  const Json document = server.GetJson("/openapi/v3/apis/apps/v1");
  const auto schema = [&](std::string_view name) {
    return TextAt(document, {"components", "schemas", name});
  };
  EXPECT_EQ(
      schema("io.k8s.api.apps.v1.RollingUpdateDeployment"),
      R"({"properties":{"maxSurge":{"allOf":[{"$ref":"#/components/schemas/)"
      R"(io.k8s.apimachinery.pkg.util.intstr.IntOrString"}]},"maxUnavailable":{"allOf":)"
      R"([{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString"}]}},)"
      R"("type":"object"})");
  EXPECT_THAT(schema("io.k8s.api.apps.v1.Deployment"),
              HasSubstr(R"("x-kubernetes-group-version-kind":[{"group":"apps",)"
                        R"("kind":"Deployment","version":"v1"}])"));
  EXPECT_THAT(schema("io.k8s.api.core.v1.PodSpec"),
              HasSubstr(R"("containers":{"items":{"$ref":"#/components/schemas/)"
                        R"(io.k8s.api.core.v1.Container"},"type":"array",)"
                        R"("x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map",)"
                        R"("x-kubernetes-patch-merge-key":"name",)"
                        R"("x-kubernetes-patch-strategy":"merge"})"));
}

TEST(OpenApi, WhatIsAnyJsonGoesByUpstreamsNames) {
  RawServer server;
  const Json document = server.GetJson("/openapi/v3/apis/apiextensions.k8s.io/v1");
  const auto member = [&](std::string_view type, std::string_view name) {
    return TextAt(document, {"components", "schemas", type, "properties", name});
  };
  const std::string apis = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
  EXPECT_THAT(member(apis + "JSONSchemaProps", "default"), HasSubstr(apis + "JSON\""));
  EXPECT_THAT(member("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry", "fieldsV1"),
              HasSubstr("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"));
}

TEST(OpenApi, PathsSayWhatVerbsTake) {
  RawServer server;
  const Json document = server.GetJson("/openapi/v3/apis/apps/v1");
  const std::string patch = TextAt(
      document, {"paths", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch"});
  EXPECT_THAT(patch, HasSubstr(R"("name":"fieldValidation")"));
  EXPECT_THAT(patch, HasSubstr("application/strategic-merge-patch+json"));
  EXPECT_THAT(patch, HasSubstr(R"("x-kubernetes-action":"patch")"));
}

}  // namespace
}  // namespace flyball::sandbox
