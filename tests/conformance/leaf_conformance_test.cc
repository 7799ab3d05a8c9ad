// Holds our leaf types against what Kubernetes' own code answered, case by case. The cases come
// from the Go program in leaf/, which ctest runs first; its sources say what each kind of line is.

#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/base64.h"
#include "flyball/api/duration.h"
#include "flyball/api/int_or_string.h"
#include "flyball/api/quantity.h"
#include "flyball/api/time.h"
#include "flyball/api/utf8.h"
#include "gtest/gtest.h"
#include "tests/conformance/cases.h"

namespace flyball::api {
namespace {

using Format = Quantity::Format;

using conformance::Unhex;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

struct Fields : conformance::Fields {
  using conformance::Fields::Fields;
  int divergences = 0;  ///< deliberate differences met in this line
};

std::string Bool(bool value) { return value ? "true" : "false"; }

std::string DumpDecimal(const std::optional<Quantity::Decimal>& decimal) {
  if (!decimal) return "<nil>";
  std::string words;
  for (const std::uint64_t word : decimal->words) {
    words += (words.empty() ? "" : " ") + std::to_string(word);
  }
  return "{unscaled:(big.Int){neg:(bool)" + Bool(decimal->negative) + " abs:(big.nat)" +
         (words.empty() ? "<nil>" : "[" + words + "]") + "} scale:(inf.Scale)" +
         std::to_string(decimal->scale) + "}";
}

/// The text that the pod template hash is taken over.
std::string Dump(const Quantity& quantity) {
  return "(resource.Quantity){i:(resource.int64Amount){value:(int64)" +
         std::to_string(quantity.fast_value()) + " scale:(resource.Scale)" +
         std::to_string(quantity.fast_scale()) + "} d:(resource.infDecAmount){Dec:(*inf.Dec)" +
         DumpDecimal(quantity.decimal()) + "} s:(string)" + quantity.cached_text() +
         " Format:(resource.Format)" + std::string(ToString(quantity.format())) + "}";
}

Quantity MakeOperand(std::string_view field) {
  if (field.starts_with('t')) {
    const Result<Quantity> parsed = Quantity::Parse(Unhex(field.substr(1)));
    EXPECT_TRUE(parsed.has_value()) << Unhex(field.substr(1));
    return parsed.value_or(Quantity());
  }
  const std::vector<std::string_view> parts = Split(field, ':');
  std::int64_t value = 0;
  Quantity::Scale scale = 0;
  std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), value);
  std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), scale);
  Quantity quantity = Quantity::FromScaled(value, scale);
  for (const Format format :
       {Format::kUnset, Format::kDecimalExponent, Format::kBinarySi, Format::kDecimalSi}) {
    if (ToString(format) == parts[3]) quantity.set_format(format);
  }
  return quantity;
}

/// Where upstream's canonical form is right, ours is the same. Where it lost its suffix, ours must
/// be another one, and a true one. Takes two fields; false if the canonical forms differ.
bool ExpectCanonical(Fields& fields, const Quantity& quantity) {
  const std::string ours = quantity.Canonical();
  const bool upstream_lost = fields.Flag();
  const std::string upstream = fields.Text();
  if (!upstream_lost) {
    EXPECT_EQ(ours, upstream);
    return true;
  }
  ++fields.divergences;
  EXPECT_NE(ours, upstream);
  Quantity read = Quantity::Parse(ours).value_or(Quantity());
  Quantity wanted = quantity;
  if (const std::size_t at = ours.find("e-"); at != std::string::npos) {
    // Finer than what a text may be without rounding: count in the text's own unit instead.
    read = Quantity::Parse(ours.substr(0, at)).value_or(Quantity());
    for (int places = std::stoi(ours.substr(at + 2)); places > 0; --places) wanted.Mul(10);
  } else if (ours.ends_with("Ei")) {
    // Beyond where reading a binary suffix caps the value.
    read = Quantity::Parse(ours.substr(0, ours.size() - 2)).value_or(Quantity());
    read.Mul(std::int64_t{1} << 60);
  }
  EXPECT_EQ(read, wanted) << ours;
  return false;
}

