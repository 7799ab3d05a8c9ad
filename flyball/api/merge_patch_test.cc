#include "flyball/api/merge_patch.h"

#include "flyball/api/apps/v1.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

Json ParsedJson(std::string_view text) { return Json::Parse(text).value(); }

/// The examples in the appendix of RFC 7386: document, patch, result.
TEST(MergePatch, AppliesAsTheRfcSays) {
  const std::vector<std::array<const char*, 3>> cases = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& [document, patch, result] : cases) {
    EXPECT_EQ(ApplyMergePatch(ParsedJson(document), ParsedJson(patch)), ParsedJson(result))
        << document << " with " << patch;
  }
}

TEST(MergePatch, CarriesOnlyWhatChanged) {
  const auto patch = CreateMergePatch(ParsedJson(R"({"a":1,"b":{"c":2,"d":3},"e":[1],"f":0})"),
                                      ParsedJson(R"({"a":1,"b":{"c":4},"e":[1,2],"g":{"h":1}})"));
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->ToString(), R"({"b":{"c":4,"d":null},"e":[1,2],"f":null,"g":{"h":1}})");
}

TEST(MergePatch, TakesANumberForTheSameHoweverItIsWritten) {
  EXPECT_EQ(CreateMergePatch(ParsedJson(R"({"a":1})"), ParsedJson(R"({"a":1.0})"))->ToString(),
            "{}");
  EXPECT_EQ(CreateMergePatch(ParsedJson(R"({"a":9007199254740993})"),
                             ParsedJson(R"({"a":9007199254740992})"))
                ->ToString(),
            R"({"a":9007199254740992})");
}

TEST(MergePatch, RefusesToSetNull) {
  const auto patch = CreateMergePatch(ParsedJson(R"({"a":{}})"), ParsedJson(R"({"a":{"b":null}})"));
  ASSERT_FALSE(patch);
  EXPECT_EQ(patch.error().path(), "a.b");
}

TEST(MergePatch, BetweenObjectsOfAType) {
  apps::v1::Deployment before;
  before.metadata.name = "web";
  before.metadata.annotations["revision"] = "1";
  before.spec.replicas = 3;
  apps::v1::Deployment after = before;
  after.spec.replicas = 5;
  after.metadata.annotations.erase("revision");
  EXPECT_EQ(CreateMergePatch(before, after)->ToString(),
            R"({"metadata":{"annotations":null},"spec":{"replicas":5}})");
  EXPECT_EQ(CreateMergePatch(before, before)->ToString(), "{}");
}

}  // namespace
}  // namespace flyball::api
