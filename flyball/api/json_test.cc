#include "flyball/api/json.h"

#include "flyball/api/core/v1.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

std::string Rewritten(std::string_view text) {
  const auto parsed = Json::Parse(text);
  return parsed ? parsed->ToString() : parsed.error().Describe();
}

TEST(Json, MembersAreInNameOrderAndTheLastOfARepeatedNameCounts) {
  EXPECT_EQ(Rewritten(R"( {"b": [1, {"d":2,"c":3}], "a": null, "b": "last"} )"),
            R"({"a":null,"b":"last"})");
}

TEST(Json, NumbersAreIntegersWhereTheyAreWrittenSo) {
  EXPECT_EQ(*Json::Parse("9223372036854775807"), Json(std::int64_t{9223372036854775807}));
  EXPECT_EQ(*Json::Parse("-1"), Json(-1));
  EXPECT_EQ(*Json::Parse("1.0"), Json(1.0));
  EXPECT_EQ(*Json::Parse("1e2"), Json(100.0));
  EXPECT_EQ(*Json::Parse("9223372036854775808"), Json(9223372036854775808.0));
}

TEST(Json, ANumberTooLargeForFloat64IsAnErrorAndOneTooSmallIsZero) {
  const auto large = Json::Parse("[1e400]");
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error(), Error(ErrorCode::kMalformed, "1e400 is out of the range of float64"));
  EXPECT_EQ(Rewritten("[1e-400]"), "[0]");
}

TEST(Json, RefusesWhatIsNotOneDocument) {
  for (const std::string_view text :
       {"",       " ",       "{",          "[1",         "{\"a\"",  "\"a",      "tru",
        "1 2",    "{} x",    "[1,]",       "{\"a\":1,}", "// c\n1", "'a'",      "{a:1}",
        "01",     "+1",      ".5",         "1.",         "NaN",     "\"\xff\"", "\"\xc0\x80\"",
        "\"\n\"", "\"\\x\"", "\"\\ud800\""}) {
    const auto parsed = Json::Parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kMalformed);
    EXPECT_TRUE(parsed.error().message().starts_with("JSON, at byte ")) << parsed.error().message();
  }
}

TEST(Json, NestsAHundredLevelsAndNoDeeper) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(Rewritten(nested(100)), nested(100));
  EXPECT_EQ(Rewritten(nested(101)), "malformed: JSON, at byte 100: too deep");
  EXPECT_FALSE(Json::Parse(std::string(1'000'000, '[')).has_value());
}

TEST(Json, FindLooksIntoObjectsOnly) {
  const Json document = *Json::Parse(R"({"a":{"b":1}})");
  ASSERT_NE(document.Find("a"), nullptr);
  EXPECT_EQ(*document.Find("a")->Find("b"), Json(1));
  EXPECT_EQ(document.Find("b"), nullptr);
  EXPECT_EQ(Json(1).Find("a"), nullptr);
}

TEST(Json, ATypedObjectBecomesATree) {
  core::v1::ConfigMap map;
  map.data["k"] = "v";
  EXPECT_EQ(ToJson(map)->ToString(), R"({"data":{"k":"v"},"metadata":{}})");
}

}  // namespace
}  // namespace flyball::api
