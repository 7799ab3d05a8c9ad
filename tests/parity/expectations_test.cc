#include "tests/parity/expectations.h"

#include "gmock/gmock.h"

namespace flyball::parity {
namespace {

using api::Json;
using testing::ElementsAre;
using testing::IsEmpty;

WorldObject Object(const std::string& reference, std::string_view json) {
  return {*Reference::Parse(reference), std::make_shared<Json>(*Json::Parse(json))};
}

std::vector<std::string> Unmet(std::string_view json) {
  const World world{.present = {Object("namespaces/shop", "{}"),
                                Object("pods/a in shop", R"({"status":{"phase":"Running"}})"),
                                Object("pods/b in shop", R"({"status":{"phase":"Pending"}})"),
                                Object("pods/c in other", "{}")}};
  return Expectations::Parse(*Json::Parse(json))->Unmet(world, "shop");
}

TEST(Reference, IsWrittenAsItIsRead) {
  for (const char* const text : {"pods", "secrets/a", "deployments.apps/web in other"}) {
    EXPECT_EQ(Reference::Parse(text)->ToString(), text);
  }
  for (const char* const text : {"", "secrets/", "secrets a"}) {
    EXPECT_FALSE(Reference::Parse(text)) << text;
  }
}

TEST(IsLike, LooksAtWhatThePatternNames) {
  const Json tree = *Json::Parse(R"({"a":{"b":1},"list":[{"n":"x"},{"n":"y"}],"text":"no such"})");
  const auto like = [&tree](std::string_view pattern) {
    return IsLike(&tree, *Json::Parse(pattern));
  };
  EXPECT_TRUE(like(R"({"a":{"b":1,"c":null}})"));
  EXPECT_FALSE(like(R"({"a":{"b":1,"c":2}})"));
  EXPECT_FALSE(like(R"({"a":null})"));
  EXPECT_TRUE(like(R"({"list":[{"n":"y"}]})"));
  EXPECT_FALSE(like(R"({"list":[{"n":"z"}]})"));
  EXPECT_TRUE(like(R"({"text":"no*"})"));
  EXPECT_FALSE(like(R"({"text":"yes*"})"));
}

TEST(Expectations, HoldForWhatIsThere) {
  EXPECT_THAT(Unmet(R"({"namespaces/shop":"there","pods/a":{"status":{"phase":"Running"}},
                        "pods/z":"gone","pods":2,"pods in other":1})"),
              IsEmpty());
  EXPECT_THAT(Unmet(R"({"pods":{"like":{"status":{"phase":"Running"}},"count":1}})"), IsEmpty());
}

TEST(Expectations, SayWhatIsNotSo) {
  EXPECT_THAT(Unmet(R"({"pods/a":"gone","pods":3,"secrets/x":"there"})"),
              ElementsAre("pods: 3, and there are 2",
                          R"(pods/a: "gone", and it is {"status":{"phase":"Running"}})",
                          R"(secrets/x: "there")"));
  EXPECT_THAT(Unmet(R"({"pods":{"like":{"status":{"phase":"Failed"}}}})"),
              ElementsAre(R"(pods: {"like":{"status":{"phase":"Failed"}}}, and there are 2)"));
}

TEST(Expectations, MustMakeSense) {
  EXPECT_FALSE(Expectations::Parse(*Json::Parse(R"({"pods":"there"})")));
  EXPECT_FALSE(Expectations::Parse(*Json::Parse(R"({"pods/a":3})")));
}

}  // namespace
}  // namespace flyball::parity
