#include "flyball/sandbox/custom/custom_resources.h"

#include "flyball/sandbox/internal/raw_server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/test_folder.h"

namespace flyball::sandbox {
namespace {

using api::Json;
using testing::HasSubstr;
using testing::Not;

constexpr char kDefinitionsPath[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr char kWidgets[] = "/apis/example.com/v1/namespaces/default/widgets";

constexpr char kWidgetDefinition[] = R"({"apiVersion":"apiextensions.k8s.io/v1",
  "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
  "spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"widgets","kind":"Widget","shortNames":["wd"],"categories":["all"]},
    "versions":[
      {"name":"v1","served":true,"storage":true,
       "subresources":{"status":{},
         "scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.size"}},
       "additionalPrinterColumns":[
         {"name":"Size","type":"integer","jsonPath":".spec.size"},
         {"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"}],
       "selectableFields":[{"jsonPath":".spec.color"}],
       "schema":{"openAPIV3Schema":{"type":"object","properties":{
         "spec":{"type":"object","required":["color"],"properties":{
           "size":{"type":"integer","minimum":0,"default":1},"color":{"type":"string"}}},
         "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}},
      {"name":"v1beta1","served":true,"storage":false,
       "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

constexpr char kTable[] = "application/json;as=Table;g=meta.k8s.io;v=v1";

class CustomResourcesTest : public testing::Test {
 protected:
  CustomResourcesTest() {
    const auto made = server_.Send("POST", kDefinitionsPath, kWidgetDefinition);
    EXPECT_EQ(made.status, 201) << made.body;
  }

  transport::Response Make(std::string_view name, std::string_view spec) {
    return server_.Send("POST", kWidgets,
                        R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" +
                            std::string(name) + R"("},"spec":)" + std::string(spec) + "}");
  }

  RawServer server_;
};

TEST_F(CustomResourcesTest, ADefinitionIsEstablishedAndItsResourceServed) {
  const Json crd = server_.GetJson(std::string(kDefinitionsPath) + "/widgets.example.com");
  EXPECT_EQ(TextAt(crd, {"status", "acceptedNames", "listKind"}), "WidgetList");
  EXPECT_EQ(TextAt(crd, {"status", "storedVersions"}), R"(["v1"])");
  EXPECT_THAT(TextAt(crd, {"status", "conditions"}), HasSubstr(R"("type":"Established")"));
  EXPECT_THAT(server_.Get("/apis/example.com/v1").body,
              HasSubstr(R"("shortNames":["wd"],"categories":["all"])"));
  EXPECT_EQ(TextAt(server_.GetJson("/apis/example.com"), {"preferredVersion", "version"}), "v1");
  EXPECT_EQ(TextAt(server_.GetJson(kWidgets), {"kind"}), "WidgetList");
}

TEST_F(CustomResourcesTest, ObjectsArePrunedAndDefaulted) {
  const auto made = Make("a", R"({"color":"red","shape":"round"})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(TextAt(*Json::Parse(made.body), {"spec"}), R"({"color":"red","size":1})");
  EXPECT_EQ(transport::FindHeader(made.headers, "warning"),
            R"(299 - "unknown field \"spec.shape\"")");
}

TEST_F(CustomResourcesTest, ObjectsKeepToTheSchema) {
  const auto made = Make("a", R"({"size":-1})");
  EXPECT_EQ(made.status, 422);
  EXPECT_EQ(
      TextAt(*Json::Parse(made.body), {"message"}),
      "Widget.example.com \"a\" is invalid: [spec.color: Required value, spec.size: Invalid "
      "value: -1: spec.size in body should be greater than or equal to 0, .spec.size: Invalid "
      "value: -1: should be a non-negative integer]");
}

TEST_F(CustomResourcesTest, WhatIsAppliedIsHeldToTheSchemaToo) {
  const auto apply = [&](std::string body) {
    return server_.Send("PATCH", std::string(kWidgets) + "/a?fieldManager=me", std::move(body),
                        {{"content-type", "application/apply-patch+yaml"}});
  };
  const std::string head = R"({"apiVersion":"example.com/v1","kind":"Widget",)"
                           R"("metadata":{"name":"a"},"spec":)";
  EXPECT_EQ(apply(head + R"({"color":"red","size":-2}})").status, 422);
  const auto refused = apply(head + R"({"color":"red","shape":"round"}})");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(TextAt(*Json::Parse(refused.body), {"message"}),
            "failed to create typed patch object (/a; example.com/v1, Kind=Widget): .spec.shape: "
            "field not declared in schema");
  const auto made = apply(head + R"({"color":"red"}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(TextAt(*Json::Parse(made.body), {"spec"}), R"({"color":"red","size":1})");
  // Members that the schema names are not owned as such.
  EXPECT_THAT(made.body, HasSubstr(R"("fieldsV1":{"f:spec":{"f:color":{}}})"));
}

TEST_F(CustomResourcesTest, ItemsOfAListBelongToWhoAppliedThem) {
  server_.Send("POST", kDefinitionsPath, R"({"metadata":{"name":"racks.example.com"},
    "spec":{"group":"example.com","scope":"Cluster","names":{"plural":"racks","kind":"Rack"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
        "type":"object","properties":{"slots":{"type":"array","x-kubernetes-list-type":"map",
          "x-kubernetes-list-map-keys":["id"],"items":{"type":"object","required":["id"],
            "properties":{"id":{"type":"string"}}}}}}}}]}})");
  const auto apply = [&](const std::string& who, const std::string& slots) {
    const auto answer = server_.Send(
        "PATCH", "/apis/example.com/v1/racks/a?fieldManager=" + who,
        R"({"apiVersion":"example.com/v1","kind":"Rack","metadata":{"name":"a"},"slots":)" + slots +
            "}",
        {{"content-type", "application/apply-patch+yaml"}});
    return TextAt(*Json::Parse(answer.body), {"slots"});
  };
  EXPECT_EQ(apply("one", R"([{"id":"x"}])"), R"([{"id":"x"}])");
  EXPECT_EQ(apply("two", R"([{"id":"y"}])"), R"([{"id":"x"},{"id":"y"}])");
  EXPECT_EQ(apply("one", "[]"), R"([{"id":"y"}])");
}

TEST_F(CustomResourcesTest, ReplicasAreANumberWhateverTheSchemaSays) {
  const auto made = Make("a", R"({"color":"red","size":"many"})");
  EXPECT_EQ(TextAt(*Json::Parse(made.body), {"message"}),
            "Widget.example.com \"a\" is invalid: [spec.size: Invalid value: \"string\": spec.size "
            "in body must be of type integer: \"string\", .spec.size: Invalid value: 0: .spec.size "
            "accessor error: many is of the type string, expected int64]");
}

TEST_F(CustomResourcesTest, RefusesPatternThatIsNoRegularExpression) {
  const auto made =
      server_.Send("POST", kDefinitionsPath, R"({"metadata":{"name":"racks.example.com"},
    "spec":{"group":"example.com","scope":"Cluster","names":{"plural":"racks","kind":"Rack"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
        "type":"object","properties":{"slots":{"type":"array","items":{"type":"string",
          "pattern":"(?=a)b"}}}}}}]}})");
  EXPECT_EQ(made.status, 422);
  EXPECT_EQ(
      TextAt(*Json::Parse(made.body), {"message"}),
      "CustomResourceDefinition.apiextensions.k8s.io \"racks.example.com\" is invalid: "
      "spec.versions[0].schema.openAPIV3Schema.properties.slots.items.pattern: Invalid value: "
      "\"(?=a)b\": must be a valid regular expression, but isn't: error parsing regexp: "
      "invalid or unsupported Perl syntax: `(?=`");
}

