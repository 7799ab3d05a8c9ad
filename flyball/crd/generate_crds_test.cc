#include "flyball/crd/generate_crds.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::crd {
namespace {

using ::testing::HasSubstr;

/// A CRD with this openAPIV3Schema, in flow style.
std::string Crd(const std::string& schema, const std::string& more = "") {
  return "apiVersion: apiextensions.k8s.io/v1\n"
         "kind: CustomResourceDefinition\n"
         "metadata: {name: widgets.shop.example.com}\n"
         "spec:\n"
         "  group: shop.example.com\n"
         "  scope: Namespaced\n"
         "  names: {plural: widgets, kind: Widget}\n"
         "  versions:\n"
         "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: " +
         schema + "}" + more + "}\n";
}

std::string WithSpec(const std::string& properties, const std::string& more = "") {
  return Crd("{type: object, properties: {spec: {type: object, properties: {" + properties + "}" +
             more + "}}}");
}

/// The struct of that name in the header.
std::string Struct(const std::string& name, const std::string& crd) {
  const auto files = GenerateCrds({{"widgets.yaml", crd}});
  if (!files) return files.error().Describe();
  const std::string& header = files->front().text;
  const auto start = header.find("\nstruct " + name + " {\n") + 1;
  return header.substr(start, header.find("  api::UnknownFields", start) - start);
}

std::string ErrorOf(const std::string& crd) {
  const auto files = GenerateCrds({{"widgets.yaml", crd}});
  return files ? "no error" : files.error().Describe();
}

TEST(GenerateCrds, WritesTypesAndTablesOfAFileAndAHeaderOfAVersion) {
  const auto files = GenerateCrds({{"some/where/widgets.yaml", Crd("{type: object}")}});
  ASSERT_TRUE(files) << files.error().Describe();
  ASSERT_EQ(files->size(), 3u);
  EXPECT_EQ((*files)[0].path, "flyball/crds/widgets_types.h");
  EXPECT_THAT((*files)[0].text, HasSubstr("namespace flyball::shop_example_com::v1 {"));
  EXPECT_EQ((*files)[1].path, "flyball/crds/widgets_table.cc");
  EXPECT_THAT((*files)[1].text, HasSubstr("#include \"flyball/crds/widgets_types.h\""));
  EXPECT_EQ((*files)[2].path, "flyball/crds/shop_example_com/v1.h");
  EXPECT_THAT((*files)[2].text, HasSubstr("#include \"flyball/crds/widgets_types.h\""));
}

TEST(GenerateCrds, ANamespaceStandsForTheGroup) {
  const auto files = GenerateCrds({{"w.yaml", Crd("{type: object}")}}, "acme::shop");
  ASSERT_TRUE(files);
  EXPECT_EQ((*files)[2].path, "flyball/crds/acme/shop/v1.h");
  EXPECT_THAT((*files)[0].text, HasSubstr("namespace flyball::acme::shop::v1 {"));
  EXPECT_FALSE(GenerateCrds({{"w.yaml", Crd("{type: object}")}}, "not a name"));
  EXPECT_FALSE(GenerateCrds({{"w.yaml", Crd("{type: object}")}}, "meta"));
}

TEST(GenerateCrds, MapsEveryTypeOfASchema) {
  EXPECT_EQ(Struct("WidgetSpec",
                   WithSpec("a: {type: string}, b: {type: string, format: byte}, "
                            "c: {type: string, format: date-time}, d: {type: integer}, "
                            "e: {type: integer, format: int32}, f: {type: number}, "
                            "g: {type: boolean}, h: {x-kubernetes-int-or-string: true}, "
                            "i: {x-kubernetes-preserve-unknown-fields: true}, "
                            "j: {type: array, items: {type: boolean}}, "
                            "k: {type: object, additionalProperties: {type: integer}}, "
                            "l: {type: object, additionalProperties: true}, "
                            "m: {type: object, properties: {x: {type: string}}}, "
                            "p: {type: object, x-kubernetes-preserve-unknown-fields: true}, "
                            "o: {type: object}")),
            "struct WidgetSpec {\n"
            "  std::optional<std::string> a;\n"
            "  std::optional<api::Bytes> b;\n"
            "  std::optional<api::Time> c;\n"
            "  std::optional<std::int64_t> d;\n"
            "  std::optional<std::int32_t> e;\n"
            "  std::optional<double> f;\n"
            "  std::optional<bool> g;\n"
            "  std::optional<api::IntOrString> h;\n"
            "  std::optional<api::RawJson> i;\n"
            "  std::vector<api::Boolean> j;\n"
            "  api::Map<std::int64_t> k;\n"
            "  api::Map<api::RawJson> l;\n"
            "  api::Box<WidgetSpecM> m;\n"
            "  api::Box<WidgetSpecO> o;\n"
            "  std::optional<api::RawJson> p;\n");
}

TEST(GenerateCrds, WhatMustBeThereIsAPlainValue) {
  EXPECT_EQ(Struct("WidgetSpec",
                   WithSpec("a: {type: string}, b: {type: object}, c: {type: string, default: x}, "
                            "d: {type: string, nullable: true}",
                            ", required: [a, b, c, d]")),
            "struct WidgetSpec {\n"
            "  std::string a;\n"
            "  WidgetSpecB b;\n"
            "  /// Default: \"x\"\n"
            "  std::optional<std::string> c;\n"
            "  std::optional<std::string> d;\n");
}

TEST(GenerateCrds, ListsInListsAreStructsWithOneValue) {
  const std::string crd = WithSpec(
      "a: {type: array, items: {type: array, items: {type: object, additionalProperties: "
      "{type: string, nullable: true}}}}");
  EXPECT_EQ(Struct("WidgetSpec", crd), "struct WidgetSpec {\n  std::vector<WidgetSpecAItem> a;\n");
  EXPECT_EQ(Struct("WidgetSpecAItem", crd),
            "struct WidgetSpecAItem {\n  std::vector<WidgetSpecAItemItem> value;\n");
  EXPECT_EQ(Struct("WidgetSpecAItemItem", crd),
            "struct WidgetSpecAItemItem {\n"
            "  api::Map<WidgetSpecAItemItemValueOrNull> value;\n");
  EXPECT_EQ(Struct("WidgetSpecAItemItemValueOrNull", crd),
            "struct WidgetSpecAItemItemValueOrNull {\n  std::optional<std::string> value;\n");
}

TEST(GenerateCrds, AQuantityIsKnownByItsPattern) {
  EXPECT_EQ(Struct("WidgetSpec",
                   WithSpec("size: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, "
                            "{type: string}], pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))"
                            "(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|"
                            "(\\.[0-9]+))))?$'}")),
            "struct WidgetSpec {\n  std::optional<api::Quantity> size;\n");
}

TEST(GenerateCrds, WhatPeopleAreToldStandsAboveAField) {
  EXPECT_EQ(
      Struct("WidgetSpec", WithSpec("a: {type: string, description: 'How it looks. */ #define', "
                                    "enum: [red, green]}")),
      "struct WidgetSpec {\n"
      "  /// How it looks. */ #define\n"
      "  ///\n"
      "  /// One of: \"red\", \"green\".\n"
      "  std::optional<std::string> a;\n");
}

TEST(GenerateCrds, NamesThatMeetAreToldApart) {
  EXPECT_EQ(Struct("WidgetSpec", WithSpec("'a-b': {type: object}, aB: {type: object}, "
                                          "class: {type: string}, Widget: {type: string}")),
            "struct WidgetSpec {\n"
            "  std::optional<std::string> Widget2;\n"
            "  api::Box<WidgetSpecAB> aB2;\n"
            "  api::Box<WidgetSpecAB2> aB;\n"
            "  std::optional<std::string> class_;\n");
}

TEST(GenerateCrds, SaysWhereASchemaIsWrong) {
  const std::string at = "invalid: widgets.yaml: spec.versions[0].schema.openAPIV3Schema";
  EXPECT_EQ(ErrorOf(WithSpec("x: {}")),
            at + ".properties.spec.properties.x.type: not given, without "
                 "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields");
  EXPECT_EQ(ErrorOf(WithSpec("'a.b': {type: array, items: {$ref: '#/x'}}")),
            at + ".properties.spec.properties[\"a.b\"].items.$ref: not in the schema of a CRD");
  EXPECT_EQ(ErrorOf(WithSpec("x: {type: object, additionalProperties: {type: text}}")),
            at + ".properties.spec.properties.x.additionalProperties.type: "
                 "none of array, boolean, integer, number, object and string");
  EXPECT_EQ(ErrorOf(WithSpec("x: {type: string, anyOf: [{minLength: 1}, {type: string}]}")),
            at + ".properties.spec.properties.x.anyOf[1].type: "
                 "not inside of allOf, anyOf, oneOf and not");
  EXPECT_EQ(ErrorOf(WithSpec("x: {type: array, items: {type: integer}, default: [1, two]}")),
            at + ".properties.spec.properties.x.default[1]: not an integer");
  EXPECT_EQ(ErrorOf(Crd("{type: object, properties: {metadata: {type: object, properties: "
                        "{labels: {type: object}}}}}")),
            at + ".properties.metadata: "
                 "a schema can restrict name and generateName here, and nothing else");
}

TEST(GenerateCrds, SaysWhereADefinitionIsWrong) {
  EXPECT_EQ(ErrorOf("apiVersion: v1\nkind: Pod\n"),
            "unsupported: widgets.yaml: kind: a Pod of v1, where a CustomResourceDefinition of "
            "apiextensions.k8s.io/v1 belongs");
  EXPECT_EQ(ErrorOf("apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n"),
            "unsupported: widgets.yaml: there is no kind CustomResourceDefinition in "
            "apiextensions.k8s.io/v1beta1");
  EXPECT_EQ(ErrorOf("# nothing\n---\n"), "malformed: widgets.yaml: no document");
  EXPECT_EQ(ErrorOf(Crd("{type: object}") + "---\n" + Crd("{type: object}")),
            "invalid: widgets.yaml, document 2: spec.names: "
            "there are two kinds Widget in shop_example_com/v1");
  EXPECT_EQ(ErrorOf(Crd("{type: object}",
                        ", subresources: {scale: {specReplicasPath: .spec.x, "
                        "statusReplicasPath: .replicas}}")),
            "invalid: widgets.yaml: spec.versions[0].subresources.scale.statusReplicasPath: "
            "not a path under .status");
  std::string crd = Crd("{type: object}");
  crd.replace(crd.find("kind: Widget"), 12, "kind: 'Wid get'");
  EXPECT_EQ(ErrorOf(crd), "invalid: widgets.yaml: spec.names.kind: not a DNS label: \"wid get\"");
}

TEST(GenerateCrds, TwoGroupsCannotShareANamespace) {
  std::string other = Crd("{type: object}");
  for (std::size_t at = 0; (at = other.find("shop.example.com", at)) != std::string::npos;) {
    other.replace(at, 16, "shop-example.com");
  }
  const auto files = GenerateCrds({{"a.yaml", Crd("{type: object}")}, {"b.yaml", other}});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().Describe(),
            "invalid: b.yaml: spec.versions[0].name: the namespace shop_example_com/v1 is that of "
            "shop.example.com/v1; --namespace gives another");
}

TEST(GenerateCrds, ReadsJson) {
  const auto files = GenerateCrds({{"w.json", R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"CustomResourceDefinition","metadata":{"name":"widgets.shop.example.com"},
      "spec":{"group":"shop.example.com","scope":"Cluster",
              "names":{"plural":"widgets","kind":"Widget"},
              "versions":[{"name":"v1","served":true,"storage":true,
                           "schema":{"openAPIV3Schema":{"type":"object"}}}]}})"}});
  EXPECT_TRUE(files) << files.error().Describe();
}

TEST(GenerateCrds, ASchemaThatGoesTooDeepIsAnError) {
  std::string schema = "{type: string}";
  for (int i = 0; i < 120; ++i) schema = "{type: array, items: " + schema + "}";
  EXPECT_THAT(ErrorOf(WithSpec("x: " + schema)), HasSubstr("nested deeper than 100 levels"));
}

}  // namespace
}  // namespace flyball::crd
