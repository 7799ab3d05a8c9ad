#include "flyball/sandbox/json_path.h"

#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using api::Json;

std::string Found(std::string_view path, std::string_view document) {
  const auto parsed = JsonPath::Parse(path);
  if (!parsed) return "no path";
  const Json tree = *Json::Parse(document);
  std::string all;
  for (const Json* const each : parsed->Find(tree)) {
    if (!all.empty()) all += " ";
    all += each->ToString();
  }
  return all;
}

TEST(JsonPath, LeadsThroughMembersAndElements) {
  EXPECT_EQ(Found(".a.b", R"({"a":{"b":1}})"), "1");
  EXPECT_EQ(Found(".a['b.c']", R"({"a":{"b.c":1}})"), "1");
  EXPECT_EQ(Found(R"(.a.b\.c)", R"({"a":{"b.c":1}})"), "1");
  EXPECT_EQ(Found(".a[1]", R"({"a":[1,2,3]})"), "2");
  EXPECT_EQ(Found(".a[-1]", R"({"a":[1,2,3]})"), "3");
  EXPECT_EQ(Found(".a[*].n", R"({"a":[{"n":1},{"n":2},{}]})"), "1 2");
  EXPECT_EQ(Found(".a.b", R"({"a":7})"), "");
}

TEST(JsonPath, FindsElementsByAMember) {
  constexpr char kStatus[] =
      R"({"conditions":[{"type":"Ready","status":"True"},{"type":"Stale","status":"False"}]})";
  EXPECT_EQ(Found(R"(.conditions[?(@.type=="Ready")].status)", kStatus), R"("True")");
  EXPECT_EQ(Found(R"(.conditions[?(@.type == 'Stale')].status)", kStatus), R"("False")");
}

TEST(JsonPath, RefusesWhatIsNone) {
  EXPECT_EQ(Found("a", "{}"), "no path");
  EXPECT_EQ(Found(".a[", "{}"), "no path");
  EXPECT_EQ(Found(".a[x]", "{}"), "no path");
  EXPECT_EQ(Found(".a..b", "{}"), "no path");
}

TEST(JsonPath, PutsAValueWhereNamesLead) {
  Json document = *Json::Parse(R"({"a":{"b":1}})");
  EXPECT_TRUE(JsonPath::Parse(".a.c.d")->Put(document, 2));
  EXPECT_EQ(document.ToString(), R"({"a":{"b":1,"c":{"d":2}}})");
  EXPECT_FALSE(JsonPath::Parse(".a.b.c")->Put(document, 2));
  EXPECT_FALSE(JsonPath::Parse(".a[0]")->Put(document, 2));
}

TEST(JsonPath, PutsNothingDeeperThanAnObjectMayBe) {
  const auto of_members = [](int count) {
    std::string path;
    for (int i = 0; i < count; ++i) path += ".a";
    return *JsonPath::Parse(path);
  };
  Json document;
  EXPECT_FALSE(of_members(1'000'000).Put(document, 2));
  EXPECT_FALSE(of_members(97).Put(document, 2));
  EXPECT_TRUE(document.IsNull());
  EXPECT_TRUE(of_members(96).Put(document, 2));
  EXPECT_EQ(of_members(96).FindFirst(document)->ToString(), "2");
}

}  // namespace
}  // namespace flyball::sandbox