TEST_F(CustomResourcesTest, AListAlwaysSaysWhereItGoesOn) {
  EXPECT_EQ(TextAt(server_.GetJson(kWidgets), {"metadata", "continue"}), "");
}

TEST_F(CustomResourcesTest, NoStrategicPatchIsTaken) {
  Make("a", R"({"color":"red"})");
  const auto patched = server_.Send("PATCH", std::string(kWidgets) + "/a", "{}",
                                    {{"content-type", "application/strategic-merge-patch+json"}});
  EXPECT_EQ(patched.status, 415);
  EXPECT_EQ(TextAt(*Json::Parse(patched.body), {"message"}),
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml");
}

TEST_F(CustomResourcesTest, ThereIsNoHistoryFromBeforeTheDefinition) {
  EXPECT_THAT(
      server_.Get(std::string(kWidgets) + "?watch=true&resourceVersion=1&timeoutSeconds=1").body,
      HasSubstr(R"("reason":"Expired","code":410)"));
}

TEST_F(CustomResourcesTest, StatusComesByItsSubresource) {
  ASSERT_EQ(Make("a", R"({"color":"red"})").status, 201);
  const std::string path = std::string(kWidgets) + "/a";
  const auto merge = [&](const std::string& target, std::string patch) {
    return server_.Send("PATCH", target, std::move(patch),
                        {{"content-type", "application/merge-patch+json"}});
  };
  const Json status = *Json::Parse(
      merge(path + "/status", R"({"status":{"size":4},"spec":{"color":"blue"}})").body);
  EXPECT_EQ(TextAt(status, {"status"}), R"({"size":4})");
  EXPECT_EQ(TextAt(status, {"spec", "color"}), "red");
  EXPECT_EQ(TextAt(status, {"metadata", "generation"}), "1");
  const Json spec = *Json::Parse(merge(path, R"({"status":{"size":5},"spec":{"size":2}})").body);
  EXPECT_EQ(TextAt(spec, {"status"}), R"({"size":4})");
  EXPECT_EQ(TextAt(spec, {"metadata", "generation"}), "2");
}

TEST_F(CustomResourcesTest, AScaleIsKeptWhereTheDefinitionSays) {
  ASSERT_EQ(Make("a", R"({"color":"red","size":3})").status, 201);
  const std::string path = std::string(kWidgets) + "/a";
  const Json scale = server_.GetJson(path + "/scale");
  EXPECT_EQ(TextAt(scale, {"kind"}), "Scale");
  EXPECT_EQ(TextAt(scale, {"spec", "replicas"}), "3");
  const auto scaled = server_.Send("PATCH", path + "/scale", R"({"spec":{"replicas":7}})",
                                   {{"content-type", "application/merge-patch+json"}});
  EXPECT_EQ(scaled.status, 200) << scaled.body;
  EXPECT_EQ(TextAt(server_.GetJson(path), {"spec", "size"}), "7");
}

TEST_F(CustomResourcesTest, AnotherVersionIsTheSameObjectByAnotherName) {
  ASSERT_EQ(Make("a", R"({"color":"red"})").status, 201);
  const Json other = server_.GetJson("/apis/example.com/v1beta1/namespaces/default/widgets/a");
  EXPECT_EQ(TextAt(other, {"apiVersion"}), "example.com/v1beta1");
  EXPECT_EQ(TextAt(other, {"spec", "color"}), "red");
}

TEST_F(CustomResourcesTest, FieldsSelectAndColumnsShow) {
  ASSERT_EQ(Make("a", R"({"color":"red","size":3})").status, 201);
  ASSERT_EQ(Make("b", R"({"color":"blue"})").status, 201);
  const Json table =
      server_.GetJson(std::string(kWidgets) + "?fieldSelector=spec.color%3Dred", kTable);
  const auto* const rows = table.Find("rows")->If<Json::Array>();
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(TextAt((*rows)[0], {"cells"}), R"(["a",3,null])");
  EXPECT_THAT(TextAt(table, {"columnDefinitions"}), HasSubstr(R"("name":"Size")"));
  EXPECT_EQ(server_.Get(std::string(kWidgets) + "?fieldSelector=spec.size%3D3").status, 400);
}

TEST_F(CustomResourcesTest, ObjectsGoWithTheirDefinition) {
  ASSERT_EQ(Make("a", R"({"color":"red"})").status, 201);
  const std::string path = std::string(kDefinitionsPath) + "/widgets.example.com";
  EXPECT_EQ(server_.Send("DELETE", path).status, 200);
  EXPECT_EQ(server_.Get(path).status, 404);
  EXPECT_EQ(server_.Get(kWidgets).status, 404);
  EXPECT_THAT(server_.Get("/apis").body, Not(HasSubstr("example.com")));
  // What comes back under the name starts with nothing.
  ASSERT_EQ(server_.Send("POST", kDefinitionsPath, kWidgetDefinition).status, 201);
  EXPECT_EQ(TextAt(server_.GetJson(kWidgets), {"items"}), "[]");
}

TEST_F(CustomResourcesTest, ADefinitionWaitsForAnObjectThatSomebodyHolds) {
  ASSERT_EQ(server_
                .Send("POST", kWidgets,
                      R"({"metadata":{"name":"a","finalizers":["example.com/hold"]},)"
                      R"("apiVersion":"example.com/v1","kind":"Widget","spec":{"color":"red"}})")
                .status,
            201);
  const std::string path = std::string(kDefinitionsPath) + "/widgets.example.com";
  ASSERT_EQ(server_.Send("DELETE", path).status, 200);
  EXPECT_EQ(TextAt(server_.GetJson(path), {"metadata", "finalizers"}),
            R"(["customresourcecleanup.apiextensions.k8s.io"])");
  EXPECT_EQ(Make("b", R"({"color":"red"})").status, 405);
}

TEST_F(CustomResourcesTest, NamesBelongToTheFirst) {
  std::string other(kWidgetDefinition);
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{R"("widgets.example.com")", R"("gadgets.example.com")"},
        {R"("plural":"widgets")", R"("plural":"gadgets")"}}) {
    other.replace(other.find(from), from.size(), to);
  }
  const auto made = server_.Send("POST", kDefinitionsPath, other);
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(made.body, HasSubstr(R"("message":"\"WidgetList\" is already in use")"));
  EXPECT_EQ(server_.Get("/apis/example.com/v1/gadgets").status, 404);
  // When it goes, the next one gets them.
  server_.Send("DELETE", std::string(kDefinitionsPath) + "/widgets.example.com");
  EXPECT_EQ(server_.Get("/apis/example.com/v1/gadgets").status, 200);
}