void CheckQuantity(Fields& fields) {
  const Quantity quantity = MakeOperand(fields.Raw());
  EXPECT_EQ(Dump(quantity), fields.Text());
  const bool same_text = ExpectCanonical(fields, quantity);
  const std::string printed = fields.Text();
  const std::string cached_state = fields.Text();
  if (same_text) {
    EXPECT_EQ(quantity.ToString(), printed);
    Quantity cached = quantity;
    cached.CacheText();
    EXPECT_EQ(Dump(cached), cached_state);
  }
  EXPECT_EQ(quantity.Value(), fields.Number());
  EXPECT_EQ(quantity.MilliValue(), fields.Number());
  for (const Quantity::Scale scale : {3, -9, 1}) {
    EXPECT_EQ(quantity.ScaledValue(scale), fields.Number()) << scale;
  }
  EXPECT_EQ(quantity.Sign(), fields.Number());
  const bool fast = fields.Flag();
  const std::int64_t whole = fields.Number();
  EXPECT_EQ(quantity.AsInt64(), fast ? std::optional(whole) : std::nullopt);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(quantity.AsApproximateDouble()),
            fields.Number<std::uint64_t>());
  for (const Quantity::Scale scale : {-3, 2}) {
    Quantity rounded = quantity;
    EXPECT_EQ(rounded.RoundUp(scale), fields.Flag()) << scale;
    EXPECT_EQ(Dump(rounded), fields.Text()) << "rounded to " << scale;
  }
}

void CheckNegation(Fields& fields) {
  Quantity quantity = MakeOperand(fields.Raw());
  quantity.Neg();
  EXPECT_EQ(Dump(quantity), fields.Text());
}

void CheckVerdict(Fields& fields) {
  const std::string text = fields.Text();
  EXPECT_EQ(Quantity::Parse(text).has_value(), fields.Flag());
}

void CheckWide(Fields& fields) {
  const Result<Quantity> quantity = Quantity::Parse(fields.Text());
  ASSERT_TRUE(quantity.has_value());
  ExpectCanonical(fields, *quantity);
  for (const Quantity::Scale scale : {0, -3, 3, -9, 1}) {
    EXPECT_EQ(quantity->ScaledValue(scale), fields.Number()) << scale;
  }
  EXPECT_EQ(quantity->Sign(), fields.Number());
  EXPECT_EQ(std::bit_cast<std::uint64_t>(quantity->AsApproximateDouble()),
            fields.Number<std::uint64_t>());
}

void CheckOrder(Fields& fields) {
  const Quantity a = MakeOperand(fields.Raw());
  const Quantity b = MakeOperand(fields.Raw());
  const std::int64_t order = fields.Number();
  EXPECT_EQ(a.Compare(b), order);
  EXPECT_EQ(b.Compare(a), -order);
}

void CheckSumOfWide(Fields& fields) {
  const bool subtract = fields.Raw() == "-";
  Quantity sum = MakeOperand(fields.Raw());
  const Quantity other = MakeOperand(fields.Raw());
  subtract ? sum.Sub(other) : sum.Add(other);
  EXPECT_EQ(sum.Canonical(), fields.Text());
  EXPECT_EQ(sum.Value(), fields.Number());
  EXPECT_EQ(sum.MilliValue(), fields.Number());
  EXPECT_EQ(sum.Sign(), fields.Number());
}

void CheckSum(Fields& fields) {
  const Quantity a = MakeOperand(fields.Raw());
  const Quantity b = MakeOperand(fields.Raw());
  const std::int64_t order = fields.Number();
  EXPECT_EQ(a.Compare(b), order);
  EXPECT_EQ(b.Compare(a), -order);
  EXPECT_EQ(a == b, order == 0);
  Quantity sum = a;
  sum.Add(b);
  EXPECT_EQ(Dump(sum), fields.Text());
  ExpectCanonical(fields, sum);
}

void CheckDifference(Fields& fields) {
  Quantity difference = MakeOperand(fields.Raw());
  difference.Sub(MakeOperand(fields.Raw()));
  EXPECT_EQ(Dump(difference), fields.Text());
  ExpectCanonical(fields, difference);
}

void CheckProduct(Fields& fields) {
  Quantity product = MakeOperand(fields.Raw());
  const std::int64_t factor = fields.Number();
  EXPECT_EQ(product.Mul(factor), fields.Flag());
  EXPECT_EQ(Dump(product), fields.Text());
}

