#include "flyball/base/result.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return Fail(ErrorCode::kInvalid, "spec.replicas", "odd");
  return n / 2;
}

Result<> MustBeEven(int n) {
  FLYBALL_TRY(Half(n));
  return {};
}

Result<int> Quarter(int n) {
  FLYBALL_TRY(const int half, Half(n));
  FLYBALL_TRY(const int quarter, Half(half));
  return quarter;
}

TEST(Result, TryGoesOnWithTheValue) { EXPECT_EQ(Quarter(12), 3); }

TEST(Result, TryLeavesWithTheFirstError) {
  EXPECT_EQ(Quarter(6).error(), Error(ErrorCode::kInvalid, "spec.replicas", "odd"));
  EXPECT_EQ(MustBeEven(1).error().code(), ErrorCode::kInvalid);
  EXPECT_TRUE(MustBeEven(2).has_value());
}

Result<std::unique_ptr<int>> Make() { return std::make_unique<int>(7); }

TEST(Result, TryMovesWhatCannotBeCopied) {
  const auto unwrapped = []() -> Result<int> {
    FLYBALL_TRY(const std::unique_ptr<int> seven, Make());
    return *seven;
  };
  EXPECT_EQ(unwrapped(), 7);
}

TEST(Error, DescribesCodePathAndMessage) {
  const Error error(ErrorCode::kMalformed, "spec.containers[2].image", "not a string");
  EXPECT_EQ(error.Describe(), "malformed: spec.containers[2].image: not a string");
  EXPECT_EQ(error.Wrap("pod web-0").Describe(),
            "malformed: spec.containers[2].image: pod web-0: not a string");
  EXPECT_EQ(Error(ErrorCode::kGone, "too old").Describe(), "gone: too old");
}

}  // namespace
}  // namespace flyball
