#include "flyball/ctl/object_printer.h"

#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using api::Json;

const Json kPod = *Json::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web",
    "labels":{"app":"w<b"},"managedFields":[{"manager":"me"}]},"spec":{"ports":[1,2],"deep":{"a":null}}})");
const Json kSet = *Json::Parse(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{}})");

std::string Print(std::string_view format, const Json& object,
                  ObjectPrinter::Options options = {}) {
  const auto parsed = OutputFormat::Parse(format);
  if (!parsed) return parsed.error().message();
  auto printer = ObjectPrinter::Make(*parsed, options);
  if (!printer) return printer.error().message();
  const auto printed = printer->Print(object);
  return printed ? *printed : printed.error().message();
}

TEST(ObjectPrinter, NamesHaveTheirKindBeforeThem) {
  EXPECT_EQ(Print("name", kPod), "pod/web\n");
  EXPECT_EQ(Print("name", ListOf({kPod, kSet})), "pod/web\nreplicaset.apps/<unknown>\n");
}

TEST(ObjectPrinter, JsonIsIndentedAsGoDoes) {
  EXPECT_EQ(Print("json", kPod),
            R"({
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "labels": {
            "app": "w\u003cb"
        },
        "name": "web"
    },
    "spec": {
        "deep": {
            "a": null
        },
        "ports": [
            1,
            2
        ]
    }
}
)");
  EXPECT_EQ(Print("json", ListOf({})),
            "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n    \"kind\": \"List\",\n"
            "    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n");
}

TEST(ObjectPrinter, YamlDocumentsAreSeparated) {
  auto printer = ObjectPrinter::Make({OutputFormat::Kind::kYaml}, {.show_managed_fields = true});
  ASSERT_TRUE(printer);
  EXPECT_EQ(*printer->Print(kSet), "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {}\n");
  EXPECT_EQ(*printer->Print(kPod),
            "---\napiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    app: w<b\n"
            "  managedFields:\n  - manager: me\n  name: web\nspec:\n  deep:\n    a: null\n"
            "  ports:\n  - 1\n  - 2\n");
}

TEST(ObjectPrinter, ManagedFieldsAreLeftOutOfListsToo) {
  EXPECT_EQ(Print("yaml", ListOf({kPod})).find("managedFields"), std::string::npos);
}

TEST(ObjectPrinter, TemplatesAreFilled) {
  EXPECT_EQ(Print("jsonpath={.items[*].metadata.name}", ListOf({kPod, kSet})), "web");
  EXPECT_EQ(Print("jsonpath", kPod), "template format specified but no template given");
  EXPECT_EQ(Print("jsonpath={", kPod), "error parsing jsonpath {, unclosed action");
}

TEST(ObjectPrinter, ColumnsAreOnesOwn) {
  EXPECT_EQ(
      Print("custom-columns=NAME:.metadata.name,P:spec.ports,L:.metadata.labels,D:.spec.deep.a",
            ListOf({kPod, kSet})),
      "NAME     P        L              D\n"
      "web      [1 2]    map[app:w<b]   <nil>\n"
      "<none>   <none>   <none>         <none>\n");
  EXPECT_EQ(Print("custom-columns=N:.metadata.name", kPod, {.no_headers = true}), "web\n");
  EXPECT_EQ(Print("custom-columns=P:.spec.ports[*]", kPod), "P\n1,2\n");
  EXPECT_EQ(Print("custom-columns=N", kPod),
            "unexpected custom-columns spec: N, expected <header>:<json-path-expr>");
  EXPECT_EQ(Print("custom-columns=", kPod),
            "custom-columns format specified but no custom columns given");
}

TEST(ObjectPrinter, UnknownFormatsAreRefused) {
  EXPECT_EQ(
      Print("xml", kPod),
      "unable to match a printer suitable for the output format \"xml\", allowed formats are: "
      "custom-columns,json,jsonpath,name,wide,yaml");
  EXPECT_TRUE(OutputFormat::Parse("")->IsTable());
  EXPECT_TRUE(OutputFormat::Parse("wide")->IsTable());
  EXPECT_FALSE(OutputFormat::Parse("json")->IsTable());
}

TEST(ObjectPrinter, TerminalsAreLeftAlone) { EXPECT_EQ(EscapeTerminal("a\x1b[31mb"), "a^[[31mb"); }

}  // namespace
}  // namespace flyball::ctl
