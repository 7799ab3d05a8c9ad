#include "flyball/api/json_writer.h"

#include <string>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  JsonWriter(out).String(text);
  return out;
}

std::string Float(double value) {
  std::string out;
  JsonWriter(out).Double(value);
  return out;
}

TEST(JsonWriter, EscapesAsGoDoes) {
  EXPECT_EQ(Quoted("plain"), R"("plain")");
  EXPECT_EQ(Quoted("\"\\/"), R"("\"\\/")");
  EXPECT_EQ(Quoted("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(Quoted(std::string_view("\0\x01\x1f", 3)), R"("\u0000\u0001\u001f")");
  EXPECT_EQ(Quoted("<a href=\"x\">&"), R"("\u003ca href=\"x\"\u003e\u0026")");
  EXPECT_EQ(Quoted("a\u2028b\u2029c\u2027"), "\"a\\u2028b\\u2029c\u2027\"");
  EXPECT_EQ(Quoted("\x7f\u0085grüße\U0001f600\uffff"), "\"\x7f\u0085grüße\U0001f600\uffff\"");
}

TEST(JsonWriter, WritesEachByteThatIsNotUtf8AsTheReplacementCharacter) {
  EXPECT_EQ(Quoted("\xff"), R"("\ufffd")");
  EXPECT_EQ(Quoted("a\xc3z\xe2\x80"), R"("a\ufffdz\ufffd\ufffd")");
  EXPECT_EQ(Quoted("\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80"),
            R"("\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(Quoted("\xe2\x80\xa8\xe2"), R"("\u2028\ufffd")");
  EXPECT_EQ(Quoted("\ufffd"), "\"\ufffd\"");
}

TEST(JsonWriter, FloatsTakeGosForms) {
  EXPECT_EQ(Float(0), "0");
  EXPECT_EQ(Float(-0.0), "-0");
  EXPECT_EQ(Float(1), "1");
  EXPECT_EQ(Float(0.1), "0.1");
  EXPECT_EQ(Float(1e-6), "0.000001");
  EXPECT_EQ(Float(9.99e-7), "9.99e-7");
  EXPECT_EQ(Float(1e-10), "1e-10");
  EXPECT_EQ(Float(1e21), "1e+21");
  EXPECT_EQ(Float(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(Float(5e-324), "5e-324");
}

TEST(JsonWriter, LargeFloatsEndInZerosAndNotInDigitsThatTheyDoNotHave) {
  EXPECT_EQ(Float(9007199254740992), "9007199254740992");
  EXPECT_EQ(Float(18446744073709551616.0), "18446744073709552000");
  EXPECT_EQ(Float(123456789012345678901.0), "123456789012345680000");
  EXPECT_EQ(Float(-123456789012345678901.0), "-123456789012345680000");
  EXPECT_EQ(Float(1e20), "100000000000000000000");
}

TEST(JsonWriter, WritesNothingBetweenTokensUnlessItIndents) {
  const auto send = [](JsonSink& sink) {
    sink.BeginObject();
    sink.Key("a");
    sink.BeginArray();
    sink.Int(1);
    sink.Null();
    sink.EndArray();
    sink.Key("b");
    sink.BeginObject();
    sink.EndObject();
    sink.Key("c");
    sink.Bool(true);
    sink.EndObject();
  };
  std::string compact;
  JsonWriter compact_writer(compact);
  send(compact_writer);
  EXPECT_EQ(compact, R"({"a":[1,null],"b":{},"c":true})");
  std::string indented;
  JsonWriter indented_writer(indented, 2);
  send(indented_writer);
  EXPECT_EQ(indented, "{\n  \"a\": [\n    1,\n    null\n  ],\n  \"b\": {},\n  \"c\": true\n}");
}

}  // namespace
}  // namespace flyball::api