void CheckJson(Fields& fields) {
  const Result<Quantity> parsed = Quantity::FromJson(fields.Text());
  ASSERT_EQ(parsed.has_value(), fields.Flag());
  if (!parsed) return;
  EXPECT_EQ(Dump(*parsed), fields.Text());
}

void CheckScaling(Fields& fields) {
  const std::string_view field = fields.Raw();
  IntOrString value(Unhex(field.substr(1)));
  if (field.starts_with('c')) value = IntOrString::Parse(field.substr(1));
  const std::int64_t total = fields.Number();
  const bool ok = fields.Flag();
  const Result<std::int64_t> up = value.ScaledValue(total, true);
  const Result<std::int64_t> down = value.ScaledValue(total, false);
  ASSERT_EQ(up.has_value(), ok);
  ASSERT_EQ(down.has_value(), ok);
  if (!ok) return;
  EXPECT_EQ(*up, fields.Number());
  EXPECT_EQ(*down, fields.Number());
}

void CheckIntOrString(Fields& fields) {
  const std::string text = fields.Text();
  EXPECT_EQ(IntOrString(text).IntValue(), fields.Number());
  const IntOrString parsed = IntOrString::Parse(text);
  EXPECT_EQ(parsed.IsString(), fields.Flag());
  EXPECT_EQ(parsed.number(), fields.Number());
  EXPECT_EQ(parsed.ToString(), fields.Text());
}

template <typename AnyTime>
std::string JsonOf(const AnyTime& time) {
  return time.IsZero() ? "null" : time.ToString();
}

template <typename AnyTime>
void CheckTimeText(Fields& fields) {
  const Result<AnyTime> parsed = AnyTime::Parse(fields.Text());
  ASSERT_EQ(parsed.has_value(), fields.Flag());
  if (!parsed) return;
  EXPECT_EQ(parsed->unix_seconds(), fields.Number());
  EXPECT_EQ(parsed->nanoseconds(), fields.Number());
  EXPECT_EQ(JsonOf(*parsed), fields.Text());
  EXPECT_EQ(parsed->unix_seconds(), fields.Number());
  EXPECT_EQ(parsed->ProtoNanoseconds(), fields.Number());
}

void CheckTimeFormat(Fields& fields) {
  const std::int64_t seconds = fields.Number();
  const std::int64_t nanoseconds = fields.Number();
  EXPECT_EQ(JsonOf(Time::FromUnix(seconds, nanoseconds)), fields.Text());
  const MicroTime micro = MicroTime::FromUnix(seconds, nanoseconds);
  EXPECT_EQ(JsonOf(micro), fields.Text());
  EXPECT_EQ(micro.ProtoNanoseconds(), fields.Number());
}

void CheckTimestamp(Fields& fields) {
  const std::int64_t seconds = fields.Number();
  const auto nanoseconds = fields.Number<std::int32_t>();
  const Time time = Time::FromProto(seconds, nanoseconds);
  EXPECT_EQ(time.unix_seconds(), fields.Number());
  EXPECT_EQ(time.nanoseconds(), fields.Number());
  const MicroTime micro = MicroTime::FromProto(seconds, nanoseconds);
  EXPECT_EQ(micro.unix_seconds(), fields.Number());
  EXPECT_EQ(micro.nanoseconds(), fields.Number());
}

void CheckTimeArithmetic(Fields& fields) {
  const std::int64_t a_seconds = fields.Number();
  const Time a = Time::FromUnix(a_seconds, fields.Number());
  const std::int64_t b_seconds = fields.Number();
  const Time b = Time::FromUnix(b_seconds, fields.Number());
  const std::chrono::nanoseconds distance(fields.Number());
  const Time moved = a + distance;
  EXPECT_EQ(moved.unix_seconds(), fields.Number());
  EXPECT_EQ(moved.nanoseconds(), fields.Number());
  EXPECT_EQ(moved - distance, a);
  EXPECT_EQ((a - b).count(), fields.Number());
  const std::int64_t order = fields.Number();
  EXPECT_EQ(a < b, order < 0);
  EXPECT_EQ(a == b, order == 0);
}

