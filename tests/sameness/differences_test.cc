#include "tests/sameness/differences.h"

#include "gmock/gmock.h"

namespace flyball::sameness {
namespace {

using testing::ElementsAre;

std::vector<Difference> Between(std::string_view real, std::string_view embedded) {
  return FindDifferences(*api::Json::Parse(real), *api::Json::Parse(embedded));
}

TEST(Differences, NameThePathAndBothValues) {
  EXPECT_THAT(Between(R"({"a":{"b":[1,2]},"c":3})", R"({"a":{"b":[1,4,5]},"d":null})"),
              ElementsAre(Difference{"a.b[1]", "2", "4"}, Difference{"a.b[2]", "(absent)", "5"},
                          Difference{"c", "3", "(absent)"}, Difference{"d", "(absent)", "null"}));
}

TEST(Differences, OfTheStatusAreOne) {
  EXPECT_THAT(Between(R"({"body":1,"status":200})", R"({"body":2,"status":404})"),
              ElementsAre(Difference{"status", R"({"body":1,"status":200})",
                                     R"({"body":2,"status":404})"}));
}

}  // namespace
}  // namespace flyball::sameness
