#include "flyball/endpoints/request_target.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using testing::ElementsAre;

TEST(RequestTarget, ResolvesEscapes) {
  const auto target = RequestTarget::Parse("/debug%2Fa+b?name=x%20y+z&flag&name=2");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/debug/a+b");
  EXPECT_EQ(target->Get("name"), "x y z");
  EXPECT_THAT(target->All("name"), ElementsAre("x y z", "2"));
  EXPECT_TRUE(target->Has("flag"));
  EXPECT_FALSE(target->Has("other"));
}

TEST(RequestTarget, LeavesOutWhatItCannotReadOfAQuery) {
  const auto target = RequestTarget::Parse("/?a=%zz&b;c=1&d=4&");
  ASSERT_TRUE(target);
  EXPECT_THAT(target->query, ElementsAre(testing::Pair("d", "4")));
}

TEST(RequestTarget, RefusesAPathThatItCannotRead) {
  for (const char* path : {"/a%", "/a%4", "/%zz"}) EXPECT_FALSE(RequestTarget::Parse(path)) << path;
}

}  // namespace
}  // namespace flyball::endpoints
