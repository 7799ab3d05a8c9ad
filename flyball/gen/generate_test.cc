#include "flyball/gen/generate.h"

#include "flyball/gen/cpp_names.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::gen {
namespace {

using ::testing::HasSubstr;

Schema Parsed(const char* text) {
  Schema schema;
  EXPECT_TRUE(schema.AddFile("shop.v1.schema", text));
  return schema;
}

std::string Types(const char* text) {
  const Schema schema = Parsed(text);
  return EmitTypes(schema, schema.packages().begin()->second).value();
}

TEST(Generate, WritesAStructAsAPersonWould) {
  EXPECT_THAT(Types("package shop/v1\n"
                    "type Phase string\n"
                    "struct Site\n"
                    "  1 name string\n"
                    "  2 replicas *int32\n"
                    "  3 ready bool\n"
                    "  4 template Template\n"
                    "  5 extra *Template\n"
                    "  6 labels map[string]string\n"
                    "  7 flags []bool\n"
                    "  8 phase Phase\n"
                    "  9 data bytes\n"
                    "  10 limits map[string]@Quantity\n"
                    "struct Template\n"),
              HasSubstr("struct Site {\n"
                        "  std::string name;\n"
                        "  std::optional<std::int32_t> replicas;\n"
                        "  bool ready = false;\n"
                        "  Template template_;\n"
                        "  api::Box<Template> extra;\n"
                        "  api::Map<std::string> labels;\n"
                        "  std::vector<api::Boolean> flags;\n"
                        "  Phase phase;\n"
                        "  api::Bytes data;\n"
                        "  api::Map<api::Quantity> limits;\n"
                        "  api::UnknownFields unknown_fields;\n"));
}

TEST(Generate, PutsMembersBeforeWhatTheyAreIn) {
  const std::string types = Types(
      "package shop/v1\n"
      "struct A\n  1 b B\n"
      "struct B\n  1 . C go=C\n"
      "struct C\n  1 tree []A\n");
  EXPECT_LT(types.find("struct C {"), types.find("struct B : C {"));
  EXPECT_LT(types.find("struct B : C {"), types.find("struct A {"));
}

TEST(Generate, RefusesAStructThatContainsItself) {
  const Schema schema = Parsed("package shop/v1\nstruct A\n  1 b B\nstruct B\n  1 a A\n");
  const auto types = EmitTypes(schema, schema.packages().begin()->second);
  ASSERT_FALSE(types);
  EXPECT_EQ(types.error().path(), "shop/v1.A");
}

TEST(Generate, AvoidsWordsThatTheLanguageHas) {
  FieldFacts field;
  for (const char* word : {"namespace", "default", "operator", "not", "linux"}) {
    field.json_name = word;
    EXPECT_EQ(MemberName(field), std::string(word) + "_");
  }
}

constexpr char kViewSchema[] =
    "package shop/v1 group=shop.example.com version=v1\n"
    "kind Site\n  1 spec Spec\n  2 size int64\n"
    "struct Spec\n  1 name string\n  2 hosts []Host\n  3 secret *Host\n"
    "struct Host\n  1 name string\n  2 port float64\n";

TEST(Views, AreWrittenFromTheirDeclaration) {
  const Schema schema = Parsed(kViewSchema);
  const auto views = ParseViews(schema, "views.txt",
                                "view Small shop/v1.Site\n"
                                "  Site\n    spec\n"
                                "  Spec\n    hosts sparse  # somebody\n    rare secret\n"
                                "  Host\n    name pooled\n");
  ASSERT_TRUE(views) << views.error().Describe();
  const auto files = GenerateViews(schema, *views);
  ASSERT_TRUE(files);
  EXPECT_EQ((*files)[0].path, "flyball/api/views.h");
  EXPECT_THAT((*files)[0].text, HasSubstr("struct Small {\n"
                                          "  struct Host {\n"
                                          "    api::ViewString name;\n"
                                          "  };\n"
                                          "  struct Spec {\n"
                                          "    api::ViewList<Host> hosts;\n"
                                          "    /// Fields few read, as protobuf of shop/v1.Spec.\n"
                                          "    api::ViewString rare;\n"
                                          "  };\n"
                                          "  Spec spec;\n"));
}

TEST(Views, MistakesAreNamedWithTheirLine) {
  const Schema schema = Parsed(kViewSchema);
  const auto error = [&](const char* text) {
    return ParseViews(schema, "v", text).error().Describe();
  };
  EXPECT_EQ(error("view S shop/v1.Nothing\n"), "malformed: v:1: there is no kind shop/v1.Nothing");
  EXPECT_EQ(error("view S shop/v1.Site\n  Site\n    height\n"),
            "malformed: v:3: Site has no field height");
  EXPECT_EQ(error("view S shop/v1.Site\n  Site\n    spec\n"),
            "malformed: v:2: the view does not say what it keeps of Spec");
  EXPECT_EQ(error("view S shop/v1.Site\n  Site\n    size\n  Host\n"),
            "malformed: v:4: nothing refers to Host");
  EXPECT_EQ(error("view S shop/v1.Site\n  Site\n    size often\n"),
            "malformed: v:3: unknown word 'often'");
}

TEST(Views, AFieldThatViewsCannotHoldIsAnError) {
  const Schema schema = Parsed(kViewSchema);
  const auto views = ParseViews(
      schema, "v", "view S shop/v1.Site\n  Site\n    spec\n  Spec\n    hosts\n  Host\n    port\n");
  ASSERT_TRUE(views);
  EXPECT_EQ(GenerateViews(schema, *views).error().path(), "S: Host.port");
}

}  // namespace
}  // namespace flyball::gen
