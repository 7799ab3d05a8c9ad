#include "tests/scenario/placeholders.h"

#include "gtest/gtest.h"

namespace flyball::scenario {
namespace {

TEST(Placeholders, AreFilledInWhereTheyHaveAValue) {
  const Values values{{"ns", "shop"}, {"count", 3}};
  EXPECT_EQ(FillInText("/namespaces/$(ns)/pods?limit=$(count)&x=$(other)", values),
            "/namespaces/shop/pods?limit=3&x=$(other)");
}

TEST(Placeholders, RepeatText) { EXPECT_EQ(FillInText("<$(ab*3)>", {}), "<ababab>"); }

TEST(Placeholders, StandForWholeTreesWhereNothingIsAroundThem) {
  const api::Json object = *api::Json::Parse(R"({"a":[1]})");
  const api::Json tree = *api::Json::Parse(R"json({"body":"$(object)","text":"is $(object)"})json");
  EXPECT_EQ(FillIn(tree, {{"object", object}}).ToString(),
            R"({"body":{"a":[1]},"text":"is {\"a\":[1]}"})");
}

}  // namespace
}  // namespace flyball::scenario
