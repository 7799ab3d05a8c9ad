#include "flyball/api/int_or_string.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

IntOrString Text(std::string text) { return IntOrString(std::move(text)); }

TEST(IntOrString, ParsesToANumberWhereItFits) {
  EXPECT_EQ(IntOrString::Parse("80"), IntOrString(80));
  EXPECT_EQ(IntOrString::Parse("-2147483648"),
            IntOrString(std::numeric_limits<std::int32_t>::min()));
  EXPECT_EQ(IntOrString::Parse("+5"), IntOrString(5));
  for (const char* text : {"2147483648", "", "http", "+-5", "5 ", "0x5", "25%"}) {
    EXPECT_EQ(IntOrString::Parse(text), Text(text));
  }
}

TEST(IntOrString, PrintsWhatItHolds) {
  EXPECT_EQ(IntOrString().ToString(), "0");
  EXPECT_EQ(IntOrString(-7).ToString(), "-7");
  EXPECT_EQ(Text("http").ToString(), "http");
  EXPECT_EQ(Text("http").number(), 0);
  EXPECT_EQ(IntOrString(7).text(), "");
}

TEST(IntOrString, ReadsATextAsANumberAsFarAsItGoes) {
  EXPECT_EQ(IntOrString(7).IntValue(), 7);
  EXPECT_EQ(Text("80").IntValue(), 80);
  EXPECT_EQ(Text("http").IntValue(), 0);
  EXPECT_EQ(Text("99999999999999999999").IntValue(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Text("-99999999999999999999").IntValue(), std::numeric_limits<std::int64_t>::min());
}

TEST(IntOrString, ScalesPercentagesAndNothingElse) {
  EXPECT_EQ(IntOrString(3).ScaledValue(10, true), 3);
  EXPECT_EQ(Text("25%").ScaledValue(10, true), 3);
  EXPECT_EQ(Text("25%").ScaledValue(10, false), 2);
  EXPECT_EQ(Text("-25%").ScaledValue(10, true), -2);
  EXPECT_EQ(Text("150%").ScaledValue(4, false), 6);
  for (const char* text : {"25", "%", "a%", "5%%", " 5%", "1.5%", "", "99999999999999999999%"}) {
    const Result<std::int64_t> scaled = Text(text).ScaledValue(10, true);
    ASSERT_FALSE(scaled.has_value()) << text;
    EXPECT_EQ(scaled.error().code(), ErrorCode::kInvalid);
  }
}

TEST(IntOrString, ComesFromProtobufFieldsByTheirType) {
  EXPECT_EQ(IntOrString::FromProto(0, 5, "x"), IntOrString(5));
  EXPECT_EQ(IntOrString::FromProto(1, 5, "x"), Text("x"));
  EXPECT_EQ(IntOrString::FromProto(2, 5, "x").error().code(), ErrorCode::kMalformed);
}

}  // namespace
}  // namespace flyball::api
