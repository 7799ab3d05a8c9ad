#include "flyball/api/quantity.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using Format = Quantity::Format;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();

Quantity Q(std::string_view text) {
  Result<Quantity> parsed = Quantity::Parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(Quantity());
}

struct FastState {
  std::int64_t value;
  Quantity::Scale scale;
  std::string text;
  Format format;
  friend bool operator==(const FastState&, const FastState&) = default;
};

FastState StateOf(const Quantity& quantity) {
  EXPECT_EQ(quantity.decimal(), std::nullopt);
  return {quantity.fast_value(), quantity.fast_scale(), quantity.cached_text(), quantity.format()};
}

TEST(QuantityParse, KeepsTheTextOnlyWhereUpstreamTakesItForCanonical) {
  EXPECT_EQ(StateOf(Q("0")), (FastState{0, 0, "0", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q("100m")), (FastState{100, -3, "100m", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q("1000m")), (FastState{1000, -3, "", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q("1.5")), (FastState{15, -1, "", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q("+1.")), (FastState{1, 0, "+1.", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q("01")), (FastState{1, 0, "01", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q("0.125")), (FastState{125, -3, "", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q("-12e6")), (FastState{-12, 6, "-12e6", Format::kDecimalExponent}));
  EXPECT_EQ(StateOf(Q("1Ki")), (FastState{1024, 0, "1Ki", Format::kBinarySi}));
  EXPECT_EQ(StateOf(Q("512Mi")), (FastState{512 << 20, 0, "", Format::kBinarySi}));
}

TEST(QuantityParse, TakesNoDigitsForZero) {
  EXPECT_EQ(StateOf(Q("-")), (FastState{0, 0, "", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q(".")), (FastState{0, 0, "", Format::kDecimalSi}));
  EXPECT_EQ(StateOf(Q("Ki")), (FastState{0, 0, "", Format::kBinarySi}));
}

TEST(QuantityParse, GoesToArbitraryPrecisionForBinaryFractionsAndLongNumbers) {
  const Quantity fraction = Q("1.5Gi");
  EXPECT_EQ(fraction.decimal(), (Quantity::Decimal{false, {1610612736000000000}, 9}));
  EXPECT_EQ(fraction.format(), Format::kBinarySi);
  EXPECT_EQ(fraction.cached_text(), "");

  const Quantity large = Q("-9223372036854775808");
  EXPECT_EQ(large.decimal(), (Quantity::Decimal{true, {0, 500000000}, 9}));

  const Quantity zero = Q("-0.0000000000");
  EXPECT_EQ(zero.decimal(), (Quantity::Decimal{false, {}, 10}));
}

TEST(QuantityParse, RoundsAwayFromZeroAtNano) {
  EXPECT_EQ(Q("0.1n").ToString(), "1n");
  EXPECT_EQ(Q("-0.0000000011").ToString(), "-2n");
  EXPECT_EQ(Q("1e-4000").ToString(), "1e-9");
}

TEST(QuantityParse, CapsBinaryValuesAtTheLargestInt64) {
  EXPECT_EQ(Q("100Ei").ToString(), "9223372036854775807");
  EXPECT_EQ(Q("-8Ei").ToString(), "-9223372036854775807");
  EXPECT_EQ(Q("100E").ToString(), "100E");
}

TEST(QuantityParse, RefusesWhatIsNoQuantity) {
  for (const char* text : {"", " 1", "1 ", "--1", "1i", "1e", "1e+", "1..2", "1.2.3", "1KI", "1e1k",
                           "a", "1\xc2\xb5", ".e-10", "1e99999999999999999999"}) {
    const Result<Quantity> parsed = Quantity::Parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kMalformed);
  }
}

TEST(QuantityParse, WrapsAnExponentBeyond32BitsAsUpstream) {
  EXPECT_EQ(StateOf(Q("1e4294967299")),
            (FastState{1, 3, "1e4294967299", Format::kDecimalExponent}));
}

TEST(QuantityParse, AllowsWhiteSpaceInJsonOnly) {
  const Result<Quantity> parsed = Quantity::FromJson(" \t1Gi\u00a0\u3000 ");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(StateOf(*parsed), (FastState{1 << 30, 0, "1Gi", Format::kBinarySi}));
  EXPECT_FALSE(Quantity::FromJson("  ").has_value());
}

TEST(QuantityCanonical, ChoosesTheLargestSuffixWithoutAFraction) {
  EXPECT_EQ(Q("1.5").Canonical(), "1500m");
  EXPECT_EQ(Q("1000").Canonical(), "1k");
  EXPECT_EQ(Q("1000000k").Canonical(), "1G");
  EXPECT_EQ(Q("-12000e3").Canonical(), "-12e6");
  EXPECT_EQ(Q("1.5Gi").Canonical(), "1536Mi");
  EXPECT_EQ(Q("1023Ki").Canonical(), "1023Ki");
  EXPECT_EQ(Quantity::FromInt64(1 << 30, Format::kBinarySi).Canonical(), "1Gi");
  EXPECT_EQ(Quantity::FromInt64(1000, Format::kBinarySi).Canonical(), "1k");
  EXPECT_EQ(Quantity::FromMilli(1500, Format::kBinarySi).Canonical(), "1500m");
  EXPECT_EQ(Quantity::FromMilli(2048500, Format::kBinarySi).Canonical(), "2048500m");
  EXPECT_EQ(Quantity().Canonical(), "0");
  Quantity unset;
  unset.SetScaled(12, 6);
  EXPECT_EQ(unset.Canonical(), "12e6");
}

TEST(QuantityCanonical, KeepsTheSuffixOfHugeAndTinyValues) {
  EXPECT_EQ(Q("1000E").ToString(), "1000E");
  EXPECT_EQ(Q("1000000E").ToString(), "1000000E");
  EXPECT_EQ(Q("1000e18").ToString(), "1e21");
  EXPECT_EQ(Quantity::FromScaled(1, -12).ToString(), "1e-12");
  Quantity product = Q("1Ei");
  product.Mul(1024);
  EXPECT_EQ(product.ToString(), "1024Ei");
}

TEST(QuantityCanonical, LeavesTheMostNegativeInt64Undivided) {
  EXPECT_EQ(Quantity::FromInt64(kMinInt64, Format::kBinarySi).Canonical(), "-9223372036854775808");
}

TEST(QuantityCanonical, IsKeptOnlyWhenAskedFor) {
  Quantity quantity = Q("1000m");
  EXPECT_EQ(quantity.ToString(), "1");
  EXPECT_EQ(quantity.cached_text(), "");
  quantity.CacheText();
  EXPECT_EQ(quantity.cached_text(), "1");
}

TEST(QuantityCompare, IsByValueWhateverTheState) {
  EXPECT_EQ(Q("1"), Q("1000m"));
  EXPECT_EQ(Q("1"), Q("1e0"));
  EXPECT_EQ(Q("1536Mi"), Q("1.5Gi"));
  EXPECT_LT(Q("-1.5"), Q("-1"));
  EXPECT_GT(Q("-1"), Q("-1.5"));
  EXPECT_GT(Q("1e100"), Q("9223372036854775807"));
  EXPECT_LT(Q("1n"), Q("1e30"));
  EXPECT_EQ(Q("0e30"), Q("0n"));
}

TEST(QuantityValue, RoundsUp) {
  EXPECT_EQ(Q("1500m").Value(), 2);
  EXPECT_EQ(Q("-1500m").Value(), -2);
  EXPECT_EQ(Q("1n").MilliValue(), 1);
  EXPECT_EQ(Q("1.5Gi").Value(), 1536 << 20);
  EXPECT_EQ(Q("2k").ScaledValue(3), 2);
  EXPECT_EQ(Q("2001").ScaledValue(3), 3);
}

TEST(QuantityValue, WrapsAsUpstreamBeyondInt64) {
  EXPECT_EQ(Q("9223372036854775808").Value(), kMinInt64);
  EXPECT_EQ(Q("100Ei").MilliValue(), -1000);
  EXPECT_EQ(Q("1e30").Value(), 0);
}

TEST(QuantityValue, IsAnInt64OnlyIfWholeAndFast) {
  EXPECT_EQ(Q("5k").AsInt64(), 5000);
  EXPECT_EQ(Q("1000m").AsInt64(), std::nullopt);
  EXPECT_EQ(Q("0.5Gi").AsInt64(), std::nullopt);
  EXPECT_EQ(Q("1e19").AsInt64(), std::nullopt);
  EXPECT_DOUBLE_EQ(Q("250m").AsApproximateDouble(), 0.25);
}

TEST(QuantityArithmetic, AddsAndSubtractsAtTheFinerScale) {
  Quantity sum = Q("1");
  sum.Add(Q("100m"));
  EXPECT_EQ(StateOf(sum), (FastState{1100, -3, "", Format::kDecimalSi}));
  sum.Sub(Q("2Ki"));
  EXPECT_EQ(sum.ToString(), "-2046900m");
}

TEST(QuantityArithmetic, ZeroTakesTheFormatOfTheOther) {
  Quantity sum;
  sum.Add(Q("1Gi"));
  EXPECT_EQ(sum.ToString(), "1Gi");
  Quantity difference = Q("0");
  difference.Sub(Q("1Gi"));
  EXPECT_EQ(difference.ToString(), "-1Gi");
}

TEST(QuantityArithmetic, MovesToArbitraryPrecisionInsteadOfOverflowing) {
  Quantity sum = Quantity::FromInt64(kMaxInt64, Format::kDecimalSi);
  const Quantity before = sum;
  sum.Add(Quantity::FromInt64(1, Format::kDecimalSi));
  EXPECT_EQ(sum.ToString(), "9223372036854775808");
  EXPECT_EQ(before.ToString(), "9223372036854775807") << "copies are independent";
  sum.Sub(before);
  EXPECT_EQ(sum, Q("1"));
}

TEST(QuantityArithmetic, NegatesTheMostNegativeInt64) {
  Quantity quantity = Quantity::FromInt64(kMinInt64, Format::kDecimalSi);
  quantity.Neg();
  EXPECT_EQ(quantity.ToString(), "9223372036854775808");
  Quantity difference = Q("0");
  difference.Sub(Quantity::FromInt64(kMinInt64, Format::kDecimalSi));
  EXPECT_EQ(difference.ToString(), "9223372036854775808");
}

TEST(QuantityArithmetic, Multiplies) {
  Quantity quantity = Q("500m");
  EXPECT_TRUE(quantity.Mul(4));
  EXPECT_EQ(StateOf(quantity), (FastState{2000, -3, "", Format::kDecimalSi}));
  EXPECT_TRUE(quantity.Mul(0));
  EXPECT_EQ(StateOf(quantity), (FastState{0, 0, "", Format::kDecimalSi}));
  Quantity large = Quantity::FromInt64(kMaxInt64, Format::kDecimalSi);
  EXPECT_FALSE(large.Mul(2));
  EXPECT_EQ(large.ToString(), "18446744073709551614");
}

TEST(QuantityArithmetic, RoundsUpToAScale) {
  Quantity quantity = Q("1100u");
  EXPECT_FALSE(quantity.RoundUp(Quantity::kMilli));
  EXPECT_EQ(StateOf(quantity), (FastState{2, -3, "", Format::kDecimalSi}));
  Quantity exact = Q("100m");
  EXPECT_TRUE(exact.RoundUp(Quantity::kMilli));
  EXPECT_EQ(exact.cached_text(), "100m") << "nothing to round, nothing forgotten";
  Quantity big = Q("0.5Ki");
  EXPECT_TRUE(big.RoundUp(Quantity::kMilli));
  EXPECT_EQ(big.decimal(), (Quantity::Decimal{false, {512000}, 3}));
}

}  // namespace
}  // namespace flyball::api
