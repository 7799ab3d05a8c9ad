#include "flyball/api/json_member.h"

#include <string>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

std::string Member(std::string_view object) {
  return std::string(FindJsonMember(object, "metadata").value_or("nothing"));
}

TEST(JsonMember, IsFoundBetweenNeighboursOfEveryKind) {
  EXPECT_EQ(Member(R"({"metadata":{"name":"a"}})"), R"({"name":"a"})");
  EXPECT_EQ(Member(R"( { "a" : [1, {"metadata":2}] , "metadata" : {"x":[]} , "b":null } )"),
            R"({"x":[]})");
  EXPECT_EQ(Member(R"({"a":"}\"metadata\":","b":-1.5e3,"c":true,"metadata":"text"})"), R"("text")");
  EXPECT_EQ(Member(R"({"a":"\\","metadata":7})"), "7");
  EXPECT_EQ(Member(R"({"metadata":1,"metadata":2})"), "2");
}

TEST(JsonMember, IsFoundBehindANeighbourThatNestsTooDeepForADecoder) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(Member("{\"spec\":" + deep + ",\"metadata\":{\"name\":\"a\"}}"), R"({"name":"a"})");
}

TEST(JsonMember, IsNothingWhereThereIsNone) {
  for (const char* text : {"", "[]", "{", "{}", "null", R"({"a":1})", R"({"a":{"metadata":1}})",
                           R"({"a")", R"({"a":})", R"({"a":"metadata)", R"({metadata:1})"}) {
    EXPECT_EQ(Member(text), "nothing") << text;
  }
}

}  // namespace
}  // namespace flyball::api
