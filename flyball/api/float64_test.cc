#include "flyball/api/internal/float64.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

TEST(ParseFloat64, GivesTheNearestDouble) {
  EXPECT_EQ(ParseFloat64("0.1"), 0.1);
  EXPECT_EQ(ParseFloat64("+1.5e3"), 1500);
  EXPECT_EQ(ParseFloat64("-2E-3"), -0.002);
  EXPECT_EQ(ParseFloat64("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(ParseFloat64("5e-324"), 5e-324);
}

TEST(ParseFloat64, WhatIsTooLargeIsNothing) {
  EXPECT_EQ(ParseFloat64("1e309"), std::nullopt);
  EXPECT_EQ(ParseFloat64("-1e400"), std::nullopt);
  EXPECT_EQ(ParseFloat64("+1e400"), std::nullopt);
  EXPECT_EQ(ParseFloat64("0.00001e400"), std::nullopt);
  EXPECT_EQ(ParseFloat64("1e99999999999999999999"), std::nullopt);
  EXPECT_EQ(ParseFloat64("1" + std::string(400, '0')), std::nullopt);
  EXPECT_EQ(ParseFloat64("1" + std::string(400, '0') + ".5e-10"), std::nullopt);
}

TEST(ParseFloat64, WhatIsTooSmallIsZeroOfItsSign) {
  EXPECT_EQ(ParseFloat64("1e-400"), 0);
  EXPECT_EQ(ParseFloat64("1e-99999999999999999999"), 0);
  EXPECT_EQ(ParseFloat64("0." + std::string(400, '0') + "1e10"), 0);
  EXPECT_EQ(ParseFloat64("1" + std::string(400, '0') + "e-1000"), 0);
  const auto negative = ParseFloat64("-1e-400");
  ASSERT_TRUE(negative.has_value());
  EXPECT_TRUE(*negative == 0 && std::signbit(*negative));
}

}  // namespace
}  // namespace flyball::api
