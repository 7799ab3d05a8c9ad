#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/apps/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/sandbox/internal/raw_server.h"

/// Objects that are nested deeper than one of the forms allows in which they are stored and shown.
namespace flyball::sandbox {
namespace {

using api::Json;
using apiextensions::v1::CustomResourceDefinition;
using apiextensions::v1::JSONSchemaProps;
using testing::AnyOf;
using testing::HasSubstr;

constexpr char kDefinitions[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr char kDefinition[] =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/as.example.com";
constexpr char kObjects[] = "/apis/example.com/v1/as";
constexpr char kTooDeep[] =
    "CustomResourceDefinition.apiextensions.k8s.io \"as.example.com\" is invalid: "
    "spec.versions[0].schema.openAPIV3Schema: Invalid value: \"\": must not be nested deeper than ";

enum class Way { kItems, kAdditional, kProperties, kAllOf };

std::string SchemaJson(Way way, int levels) {
  std::string text = R"({"type":"string"})";
  for (int i = 0; i < levels; ++i) {
    switch (way) {
      case Way::kItems:
        text = R"({"type":"array","items":)" + text + "}";
        break;
      case Way::kAdditional:
        text = R"({"type":"object","additionalProperties":)" + text + "}";
        break;
      case Way::kProperties:
        text = R"({"type":"object","properties":{"a":)" + text + "}}";
        break;
      case Way::kAllOf:
        text = i + 1 < levels ? R"({"allOf":[)" + (i == 0 ? R"({"minLength":1})" : text) + "]}"
                              : R"({"type":"string","allOf":[)" + text + "]}";
        break;
    }
  }
  return text;
}

std::string DefinitionJson(const std::string& spec) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"as.example.com"},"spec":{"group":"example.com","scope":"Cluster",
    "names":{"plural":"as","singular":"a","kind":"A"},
    "versions":[{"name":"v1","served":true,"storage":true,
    "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)" +
         spec + "}}}}]}}";
}

JSONSchemaProps SchemaOf(Way way, int levels) {
  JSONSchemaProps schema;
  if (levels == 0) {
    schema.type = "string";
    return schema;
  }
  JSONSchemaProps inner = SchemaOf(way, levels - 1);
  switch (way) {
    case Way::kItems:
      schema.type = "array";
      schema.items.emplace().schema = std::move(inner);
      break;
    case Way::kAdditional:
      schema.type = "object";
      schema.additionalProperties.emplace().allows = true;
      schema.additionalProperties->schema = std::move(inner);
      break;
    case Way::kProperties:
      schema.type = "object";
      schema.properties["a"] = std::move(inner);
      break;
    case Way::kAllOf:
      schema.allOf.push_back(std::move(inner));
      break;
  }
  return schema;
}

std::string DefinitionProtobuf(JSONSchemaProps spec) {
  CustomResourceDefinition crd;
  crd.metadata.name = "as.example.com";
  crd.spec.group = "example.com";
  crd.spec.scope = "Cluster";
  crd.spec.names.plural = "as";
  crd.spec.names.singular = "a";
  crd.spec.names.kind = "A";
  auto& version = crd.spec.versions.emplace_back();
  version.name = "v1";
  version.served = version.storage = true;
  auto& root = version.schema.emplace().openAPIV3Schema.emplace();
  root.type = "object";
  root.properties["spec"] = std::move(spec);
  return api::SealEnvelope("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                           api::EncodeProtobuf(crd).value());
}

std::string MessageOf(const transport::Response& response) {
  return TextAt(Json::Parse(response.body).value_or(Json()), {"message"});
}

class DeepSchemaTest : public testing::Test {
 protected:
  transport::Response Create(std::string body, std::string type = "application/json") {
    return server_.Send("POST", kDefinitions, std::move(body),
                        {{"content-type", std::move(type)}, {"accept", "application/json"}});
  }
  /// In every form there is, alone and in a list.
  void ExpectShown(const std::string& list, const std::string& object) {
    for (const std::string& path : {list, object, list + "?pretty=true", object + "?pretty=true"}) {
      for (const char* accept :
           {"application/json", "application/yaml", "application/vnd.kubernetes.protobuf, */*",
            "application/json;as=Table;g=meta.k8s.io;v=v1",
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json"}) {
        EXPECT_EQ(server_.Get(path, accept).status, 200) << path << " as " << accept;
      }
    }
    const std::string table = "application/json;as=Table;g=meta.k8s.io;v=v1";
    EXPECT_EQ(server_.Get(list + "?includeObject=Object&pretty=true", table).status, 200);
  }

  RawServer server_;
};

TEST_F(DeepSchemaTest, TakesSchemaOf45LevelsInEveryForm) {
  for (const Way way : {Way::kItems, Way::kAdditional, Way::kProperties}) {
    for (const std::string type : {"json", "yaml", "vnd.kubernetes.protobuf"}) {
      const bool protobuf = type.starts_with("vnd");
      // One level is that of "spec" itself.
      const auto made = Create(
          protobuf ? DefinitionProtobuf(SchemaOf(way, 44)) : DefinitionJson(SchemaJson(way, 44)),
          "application/" + type);
      ASSERT_EQ(made.status, 201) << type << ": " << made.body;
      ExpectShown(kDefinitions, kDefinition);
      EXPECT_EQ(server_.Get(kObjects).status, 200);
      EXPECT_EQ(server_.Send("DELETE", kDefinition).status, 200);
      EXPECT_EQ(server_.Get(kDefinition).status, 404);
    }
  }
}

TEST_F(DeepSchemaTest, RefusesDeeperSchemaInJsonAndYaml) {
  struct Case {
    Way way;
    int levels;
    int status;
  };
  // What has more than 100 levels in JSON is not read at all.
  for (const auto& [way, levels, status] : std::initializer_list<Case>{
           {Way::kItems, 45, 422},
           {Way::kItems, 48, 422},
           {Way::kItems, 60, 422},
           {Way::kItems, 90, 422},
           {Way::kItems, 94, 400},
           {Way::kItems, 200, 400},
           {Way::kAdditional, 45, 422},
           {Way::kAdditional, 48, 422},
           {Way::kAdditional, 60, 422},
           {Way::kAdditional, 90, 422},
           {Way::kAdditional, 94, 400},
           {Way::kAdditional, 200, 400},
           {Way::kProperties, 45, 422},
           {Way::kProperties, 48, 400},
           {Way::kProperties, 60, 400},
           {Way::kProperties, 94, 400},
           {Way::kProperties, 200, 400},
       }) {
    for (const std::string type : {"application/json", "application/yaml"}) {
      const auto made = Create(DefinitionJson(SchemaJson(way, levels)), type);
      EXPECT_EQ(made.status, status) << type << " " << levels << ": " << made.body;
      EXPECT_THAT(made.body, HasSubstr("deep")) << type << " " << levels;
      if (status == 422) {
        EXPECT_EQ(MessageOf(made), kTooDeep + std::string("45 levels"));
      }
    }
  }
  EXPECT_EQ(server_.Get(kDefinition).status, 404);
}

TEST_F(DeepSchemaTest, RefusesDeeperSchemaInProtobuf) {
  struct Case {
    Way way;
    int levels;
    int status;
  };
  for (const auto& [way, levels, status] : std::initializer_list<Case>{
           {Way::kItems, 45, 422},
           {Way::kItems, 60, 400},
           {Way::kItems, 200, 400},
           {Way::kAdditional, 45, 422},
           {Way::kAdditional, 60, 400},
           {Way::kAdditional, 200, 400},
           {Way::kProperties, 45, 422},
           {Way::kProperties, 48, 422},
           {Way::kProperties, 60, 422},
           {Way::kProperties, 90, 422},
           {Way::kProperties, 200, 400},
           {Way::kAllOf, 48, 422},
           {Way::kAllOf, 90, 422},
       }) {
    const auto made =
        Create(DefinitionProtobuf(SchemaOf(way, levels)), "application/vnd.kubernetes.protobuf");
    EXPECT_EQ(made.status, status) << levels << ": " << made.body;
    if (status == 422) {
      EXPECT_THAT(MessageOf(made),
                  AnyOf(kTooDeep + std::string("45 levels"), kTooDeep + std::string("96 levels")));
    }
  }
  EXPECT_EQ(server_.Get(kDefinition).status, 404);
}

TEST_F(DeepSchemaTest, RefusesUpdatesThatMakeSchemaTooDeep) {
  ASSERT_EQ(Create(DefinitionJson(SchemaJson(Way::kItems, 2))).status, 201);
  const std::string deep = DefinitionJson(SchemaJson(Way::kItems, 60));
  for (const std::string type :
       {"application/merge-patch+json", "application/strategic-merge-patch+json",
        "application/apply-patch+yaml"}) {
    const std::string force = type.ends_with("+yaml") ? "&force=true" : "";
    const auto patched =
        server_.Send("PATCH", std::string(kDefinition) + "?fieldManager=me" + force, deep,
                     {{"content-type", type}});
    EXPECT_EQ(patched.status, 422) << type << ": " << patched.body;
  }
  Json current = server_.GetJson(kDefinition);
  const std::string version = TextAt(current, {"metadata", "resourceVersion"});
  std::string body = deep;
  body.replace(body.find(R"("name":"as.example.com")"), 0,
               R"("resourceVersion":")" + version + R"(",)");
  const auto put = server_.Send("PUT", kDefinition, body);
  EXPECT_EQ(put.status, 422) << put.body;
  EXPECT_EQ(server_.GetJson(kDefinition), current);
}

TEST_F(DeepSchemaTest, ShowsEveryCustomObjectThatItTakes) {
  ASSERT_EQ(
      Create(DefinitionJson(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})"))
          .status,
      201);
  int taken = 0;
  for (int levels = 80; levels < 102; ++levels) {
    std::string spec = "{}";
    for (int i = 0; i < levels; ++i) spec = R"({"a":)" + spec + "}";
    const auto made = server_.Send("POST", kObjects,
                                   R"({"apiVersion":"example.com/v1","kind":"A",
                                       "metadata":{"name":"x"},"spec":)" +
                                       spec + "}");
    EXPECT_THAT(made.status, AnyOf(201, 422, 400)) << levels << ": " << made.body;
    if (made.status != 201) continue;
    ++taken;
    ExpectShown(kObjects, std::string(kObjects) + "/x");
    EXPECT_EQ(server_.Send("DELETE", std::string(kObjects) + "/x").status, 200);
  }
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, 22);
}

TEST_F(DeepSchemaTest, RefusesRawJsonThatIsNone) {
  apps::v1::ControllerRevision revision;
  revision.metadata.name = "a";
  revision.data.raw = "{";
  const auto made = server_.Send(
      "POST", "/apis/apps/v1/namespaces/default/controllerrevisions",
      api::SealEnvelope("apps/v1", "ControllerRevision", api::EncodeProtobuf(revision).value()),
      {{"content-type", "application/vnd.kubernetes.protobuf"}, {"accept", "application/json"}});
  EXPECT_EQ(made.status, 422) << made.body;
  EXPECT_THAT(MessageOf(made), HasSubstr("ControllerRevision.apps \"a\" is invalid: data: "));
}

}  // namespace
}  // namespace flyball::sandbox
