// Readers take 100 levels. What calls itself for each of them must have stack enough for as many.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/diff.h"
#include "flyball/api/equality.h"
#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/merge_patch.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/yaml_writer.h"
#include "flyball/base/small_stack.h"

namespace flyball::api {
namespace {

using apiextensions::v1::JSONSchemaProps;

std::string Repeated(int times, std::string_view text) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string Arrays(int levels) { return Repeated(levels, "[") + Repeated(levels, "]"); }
std::string Objects(int levels, const std::string& leaf = "{}") {
  return Repeated(levels - 1, R"({"a":)") + leaf + Repeated(levels - 1, "}");
}
/// A schema of so many levels; protobuf has two messages for each.
std::string Schema(int levels) {
  return Repeated(levels - 1, R"({"items":)") + R"({"type":"string"})" + Repeated(levels - 1, "}");
}

TEST(Nesting, JsonOfAHundredLevelsNeedsLittleStack) {
  EXPECT_FALSE(Json::Parse(Arrays(101)));
  EXPECT_FALSE(Json::Parse(Objects(101)));
  RunOnSmallStack([] {
    for (const std::string& text : {Arrays(100), Objects(100)}) {
      const Json tree = *Json::Parse(text);
      Json copy = tree;
      EXPECT_EQ(copy, tree);
      EXPECT_EQ(copy.ToString(), text);
      EXPECT_FALSE(ToYaml(copy).empty());
      EXPECT_EQ(Diff(tree, copy), "");
      EXPECT_FALSE(Diff(tree, Json()).empty());
    }
  });
}

TEST(Nesting, MergePatchesOfAHundredLevelsNeedLittleStack) {
  RunOnSmallStack([] {
    const Json before = *Json::Parse(Objects(100));
    const Json after = *Json::Parse(Objects(100, R"({"b":1})"));
    const Json patch = *CreateMergePatch(before, after);
    EXPECT_EQ(ApplyMergePatch(before, patch), after);
  });
}

TEST(Nesting, ObjectsOfAHundredMessagesNeedLittleStack) {
  RunOnSmallStack([] {
    const auto schema = *DecodeJson<JSONSchemaProps>(Schema(49));
    const std::string bytes = *EncodeProtobuf(schema);
    const auto again = *DecodeProtobuf<JSONSchemaProps>(bytes);
    EXPECT_TRUE(SemanticEqual(schema, again));
    EXPECT_EQ(again, schema);
    EXPECT_EQ(*EncodeJson(again), Schema(49));
    EXPECT_EQ(ToJson(again)->ToString(), Schema(49));
  });
  const auto too_deep = *DecodeJson<JSONSchemaProps>(Schema(60));
  EXPECT_FALSE(DecodeProtobuf<JSONSchemaProps>(*EncodeProtobuf(too_deep)));
}

}  // namespace
}  // namespace flyball::api
