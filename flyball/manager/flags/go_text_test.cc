#include "flyball/manager/flags/go_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::manager::flags {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename T>
std::string Complaint(const Result<T>& result) {
  return result ? "accepted" : result.error().message();
}

TEST(GoText, ReadsBoolsInGoSixForms) {
  for (const char* text : {"1", "t", "T", "true", "TRUE", "True"}) EXPECT_EQ(ParseBool(text), true);
  for (const char* text : {"0", "f", "F", "false", "False"}) EXPECT_EQ(ParseBool(text), false);
  EXPECT_EQ(Complaint(ParseBool("yes")), R"(strconv.ParseBool: parsing "yes": invalid syntax)");
  EXPECT_EQ(Complaint(ParseBool("")), R"(strconv.ParseBool: parsing "": invalid syntax)");
}

TEST(GoText, ReadsIntegersInTheBaseThatTheirPrefixSays) {
  EXPECT_EQ(ParseInt("10", 32), 10);
  EXPECT_EQ(ParseInt("+10", 32), 10);
  EXPECT_EQ(ParseInt("-0x1F", 32), -31);
  EXPECT_EQ(ParseInt("0b101", 32), 5);
  EXPECT_EQ(ParseInt("0o17", 32), 15);
  EXPECT_EQ(ParseInt("017", 32), 15);
  EXPECT_EQ(ParseInt("0_7", 32), 7);
  EXPECT_EQ(ParseInt("1_000", 32), 1000);
  EXPECT_EQ(ParseInt("0", 32), 0);
  EXPECT_EQ(ParseInt("-2147483648", 32), -2147483648LL);
  EXPECT_EQ(ParseInt("9223372036854775807", 64), 9223372036854775807LL);
}

TEST(GoText, RefusesWhatIsNoIntegerOrTooLarge) {
  for (const char* text : {"", "x", "1.5", "08", "0x", "1__0", "_1", "1_", "--1", "1 "}) {
    EXPECT_EQ(Complaint(ParseInt(text, 32)),
              "strconv.ParseInt: parsing \"" + std::string(text) + "\": invalid syntax");
  }
  for (const char* text : {"2147483648", "-2147483649", "99999999999999999999"}) {
    EXPECT_EQ(Complaint(ParseInt(text, 32)),
              "strconv.ParseInt: parsing \"" + std::string(text) + "\": value out of range");
  }
  EXPECT_EQ(Complaint(ParseUint("-1", 31)), R"(strconv.ParseUint: parsing "-1": invalid syntax)");
  EXPECT_EQ(Complaint(ParseUint("2147483648", 31)),
            R"(strconv.ParseUint: parsing "2147483648": value out of range)");
}

TEST(GoText, ReadsFloats) {
  EXPECT_EQ(ParseFloat("0.5", 32), 0.5);
  EXPECT_EQ(ParseFloat("-1e3", 32), -1000);
  EXPECT_EQ(ParseFloat("0x1p4", 64), 16);
  EXPECT_EQ(ParseFloat("1e-400", 64), 0);
  EXPECT_EQ(Complaint(ParseFloat("1e39", 32)),
            R"(strconv.ParseFloat: parsing "1e39": value out of range)");
  EXPECT_EQ(Complaint(ParseFloat("1e400", 64)),
            R"(strconv.ParseFloat: parsing "1e400": value out of range)");
  for (const char* text : {"", "x", "0x1", "1.5.2", "+-1", "1 "}) {
    EXPECT_EQ(Complaint(ParseFloat(text, 64)),
              "strconv.ParseFloat: parsing \"" + std::string(text) + "\": invalid syntax");
  }
}

TEST(GoText, WritesFloatsWithAnExponentWhereTheyAreLong) {
  EXPECT_EQ(FormatFloat(0.1F), "0.1");
  EXPECT_EQ(FormatFloat(0.55F), "0.55");
  EXPECT_EQ(FormatFloat(20.0F), "20");
  EXPECT_EQ(FormatFloat(5000.0F), "5000");
  EXPECT_EQ(FormatFloat(123456.0), "123456");
  EXPECT_EQ(FormatFloat(1e6), "1e+06");
  EXPECT_EQ(FormatFloat(0.0001), "0.0001");
  EXPECT_EQ(FormatFloat(0.00001), "1e-05");
}

TEST(GoText, NamesWhatIsWrongWithADuration) {
  EXPECT_EQ(ParseDuration("1h2m3.5s"), std::chrono::milliseconds(3723500));
  EXPECT_EQ(ParseDuration("0"), std::chrono::nanoseconds(0));
  EXPECT_EQ(Complaint(ParseDuration("5")), R"(time: missing unit in duration "5")");
  EXPECT_EQ(Complaint(ParseDuration("1h5")), R"(time: missing unit in duration "1h5")");
  EXPECT_EQ(Complaint(ParseDuration("5y")), R"(time: unknown unit "y" in duration "5y")");
  EXPECT_EQ(Complaint(ParseDuration("x")), R"(time: invalid duration "x")");
  EXPECT_EQ(Complaint(ParseDuration("")), R"(time: invalid duration "")");
  EXPECT_EQ(Complaint(ParseDuration("9999999h")), R"(time: invalid duration "9999999h")");
}

TEST(GoText, ReadsOneRecordOfCommaSeparatedValues) {
  EXPECT_THAT(ReadCsv("").value(), IsEmpty());
  EXPECT_THAT(ReadCsv("a,b").value(), ElementsAre("a", "b"));
  EXPECT_THAT(ReadCsv("a,,").value(), ElementsAre("a", "", ""));
  EXPECT_THAT(ReadCsv(R"("a,b","c ""d""")").value(), ElementsAre("a,b", "c \"d\""));
  EXPECT_THAT(ReadCsv("\n\na\nb").value(), ElementsAre("a"));
  EXPECT_EQ(Complaint(ReadCsv("\n")), "EOF");
  EXPECT_EQ(Complaint(ReadCsv("a\"b")),
            "parse error on line 1, column 2: bare \" in non-quoted-field");
  EXPECT_EQ(Complaint(ReadCsv("\"a\"b")),
            "parse error on line 1, column 3: extraneous or missing \" in quoted-field");
  EXPECT_EQ(Complaint(ReadCsv("\"a")),
            "parse error on line 1, column 3: extraneous or missing \" in quoted-field");
}

TEST(GoText, WritesWhatItReads) {
  const std::vector<std::string> fields = {"a", "b,c", "d \"e\"", "", " f"};
  EXPECT_EQ(WriteCsv(fields), R"(a,"b,c","d ""e""",," f")");
  EXPECT_EQ(ReadCsv(WriteCsv(fields)), fields);
}

}  // namespace
}  // namespace flyball::manager::flags