void CheckDurationText(Fields& fields) {
  const Result<std::chrono::nanoseconds> parsed = ParseDuration(fields.Text());
  ASSERT_EQ(parsed.has_value(), fields.Flag());
  if (!parsed) return;
  EXPECT_EQ(parsed->count(), fields.Number());
}

void CheckDurationFormat(Fields& fields) {
  const std::chrono::nanoseconds duration(fields.Number());
  EXPECT_EQ(FormatDuration(duration), fields.Text());
  EXPECT_EQ(ParseDuration(FormatDuration(duration)).has_value(), true);
}

void CheckBase64(Fields& fields) {
  const std::string bytes = fields.Text();
  EXPECT_EQ(EncodeBase64(bytes), fields.Text());
  const Result<std::string> decoded = DecodeBase64(fields.Text());
  ASSERT_EQ(decoded.has_value(), fields.Flag());
  if (!decoded) return;
  EXPECT_EQ(*decoded, fields.Text());
}

void CheckUtf8(Fields& fields) {
  const std::string text = fields.Text();
  EXPECT_EQ(IsValidUtf8(text), fields.Flag());
}

struct Kind {
  const char* family;
  std::function<void(Fields&)> check;
};

const std::map<std::string_view, Kind>& Kinds() {
  static const std::map<std::string_view, Kind> kKinds = {
      {"R", {"Quantity", CheckVerdict}},
      {"Q", {"Quantity", CheckQuantity}},
      {"N", {"Quantity", CheckNegation}},
      {"A", {"Quantity", CheckSum}},
      {"D", {"Quantity", CheckDifference}},
      {"M", {"Quantity", CheckProduct}},
      {"J", {"Quantity", CheckJson}},
      {"C", {"Quantity", CheckOrder}},
      {"W", {"Quantity", CheckWide}},
      {"Y", {"Quantity", CheckSumOfWide}},
      {"I", {"IntOrString", CheckScaling}},
      {"S", {"IntOrString", CheckIntOrString}},
      {"T", {"Time", CheckTimeText<Time>}},
      {"U", {"Time", CheckTimeText<MicroTime>}},
      {"F", {"Time", CheckTimeFormat}},
      {"P", {"Time", CheckTimestamp}},
      {"X", {"Time", CheckTimeArithmetic}},
      {"H", {"Duration", CheckDurationText}},
      {"E", {"Duration", CheckDurationFormat}},
      {"B", {"Bytes", CheckBase64}},
      {"V", {"Bytes", CheckUtf8}},
  };
  return kKinds;
}

/// The line with its texts readable, for a failure's report.
std::string Readable(std::string_view line) {
  std::string readable;
  for (const std::string_view field : Split(line, '\t')) {
    const bool hex = field.size() > 2 && field.size() % 2 == 0 &&
                     field.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    readable.append(readable.empty() ? "" : " | ").append(hex ? Unhex(field) : std::string(field));
    if (readable.size() > 600) return readable.substr(0, 600) + "...";
  }
  return readable;
}

using LeafConformance = conformance::CasesTest;

TEST_F(LeafConformance, AnswersAsUpstreamInEveryCase) {
  std::map<std::string, int> counts;
  int total = 0;
  int failed = 0;
  int divergences = 0;
  for (const std::string& line : lines()) {
    Fields fields(line);
    const auto kind = Kinds().find(fields.Raw());
    ASSERT_NE(kind, Kinds().end()) << line.substr(0, 80);
    SCOPED_TRACE(Readable(line));
    const int before = Complaints();
    kind->second.check(fields);
    const int after = Complaints();
    ++counts[kind->second.family];
    ++total;
    divergences += fields.divergences;
    if (after != before && ++failed == 20) break;
  }
  for (const auto& [family, count] : counts) std::printf("%s: %d cases\n", family.c_str(), count);
  std::printf("where upstream loses a suffix and we do not: %d\n", divergences);
  std::printf("leaf conformance: %d cases, %d failed\n", total, failed);
  EXPECT_GE(counts["Quantity"] + counts["IntOrString"], 5000);
  EXPECT_GE(counts["Time"] + counts["Duration"], 2000);
}

}  // namespace
}  // namespace flyball::api
