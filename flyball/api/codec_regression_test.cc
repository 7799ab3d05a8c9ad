/// What an input may cost, and inputs that once cost too much or went wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"

namespace flyball::api {
namespace {

using apiextensions::v1::JSONSchemaProps;
using core::v1::ConfigMap;
using core::v1::PodList;
using testing::HasSubstr;
using testing::StartsWith;

std::string Repeat(std::string_view text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated += text;
  return repeated;
}

/// A protobuf field that holds bytes.
std::string Nested(int number, const std::string& bytes) {
  std::string field(1, static_cast<char>(number << 3 | 2));
  std::size_t length = bytes.size();
  for (; length >= 0x80; length >>= 7) field += static_cast<char>(length | 0x80);
  field += static_cast<char>(length);
  return field + bytes;
}

constexpr int kItems = 2;  // of a PodList

TEST(CodecRegression, ListOfEmptyMessagesIsRefusedBeforeItIsMade) {
  const auto protobuf = DecodeProtobuf<PodList>(Repeat(Nested(kItems, ""), 1'000'000));
  ASSERT_FALSE(protobuf);
  EXPECT_EQ(protobuf.error().Describe(),
            "malformed: items[0]: takes more memory than an input of its size may");

  const auto json = DecodeJson<PodList>("{\"items\":[{}" + Repeat(",{}", 1'000'000) + "]}");
  ASSERT_FALSE(json);
  EXPECT_THAT(json.error().Describe(), StartsWith("malformed: items["));
  EXPECT_THAT(json.error().message(), HasSubstr("more memory"));
}

TEST(CodecRegression, ListOfManySmallMessagesIsTaken) {
  const auto protobuf = DecodeProtobuf<PodList>(Repeat(Nested(kItems, ""), 20'000));
  ASSERT_TRUE(protobuf) << protobuf.error().Describe();
  EXPECT_EQ(protobuf->items.size(), 20'000U);
  const std::string pod = R"({"metadata":{"name":"web","namespace":"default"},"spec":{}})";
  const auto json = DecodeJson<PodList>("{\"items\":[" + pod + Repeat("," + pod, 50'000) + "]}");
  ASSERT_TRUE(json) << json.error().Describe();
  EXPECT_EQ(json->items.size(), 50'001U);
}

// Each entry was put in its place in a sorted vector: half a megabyte took a minute.
TEST(CodecRegression, MapInDescendingOrderTakesNoLonger) {
  constexpr int kEntries = 100'000;
  std::string json = "{\"data\":{";
  std::string protobuf;
  for (int i = kEntries; i > 0; --i) {
    const std::string key = std::to_string(1'000'000 + i);
    json.append(i == kEntries ? "\"" : ",\"").append(key).append("\":\"x\"");
    protobuf += Nested(2, Nested(1, key) + Nested(2, "x"));
  }
  json += "}}";
  const auto from_json = DecodeJson<ConfigMap>(json);
  ASSERT_TRUE(from_json) << from_json.error().Describe();
  EXPECT_EQ(from_json->data.size(), kEntries);
  EXPECT_EQ(from_json->data.begin()->first, "1000001");
  ASSERT_NE(from_json->data.find("1050000"), nullptr);
  EXPECT_EQ(DecodeProtobuf<ConfigMap>(protobuf)->data, from_json->data);
  EXPECT_EQ(Json::Parse(json)->Find("data")->If<Json::Object>()->size(), kEntries);
}

TEST(CodecRegression, LastOfEqualKeysCounts) {
  EXPECT_EQ(Json::Parse(R"({"b":1,"a":1,"b":2,"a":2,"b":3})")->ToString(), R"({"a":2,"b":3})");
  const auto json = DecodeJson<ConfigMap>(R"({"data":{"b":"1","a":"1","b":"2"}})");
  EXPECT_EQ(json->data, (Map<std::string>{{"a", "1"}, {"b", "2"}}));
}

// As in Go, where a map's value starts fresh each time its key comes.
TEST(CodecRegression, EqualKeysOfMessagesDoNotMerge) {
  const auto json =
      DecodeJson<JSONSchemaProps>(R"({"properties":{"a":{"type":"x"},"a":{"title":"y"}}})");
  ASSERT_TRUE(json) << json.error().Describe();
  EXPECT_EQ(*EncodeJson(*json), R"({"properties":{"a":{"title":"y"}}})");

  JSONSchemaProps first;
  first.properties["a"].type = "x";
  JSONSchemaProps second;
  second.properties["a"].title = "y";
  const auto merged =
      DecodeProtobuf<JSONSchemaProps>(*EncodeProtobuf(first) + *EncodeProtobuf(second));
  ASSERT_TRUE(merged) << merged.error().Describe();
  EXPECT_EQ(*EncodeJson(*merged), R"({"properties":{"a":{"title":"y"}}})");
}

TEST(CodecRegression, DeepNestingIsAnErrorAndNoOverflow) {
  constexpr int kDeep = 100'000;
  for (const std::string_view opening :
       {"{\"not\":", "{\"allOf\":[", "{\"x\":", "[", "{\"enum\":["}) {
    const auto json = DecodeJson<JSONSchemaProps>(Repeat(opening, kDeep));
    EXPECT_FALSE(json) << opening;
    EXPECT_FALSE(Json::Parse(Repeat(opening, kDeep))) << opening;
  }
  constexpr int kNot = 28;
  std::string nested;
  for (int i = 0; i < 2000; ++i) {
    // A tag of two bytes: field 28 needs them.
    const std::string inner = Nested(1, nested).substr(1);
    nested = std::string("\xe2\x01") + inner;
  }
  static_assert((kNot << 3 | 2) == 0xe2);
  const auto protobuf = DecodeProtobuf<JSONSchemaProps>(nested);
  ASSERT_FALSE(protobuf);
  EXPECT_EQ(protobuf.error().message(), "nested deeper than 100 levels");
}

}  // namespace
}  // namespace flyball::api
