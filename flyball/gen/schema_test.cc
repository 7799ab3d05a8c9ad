#include "flyball/gen/schema.h"

#include "gtest/gtest.h"

namespace flyball::gen {
namespace {

constexpr char kShop[] = R"(package shop/v1 group=shop.example.com version=v1

resource websites Website namespaced singular=website short=ws,site verbs=get,list
sub websites status Website verbs=get,update

type Phase string
type Limits map[string]@Quantity
type Words []string wrapped

kind Website
  - . meta/v1.TypeMeta go=TypeMeta
  1 spec Spec omitempty
  2 $ref *string omitempty cpp=ref go=Ref

struct Spec atomic
  1 parts []Part patch=merge key=name list=map:name:kind required
  2 phase *Phase omitempty omitzero

struct Part
  1 . Base go=Base

struct Base
  1 name string
)";

TEST(Schema, ReadsAllThatAFileSays) {
  Schema schema;
  ASSERT_TRUE(schema.AddFile("shop.v1.schema", kShop));
  const Package& package = schema.packages().at("shop/v1");
  EXPECT_EQ(package.group, "shop.example.com");
  ASSERT_EQ(package.resources.size(), 1u);
  EXPECT_EQ(package.resources[0].short_names, (std::vector<std::string>{"ws", "site"}));
  EXPECT_TRUE(package.resources[0].namespaced);
  EXPECT_EQ(package.resources[0].subresources[0].verbs,
            (std::vector<std::string>{"get", "update"}));
  EXPECT_TRUE(package.named.at("Words").wrapped);

  const StructFacts* website = schema.FindStruct("shop/v1.Website");
  ASSERT_TRUE(website);
  EXPECT_TRUE(website->is_kind);
  EXPECT_EQ(website->fields[0].number, 0);
  EXPECT_TRUE(website->fields[0].inlined);
  EXPECT_EQ(website->fields[1].go_name, "Spec");
  EXPECT_EQ(website->fields[2].cpp_name, "ref");

  const StructFacts* spec = schema.FindStruct("shop/v1.Spec");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->atomic);
  EXPECT_EQ(spec->fields[0].merge_key, "name");
  EXPECT_EQ(spec->fields[0].list_type, "map:name:kind");
  EXPECT_TRUE(spec->fields[0].required);
  EXPECT_TRUE(spec->fields[1].omitzero);
}

TEST(Schema, ResolvesNamedTypes) {
  Schema schema;
  ASSERT_TRUE(schema.AddFile("shop.v1.schema", kShop));
  TypeRef limits;
  limits.form = TypeRef::Form::kNamed;
  limits.name = "shop/v1.Limits";
  EXPECT_EQ(schema.Resolve(limits).form, TypeRef::Form::kMap);
  EXPECT_EQ(schema.Resolve(limits).Element().name, "Quantity");
}

TEST(Schema, SaysWhichLineIsWrong) {
  Schema schema;
  const auto result = schema.AddFile("x.schema", "package x\nstruct A\n  nine name string\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().Describe(), "malformed: x.schema:3: 'nine' is not a field number");
}

TEST(Schema, SaysWhichTypeIsMissing) {
  Schema schema;
  ASSERT_TRUE(schema.AddFile("x.schema", "package x\nstruct A\n  1 b []B\n"));
  EXPECT_EQ(schema.Check().error().Describe(), "malformed: x.A.b: there is no type x.B");
}

TEST(Schema, RefusesWordsItDoesNotKnow) {
  for (const char* text : {"package x\nklass A\n", "package x\nstruct A odd\n",
                           "package x\nstruct A\n  1 b string odd\n", "package x\n  1 b string\n",
                           "package x\nsub pods status Pod verbs=get\n", "struct A\n"}) {
    EXPECT_FALSE(Schema().AddFile("x.schema", text)) << text;
  }
}

}  // namespace
}  // namespace flyball::gen
