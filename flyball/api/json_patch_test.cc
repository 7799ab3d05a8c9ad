#include "flyball/api/json_patch.h"

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

constexpr std::string_view kDocument =
    R"({"a":{"b":1},"list":[1,2,3],"x/y":{"m~n":true},"z":null})";

std::string Patched(std::string_view patch, std::string_view document = kDocument) {
  const auto parsed = JsonPatch::Parse(patch);
  if (!parsed) return parsed.error().Describe();
  const auto patched = parsed->Apply(Json::Parse(document).value());
  return patched ? patched->ToString() : patched.error().Describe();
}

TEST(JsonPatch, CarriesOutEveryOperation) {
  EXPECT_EQ(Patched(R"([{"op":"add","path":"/list/1","value":9},)"
                    R"({"op":"remove","path":"/z"},)"
                    R"({"op":"replace","path":"/a/b","value":[]},)"
                    R"({"op":"move","from":"/list/0","path":"/a/b/-"},)"
                    R"({"op":"copy","from":"/a","path":"/c"},)"
                    R"({"op":"test","path":"/c","value":{"b":[1]}}])"),
            R"({"a":{"b":[1]},"c":{"b":[1]},"list":[9,2,3],"x/y":{"m~n":true}})");
}

TEST(JsonPatch, IsAValue) {
  const auto parsed =
      JsonPatch::Parse(R"([{"op":"move","from":"/a","path":"/b"},{"op":"add","path":"/c"}])");
  ASSERT_TRUE(parsed) << parsed.error().Describe();
  EXPECT_EQ(*parsed, JsonPatch({{.op = JsonPatchOperation::Op::kMove, .path = "/b", .from = "/a"},
                                {.op = JsonPatchOperation::Op::kAdd, .path = "/c"}}));
}

TEST(JsonPatch, UnescapesSlashesAndTildes) {
  EXPECT_EQ(Patched(R"([{"op":"replace","path":"/x~1y/m~0n","value":false}])"),
            R"({"a":{"b":1},"list":[1,2,3],"x/y":{"m~n":false},"z":null})");
}

TEST(JsonPatch, CountsFromTheEndOfAList) {
  EXPECT_EQ(Patched(R"([{"op":"remove","path":"/-1"}])", "[1,2,3]"), "[1,2]");
  EXPECT_EQ(Patched(R"([{"op":"add","path":"/-1","value":4}])", "[1,2,3]"), "[1,2,3,4]");
  EXPECT_EQ(Patched(R"([{"op":"add","path":"/-4","value":0}])", "[1,2,3]"), "[0,1,2,3]");
  EXPECT_EQ(Patched(R"([{"op":"remove","path":"/-4"}])", "[1,2,3]"),
            "invalid: /-4: operation 0: there is no such place in the document");
}

TEST(JsonPatch, TellsAFailedTestFromAMalformedPatch) {
  EXPECT_EQ(Patched(R"([{"op":"test","path":"/a/b","value":2}])"),
            "conflict: /a/b: operation 0: the test failed");
  EXPECT_EQ(Patched("{}"), "malformed: a JSON patch is a list of operations");
  EXPECT_EQ(Patched("[1]"), "malformed: [0]: not an object");
  EXPECT_EQ(Patched(R"([{"op":"spin","path":"/a"}])"), "invalid: [0].op: no operation spin");
  EXPECT_EQ(Patched(R"([{"op":"add","value":1}])"), "invalid: [0].path: not a string");
}

TEST(JsonPatch, ComparesNumbersByWhatTheyAre) {
  EXPECT_EQ(Patched(R"([{"op":"test","path":"/a/b","value":1.0}])"), kDocument);
  EXPECT_EQ(
      Patched(R"([{"op":"test","path":"/0","value":9007199254740993.0}])", "[9007199254740993]"),
      "conflict: /0: operation 0: the test failed");
}

TEST(JsonPatch, TakesAnAbsentMemberForNull) {
  EXPECT_EQ(Patched(R"([{"op":"test","path":"/none","value":null}])"), kDocument);
  EXPECT_EQ(Patched(R"([{"op":"copy","from":"/none","path":"/z"}])"), kDocument);
  EXPECT_EQ(Patched(R"([{"op":"replace","path":"/none","value":1}])", "{}"), R"({"none":1})");
}

TEST(JsonPatch, ReplacesADocumentButAddsNone) {
  EXPECT_EQ(Patched(R"([{"op":"replace","path":"","value":[]}])"), "[]");
  EXPECT_EQ(Patched(R"([{"op":"replace","path":"","value":3}])"),
            "invalid: operation 0: a document is an object or a list");
  EXPECT_EQ(Patched(R"([{"op":"add","path":"","value":{}}])"),
            "invalid: operation 0: there is no such place in the document");
}

TEST(JsonPatch, LimitsWhatItMakesOfADocument) {
  Json::Array many(kMaxJsonPatchOperations + 1, Json(Json::Object{{"op", "test"}, {"path", "/n"}}));
  EXPECT_EQ(JsonPatch::FromJson(many).error().code(), ErrorCode::kTooLarge);
  many.pop_back();
  EXPECT_TRUE(JsonPatch::FromJson(many));

  const Json big = Json::Object{{"a", std::string(kMaxJsonPatchCopyBytes / 2, 'x')}};
  const JsonPatch twice({{.op = JsonPatchOperation::Op::kCopy, .path = "/b", .from = "/a"},
                         {.op = JsonPatchOperation::Op::kCopy, .path = "/c", .from = "/a"}});
  const auto patched = twice.Apply(big);
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().Describe(), "invalid: /c: operation 1: the copies add more than 3 MiB");
}

TEST(JsonPatch, DoesNotNestDeeperThanItCouldRead) {
  std::vector<JsonPatchOperation> operations;
  for (std::string path = "/a"; path.size() < 400; path += "/a") {
    operations.push_back(
        {.op = JsonPatchOperation::Op::kAdd, .path = path, .value = Json::Object()});
  }
  const auto patched = JsonPatch(operations).Apply(Json::Object());
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().message(), "operation 99: nested deeper than 100 levels");
}

}  // namespace
}  // namespace flyball::api
