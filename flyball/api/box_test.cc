#include "flyball/api/box.h"

#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

TEST(Box, IsEmptyAtFirstAndOnePointerWide) {
  const Box<std::string> box;
  EXPECT_FALSE(box.has_value());
  EXPECT_EQ(box.address(), nullptr);
  static_assert(sizeof(box) == sizeof(void*));
}

TEST(Box, CopiesTheValue) {
  Box<std::string> a(std::string("a"));
  Box<std::string> b = a;
  *b += "b";
  EXPECT_EQ(*a, "a");
  EXPECT_EQ(*b, "ab");
  a = b;
  EXPECT_EQ(a, b);
  EXPECT_NE(a.address(), b.address());
  a = Box<std::string>();
  EXPECT_FALSE(a.has_value());
}

TEST(Box, MovingTakesTheValue) {
  Box<std::string> a(std::string("a"));
  const void* address = a.address();
  const Box<std::string> b = std::move(a);
  EXPECT_EQ(b.address(), address);
  EXPECT_EQ(b->size(), 1U);
}

TEST(Box, EmplaceIsFreshAndGetOrEmplaceKeeps) {
  Box<std::string> box;
  box.get_or_emplace() = "kept";
  EXPECT_EQ(box.get_or_emplace(), "kept");
  EXPECT_EQ(box.emplace(), "");
  box.reset();
  EXPECT_FALSE(box.has_value());
}

TEST(Box, ComparesWhatIsInside) {
  EXPECT_EQ(Box<int>(), Box<int>());
  EXPECT_EQ(Box<int>(1), Box<int>(1));
  EXPECT_FALSE(Box<int>(1) == Box<int>(2));
  EXPECT_FALSE(Box<int>(0) == Box<int>());
}

}  // namespace
}  // namespace flyball::api
