#include "tests/scenario/differences.h"

#include "gmock/gmock.h"

namespace flyball::scenario {
namespace {

using testing::ElementsAre;

std::vector<Difference> Between(std::string_view expected, std::string_view actual) {
  return FindDifferences(*api::Json::Parse(expected), *api::Json::Parse(actual));
}

TEST(Differences, NameThePathAndBothValues) {
  EXPECT_THAT(Between(R"({"a":{"b":[1,2]},"c":3})", R"({"a":{"b":[1,4,5]},"d":null})"),
              ElementsAre(Difference{"a.b[1]", "2", "4"}, Difference{"a.b[2]", "(absent)", "5"},
                          Difference{"c", "3", "(absent)"}, Difference{"d", "(absent)", "null"}));
}

TEST(Differences, ShowStandInsAsTheyAre) {
  EXPECT_THAT(Between(R"({"a":"<x> & y"})", "{}"),
              ElementsAre(Difference{"a", R"("<x> & y")", "(absent)"}));
}

TEST(Readable, IsStillTheSameJson) {
  const api::Json tree = *api::Json::Parse(R"({"a":"<\\u003c\\\\<\"\n"})");
  EXPECT_EQ(Readable(tree), R"({"a":"<\\u003c\\\\<\"\n"})");
  EXPECT_EQ(*api::Json::Parse(Readable(tree)), tree);
}

}  // namespace
}  // namespace flyball::scenario
