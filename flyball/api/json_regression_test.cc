/// Inputs that once went wrong.
#include <gtest/gtest.h>

#include "flyball/api/json.h"

namespace flyball::api {
namespace {

// The digits of the exact value were written, where Go writes the fewest and fills up with zeros.
TEST(JsonRegression, LargeDoublesHaveGosDigits) {
  EXPECT_EQ(Json(12345678901234567890.0).ToString(), "12345678901234567000");
  EXPECT_EQ(Json(-9223372036854775808.0).ToString(), "-9223372036854776000");
  EXPECT_EQ(Json(9007199254740993.0).ToString(), "9007199254740992");
  EXPECT_EQ(Json(9007199254740991.0).ToString(), "9007199254740991");
  EXPECT_EQ(Json(9.99e20).ToString(), "999000000000000000000");
  EXPECT_EQ(Json(1e20).ToString(), "100000000000000000000");
}

}  // namespace
}  // namespace flyball::api