TEST_F(CustomResourcesTest, WhatIsWrongWithADefinitionIsSaid) {
  std::string wrong(kWidgetDefinition);
  wrong.replace(wrong.find("\"scope\":\"Namespaced\""), 20, "\"scope\":\"Somewhere_\"");
  wrong.replace(wrong.find("widgets.example.com"), 7, "gadgets");
  const auto made = server_.Send("POST", kDefinitionsPath, wrong);
  EXPECT_EQ(made.status, 422) << made.body;
  EXPECT_THAT(
      made.body,
      HasSubstr(R"(is invalid: [metadata.name: Invalid value: \"gadgets.example.com\": must be )"
                R"(spec.names.plural+\".\"+spec.group, spec.scope: Unsupported value: )"
                R"(\"Somewhere_\": supported values: \"Cluster\", \"Namespaced\"])"));
}

TEST(CustomResources, AreThereAgainAfterAStartFromAFolder) {
  const scripted::TestFolder folder;
  const std::string data = folder.path() + "/data";
  {
    RawServer server(data);
    ASSERT_EQ(server.Send("POST", kDefinitionsPath, kWidgetDefinition).status, 201);
    ASSERT_EQ(server
                  .Send("POST", kWidgets,
                        R"({"apiVersion":"example.com/v1","kind":"Widget",)"
                        R"("metadata":{"name":"a"},"spec":{"color":"red"}})")
                  .status,
              201);
  }
  RawServer server(data);
  const Json widget = server.GetJson(std::string(kWidgets) + "/a");
  EXPECT_EQ(TextAt(widget, {"apiVersion"}), "example.com/v1");
  EXPECT_EQ(TextAt(widget, {"spec"}), R"({"color":"red","size":1})");
}

}  // namespace
}  // namespace flyball::sandbox
