#include "flyball/sandbox/custom/custom_schema.h"

#include "flyball/api/json_decode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using api::Json;
using testing::ElementsAre;

CustomSchema SchemaOf(std::string_view spec) {
  return CustomSchema(api::DecodeJson<CustomSchema::Props>(
                          R"({"type":"object","properties":{"spec":)" + std::string(spec) + "}}")
                          .value());
}

/// What pruning leaves, and what it takes.
std::pair<std::string, std::vector<std::string>> Pruned(std::string_view spec,
                                                        std::string_view object) {
  Json tree = *Json::Parse(object);
  auto dropped = SchemaOf(spec).Prune(tree);
  return {tree.ToString(), std::move(dropped)};
}

std::string Filled(std::string_view spec, std::string_view object) {
  Json tree = *Json::Parse(object);
  SchemaOf(spec).SetDefaults(tree);
  return tree.ToString();
}

std::vector<std::string> Errors(std::string_view spec, std::string_view value) {
  std::vector<std::string> texts;
  const Json tree = *Json::Parse(R"({"spec":)" + std::string(value) + "}");
  for (const FieldError& error : SchemaOf(spec).Validate(tree)) {
    texts.push_back(error.field + ": " + error.Message());
  }
  return texts;
}

TEST(CustomSchema, WhatTheSchemaDoesNotNameIsDropped) {
  const auto [left, dropped] = Pruned(R"({"type":"object","properties":{"a":{"type":"string"},
                 "l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}}}})",
                                      R"({"kind":"K","metadata":{"name":"n"},"z":1,
                 "spec":{"a":"1","b":2,"l":[{"x":"1","y":2}]}})");
  EXPECT_EQ(left, R"({"kind":"K","metadata":{"name":"n"},"spec":{"a":"1","l":[{"x":"1"}]}})");
  EXPECT_THAT(dropped, ElementsAre("spec.l[0].y", "spec.b", "z"));
}

TEST(CustomSchema, WhatIsLeftOpenIsKept) {
  EXPECT_EQ(Pruned(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})",
                   R"({"spec":{"b":{"c":2}}})")
                .first,
            R"({"spec":{"b":{"c":2}}})");
  EXPECT_EQ(Pruned(R"({"type":"object","additionalProperties":{"type":"string"}})",
                   R"({"spec":{"b":"c"}})")
                .first,
            R"({"spec":{"b":"c"}})");
  EXPECT_EQ(Pruned(R"({"type":"object","x-kubernetes-embedded-resource":true})",
                   R"({"spec":{"kind":"Pod","metadata":{"name":"x"},"data":1}})")
                .first,
            R"({"spec":{"kind":"Pod","metadata":{"name":"x"}}})");
}

TEST(CustomSchema, DefaultsFillWhatIsAbsentAndWhatIsNullButMayNotBe) {
  constexpr char kSchema[] =
      R"({"type":"object","default":{},"properties":{
          "n":{"type":"integer","default":3},
          "o":{"type":"object","default":{},"properties":{"s":{"type":"string","default":"x"}}},
          "m":{"type":"string","nullable":true,"default":"y"},
          "p":{"type":"string"}}})";
  EXPECT_EQ(Filled(kSchema, "{}"), R"({"spec":{"m":"y","n":3,"o":{"s":"x"}}})");
  EXPECT_EQ(Filled(kSchema, R"({"spec":{"n":null,"m":null,"p":null,"o":{"s":"z"}}})"),
            R"({"spec":{"m":null,"n":3,"o":{"s":"z"}}})");
}

TEST(CustomSchema, SaysWhatIsWrongAsTheApiServerDoes) {
  EXPECT_THAT(
      Errors(R"({"type":"integer"})", R"("a")"),
      ElementsAre(
          R"(spec: Invalid value: "string": spec in body must be of type integer: "string")"));
  EXPECT_THAT(
      Errors(R"({"type":"integer","minimum":1})", "0"),
      ElementsAre("spec: Invalid value: 0: spec in body should be greater than or equal to 1"));
  EXPECT_THAT(Errors(R"({"type":"string","pattern":"^a+$"})", R"("b")"),
              ElementsAre(R"(spec: Invalid value: "b": spec in body should match '^a+$')"));
  EXPECT_THAT(Errors(R"({"type":"string","enum":["a","b"]})", R"("c")"),
              ElementsAre(R"(spec: Unsupported value: "c": supported values: "a", "b")"));
  EXPECT_THAT(Errors(R"({"type":"string","maxLength":2})", R"("abc")"),
              ElementsAre("spec: Too long: may not be more than 2 bytes"));
  EXPECT_THAT(Errors(R"({"type":"object","required":["x"]})", "{}"),
              ElementsAre("spec.x: Required value"));
  EXPECT_THAT(Errors(R"({"type":"array","maxItems":1,"items":{"type":"string"}})", R"(["a","b"])"),
              ElementsAre("spec: Too many: 2: must have at most 1 items"));
  EXPECT_THAT(Errors(R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})",
                     R"(["a","a"])"),
              ElementsAre(R"(spec[1]: Duplicate value: "a")"));
}

TEST(CustomSchema, TakesWhatIsAllowed) {
  EXPECT_THAT(Errors(R"({"x-kubernetes-int-or-string":true})", "5"), ElementsAre());
  EXPECT_THAT(Errors(R"({"x-kubernetes-int-or-string":true})", R"("5%")"), ElementsAre());
  EXPECT_THAT(Errors(R"({"type":"string","nullable":true})", "null"), ElementsAre());
  EXPECT_THAT(Errors(R"({"type":"number"})", "3"), ElementsAre());
  EXPECT_THAT(
      Errors(R"({"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]})", R"({"a":1})"),
      ElementsAre());
}

TEST(CustomSchema, MatchesPatternOfNestedRepetitionsInLinearTime) {
  const std::string text = std::string(36, 'a') + "!";
  EXPECT_THAT(
      Errors(R"({"type":"string","pattern":"^(a+)+$"})", '"' + text + '"'),
      ElementsAre("spec: Invalid value: \"" + text + "\": spec in body should match '^(a+)+$'"));
  const std::string longer(100'000, 'b');
  EXPECT_THAT(Errors(R"({"type":"string","pattern":"^(a+)+$"})", '"' + longer + '"').size(), 1);
}

TEST(CustomSchema, RefusesObjectThatTakesTooManyStepsToValidate) {
  std::string branches;
  std::string values;
  for (int i = 0; i < 1100; ++i) {
    branches += (i == 0 ? "" : ",") + std::string(R"({"maximum":0})");
    values += i == 0 ? "1" : ",1";
  }
  EXPECT_THAT(Errors(R"({"type":"array","items":{"type":"integer","anyOf":[)" + branches + "]}}",
                     "[" + values + "]"),
              ElementsAre(": Invalid value: \"\": takes more than 1000000 steps to be validated"));
}

}  // namespace
}  // namespace flyball::sandbox
