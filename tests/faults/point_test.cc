#include "tests/faults/point.h"

#include <span>

#include "gtest/gtest.h"

namespace flyball::faults {
namespace {

TEST(Point, IsReadAsItIsWritten) {
  for (const auto kind : Point::kOfWrites) {
    const Point point{kind, 12};
    EXPECT_EQ(Point::Parse(point.ToString()), point);
    EXPECT_TRUE(point.of_writes());
  }
  for (const auto kind : Point::kOfFewWrites) {
    const Point point{kind, 409};
    EXPECT_EQ(Point::Parse(point.ToString()), point);
    EXPECT_TRUE(point.of_writes());
  }
  for (const auto kinds : {std::span<const Point::Kind>(Point::kOfEvents),
                           std::span<const Point::Kind>(Point::kOfFewEvents)}) {
    for (const auto kind : kinds) {
      const Point point{kind, 1};
      EXPECT_EQ(Point::Parse(point.ToString()), point);
      EXPECT_FALSE(point.of_writes());
    }
  }
  EXPECT_EQ((Point{Point::Kind::kKillBefore, 7}).ToString(), "kill-before-7");
}

TEST(Point, HasANameAndANumber) {
  for (const char* const text : {"", "kill-before", "kill-before-", "kill-before-0", "hold-1x",
                                 "hold--1", "hold1", "burn-1"}) {
    EXPECT_EQ(Point::Parse(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace flyball::faults
