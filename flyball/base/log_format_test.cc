#include "flyball/base/log_format.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace flyball {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using namespace std::string_view_literals;

std::string Quoted(std::string_view text) {
  std::string out;
  AppendGoQuoted(out, text);
  return out;
}

std::string Json(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

std::string Text(const LogValue& value) {
  std::string out;
  AppendTextField(out, "k", value);
  return out;
}

std::string JsonField(const LogValue& value) {
  std::string out;
  AppendJsonField(out, "k", value);
  return out;
}

// The expected values of this file were printed by Go.

TEST(LogFormat, QuotesAsGoDoes) {
  EXPECT_EQ(Quoted("plain"), R"("plain")");
  EXPECT_EQ(Quoted("say \"hi\" \\ \a\b\f\n\r\t\v"), R"("say \"hi\" \\ \a\b\f\n\r\t\v")");
  EXPECT_EQ(Quoted("\0\x1b\x7f"sv), R"("\x00\x1b\x7f")");
  EXPECT_EQ(Quoted("żółw 日本 🐢"), "\"żółw 日本 🐢\"");
  EXPECT_EQ(Quoted("a\u00a0b\u200bc\u202ed\ufeff"), R"("a\u00a0b\u200bc\u202ed\ufeff")");
  EXPECT_EQ(Quoted("\U000e0001"), R"("\U000e0001")");
  EXPECT_EQ(Quoted("it's"), R"("it's")");
}

TEST(LogFormat, QuotesBytesThatAreNotUtf8) {
  EXPECT_EQ(Quoted("a\xff\xfe"), R"("a\xff\xfe")");
  EXPECT_EQ(Quoted("\xc0\xaf"), R"("\xc0\xaf")") << "overlong";
  EXPECT_EQ(Quoted("\xed\xa0\x80"), R"("\xed\xa0\x80")") << "surrogate";
  EXPECT_EQ(Quoted("\xe6\x97"), R"("\xe6\x97")") << "cut off";
  EXPECT_EQ(Quoted("\xf4\x90\x80\x80"), R"("\xf4\x90\x80\x80")") << "beyond Unicode";
}

TEST(LogFormat, EscapesJsonAsZapDoes) {
  EXPECT_EQ(Json("a\"b\\c\n\r\t\b\x1f/<>&"), R"("a\"b\\c\n\r\t\u0008\u001f/<>&")");
  EXPECT_EQ(Json("a\xff日"), "\"a\\ufffd日\"");
}

TEST(LogFormat, WritesEachKindOfValueInText) {
  EXPECT_EQ(Text("v"), R"( k="v")");
  EXPECT_EQ(Text(std::string("v")), R"( k="v")");
  EXPECT_EQ(Text(3), " k=3");
  EXPECT_EQ(Text(-3L), " k=-3");
  EXPECT_EQ(Text(std::numeric_limits<std::uint64_t>::max()), " k=18446744073709551615");
  EXPECT_EQ(Text(true), " k=true");
  EXPECT_EQ(Text(0.25), " k=0.25");
  EXPECT_EQ(Text(seconds(90)), R"( k="1m30s")");
  EXPECT_EQ(Text(LogObject{"kube-system", "dns"}), R"( k="kube-system/dns")");
  EXPECT_EQ(Text(LogObject{"", "node-1"}), R"( k="node-1")");
  EXPECT_EQ(Text(LogReference{"apps/v1", "ReplicaSet", "shop", "web", "u1"}),
            R"( k="[apps/v1/ReplicaSet, namespace: shop, name: web, uid: u1]")");
  EXPECT_EQ(Text(std::vector<std::string>{"a", "b\""}), R"( k=["a","b\""])");
  EXPECT_EQ(Text(std::vector<std::string>{}), " k=[]");
  EXPECT_EQ(Text(Error(ErrorCode::kGone, "too old")), R"( k="gone: too old")");
  EXPECT_EQ(Text(ErrorCode::kNotFound), R"( k="not found")") << "through ToString()";
  EXPECT_EQ(Text(std::chrono::sys_days{std::chrono::year(2026) / 2 / 3} + milliseconds(1500)),
            R"( k="2026-02-03T00:00:01.5Z")");
}

TEST(LogFormat, IndentsTextOfSeveralLinesAsKlogDoes) {
  EXPECT_EQ(Text("one\ntwo"), " k=<\n\tone\n\ttwo\n >");
  EXPECT_EQ(Text("one\n\ntwo\n"), " k=<\n\tone\n\t\n\ttwo\n >");
}

TEST(LogFormat, WritesEachKindOfValueInJson) {
  EXPECT_EQ(JsonField("a\nb"), R"(,"k":"a\nb")");
  EXPECT_EQ(JsonField(3), R"(,"k":3)");
  EXPECT_EQ(JsonField(false), R"(,"k":false)");
  EXPECT_EQ(JsonField(1e21), R"(,"k":1000000000000000000000)");
  EXPECT_EQ(JsonField(std::numeric_limits<double>::quiet_NaN()), R"(,"k":"NaN")");
  EXPECT_EQ(JsonField(-std::numeric_limits<double>::infinity()), R"(,"k":"-Inf")");
  EXPECT_EQ(JsonField(seconds(5)), R"(,"k":"5s")");
  EXPECT_EQ(JsonField(LogObject{"kube-system", "dns"}),
            R"(,"k":{"name":"dns","namespace":"kube-system"})");
  EXPECT_EQ(JsonField(LogObject{"", "node-1"}), R"(,"k":{"name":"node-1"})");
  EXPECT_EQ(JsonField(LogReference{"v1", "Node", "", "node-1", "u1"}),
            R"(,"k":{"name":"node-1","namespace":"","apiVersion":"v1","uid":"u1"})");
  EXPECT_EQ(JsonField(std::vector<std::string>{"a", "b"}), R"(,"k":["a","b"])");
}

TEST(LogFormat, PrintsDurationsAsGoDoes) {
  EXPECT_EQ(FormatDuration(nanoseconds(0)), "0s");
  EXPECT_EQ(FormatDuration(nanoseconds(999)), "999ns");
  EXPECT_EQ(FormatDuration(nanoseconds(1500)), "1.5µs");
  EXPECT_EQ(FormatDuration(microseconds(2050)), "2.05ms");
  EXPECT_EQ(FormatDuration(seconds(1)), "1s");
  EXPECT_EQ(FormatDuration(minutes(2)), "2m0s");
  EXPECT_EQ(FormatDuration(hours(1) + milliseconds(3500)), "1h0m3.5s");
  EXPECT_EQ(FormatDuration(-milliseconds(1500)), "-1.5s");
  EXPECT_EQ(FormatDuration(nanoseconds::max()), "2562047h47m16.854775807s");
  EXPECT_EQ(FormatDuration(nanoseconds::min()), "-2562047h47m16.854775808s");
}

TEST(LogFormat, PrintsWallTimesBeforeTheEpochToo) {
  EXPECT_EQ(FormatWallTime(WallTime(nanoseconds(-1))), "1969-12-31T23:59:59.999999999Z");
}

}  // namespace
}  // namespace flyball
