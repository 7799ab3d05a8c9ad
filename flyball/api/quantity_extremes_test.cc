/// Quantities whose exponent or length is far beyond what anybody needs. Anybody may write them
/// into an object, so each operation has to stay within what the text's own length explains.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/hash_dump.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/quantity.h"
#include "flyball/base/sanitizers.h"

namespace flyball::api {
namespace {

Quantity Q(std::string_view text) {
  Result<Quantity> parsed = Quantity::Parse(text);
  EXPECT_TRUE(parsed.has_value()) << text.substr(0, 40);
  return parsed.value_or(Quantity());
}

Quantity Sum(Quantity a, const Quantity& b) {
  a.Add(b);
  return a;
}

Quantity Difference(Quantity a, const Quantity& b) {
  a.Sub(b);
  return a;
}

/// While it lives the process may take so many bytes more than it has; beyond, std::bad_alloc fails
/// the test. Sanitizers reserve terabytes, and are left alone.
class MemoryLimit {
 public:
  explicit MemoryLimit([[maybe_unused]] std::size_t bytes) {
#ifndef FLYBALL_SANITIZED
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    EXPECT_GT(pages, 0U);
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = pages * 4096 + bytes;
    EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
#endif
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() {
#ifndef FLYBALL_SANITIZED
    setrlimit(RLIMIT_AS, &before_);
#endif
  }

 private:
  [[maybe_unused]] rlimit before_{};
};

constexpr std::size_t kMemory = 32 << 20;

TEST(QuantityExtremes, ParsesTheExponentsAndLengthsThatUpstreamParses) {
  const MemoryLimit limit(kMemory);
  struct Case {
    std::string text;
    std::string printed;
    std::int64_t value;
    std::int64_t milli;
  };
  const std::string nines(5000, '9');
  const Case cases[] = {
      {"1e6000", "1e6000", 0, 0},
      {"1e400000000", "10e399999999", 0, 0},
      {"-1e400000000", "-10e399999999", 0, 0},
      {"1e2147483647", "10e2147483646", 0, 1},
      {"1e-6000", "1e-9", 1, 1},
      {"-1e-6000", "-1e-9", 1, 1},
      {"1e-2147483648", "1e-9", 1, 1},
      {"1.5e-2147483648", "150e2147483646", 0, 15},
      {"1.55e-2147483648", "1.55e-2147483648", 0, 155},
      {"12345678901234567890e6000", "12345678901234567890e6000", 0, 0},
      {"-12345678901234567890e6000", "-12345678901234567890e6000", 0, 0},
      {"12345678901234567890e2147483647", "123456789012345678900e2147483646", 0, 0},
      {"0e999999999", "0", 0, 0},
      {"0e-2147483648", "0", 0, 0},
      {nines, nines, -1, -1000},
      {nines + "Ki", "9223372036854775807", std::numeric_limits<std::int64_t>::max(), -1000},
      {"-" + nines + "Ki", "-9223372036854775807", -std::numeric_limits<std::int64_t>::max(), 1000},
      {std::string(5000, '0') + "10", std::string(5000, '0') + "10", 10, 10000},
      {"0." + nines + "Ki", "1Ki", 1024, 1024000},
  };
  for (const Case& expected : cases) {
    SCOPED_TRACE(expected.text.substr(0, 40));
    const Quantity quantity = Q(expected.text);
    EXPECT_EQ(quantity.ToString(), expected.printed);
    EXPECT_EQ(quantity.Value(), expected.value);
    EXPECT_EQ(quantity.MilliValue(), expected.milli);
    EXPECT_EQ(quantity, Q(quantity.ToString()));
  }
}

TEST(QuantityExtremes, ObjectsWithThemAreDecodedAndEncoded) {
  const std::string json =
      R"({"spec":{"containers":[{"name":"","resources":{"requests":{"memory":"1e6000"}}}]}})";
  const auto pod = DecodeJson<core::v1::Pod>(json);
  ASSERT_TRUE(pod) << pod.error().Describe();
  const auto bytes = EncodeProtobuf(*pod);
  ASSERT_TRUE(bytes);
  const auto again = DecodeProtobuf<core::v1::Pod>(*bytes);
  ASSERT_TRUE(again) << again.error().Describe();
  EXPECT_EQ(*again, *pod);
  const auto written = EncodeJson(*again);
  ASSERT_TRUE(written);
  EXPECT_NE(written->find(R"({"memory":"1e6000"})"), std::string::npos) << *written;
}

TEST(QuantityExtremes, ComparesExponentsWithoutExpandingThem) {
  const MemoryLimit limit(kMemory);
  const std::vector<Quantity> ascending = {Q("-12345678901234567890e2147483647"),
                                           Q("-1e2147483647"),
                                           Q("-12345678901234567890e400000000"),
                                           Q("-1e400000000"),
                                           Q("-1"),
                                           Q("0e-999999999"),
                                           Q("1e-2147483648"),
                                           Q("1"),
                                           Q("1e399999999"),
                                           Q("9999999999999999999e399999981"),
                                           Q("1e400000000"),
                                           Q("10000000000000000001e399999981"),
                                           Q("1e2147483647"),
                                           Q("1000e2147483647")};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t k = 0; k < ascending.size(); ++k) {
      EXPECT_EQ(ascending[i] <=> ascending[k], i <=> k) << i << " and " << k;
    }
  }
  EXPECT_EQ(Q("10000000000000000000e399999981"), Q("1e400000000"));
  EXPECT_EQ(Q("0e2147483647"), Q("0e-2147483648"));
}

TEST(QuantityExtremes, SumsOf4096DigitsAreExact) {
  const Quantity sum = Sum(Q("1e4095"), Q("1"));
  EXPECT_NE(sum, Q("1e4095"));
  EXPECT_EQ(Difference(sum, Q("1e4095")), Q("1"));
  EXPECT_EQ(sum.ToString(), "1" + std::string(4094, '0') + "1");
  EXPECT_EQ(Difference(Q("1e4096"), Q("1")), Q(std::string(4096, '9')));
  EXPECT_EQ(Sum(Q(std::string(4096, '9')), Q("1")), Q("1e4096"));
  EXPECT_EQ(Difference(Q("1e5000"), Q(std::string(5000, '9'))), Q("1"));
  EXPECT_EQ(Difference(Q(std::string(5000, '9')), Q(std::string(4999, '9') + "7")), Q("2"));
  EXPECT_EQ(Sum(Q("1e400000000"), Q("1e399999999")), Q("11e399999999"));
  EXPECT_EQ(Sum(Q("12345678901234567890e400000000"), Q("-1e400000000")),
            Q("12345678901234567889e400000000"));
}

TEST(QuantityExtremes, SumBeyond4096DigitsKeepsTheLargerOperand) {
  const MemoryLimit limit(kMemory);
  EXPECT_EQ(Sum(Q("1e4096"), Q("1")), Q("1e4096"));
  EXPECT_EQ(Sum(Q("1"), Q("1e400000000")), Q("1e400000000"));
  EXPECT_EQ(Difference(Q("1"), Q("1e400000000")), Q("-1e400000000"));
  EXPECT_EQ(Difference(Q("1e2147483647"), Q("1n")), Q("1e2147483647"));
  const Quantity long_number = Q(std::string(5000, '7'));
  EXPECT_EQ(Sum(long_number, Q("1")), long_number);
  EXPECT_EQ(Sum(Q("0"), long_number), long_number);
  EXPECT_TRUE(Difference(long_number, long_number).IsZero());
  EXPECT_TRUE(Difference(Q("1e2147483647"), Q("1e2147483647")).IsZero());
}

TEST(QuantityExtremes, ZeroWithAnExponentAddsNothing) {
  const MemoryLimit limit(kMemory);
  EXPECT_EQ(Sum(Q("0e-999999999"), Q("1")), Q("1"));
  EXPECT_EQ(Sum(Q("1e400000000"), Q("0e-999999999")), Q("1e400000000"));
  EXPECT_EQ(Sum(Q("0e-999999999"), Q("0e999999999")), Q("0"));
}

TEST(QuantityExtremes, PrintsSumsOfEveryFormatInFewBytes) {
  const MemoryLimit limit(kMemory);
  const Quantity huge = Q("1e400000000");
  for (const char* const text : {"1", "1m", "1Ki", "1e3"}) {
    const Quantity sum = Sum(Q(text), huge);
    EXPECT_EQ(sum.format(), Q(text).format());
    EXPECT_EQ(sum.Canonical(), "10e399999999");
  }
  EXPECT_EQ(Sum(Q("1"), Q("1e36")).Canonical(), "1000000000000000000000000000000000001");
  EXPECT_EQ(Sum(Q("0"), Q(std::string("1") + std::string(99, '0'))).Canonical(), "1e99");
  EXPECT_EQ(Q("1000e2147483647").Canonical(), "10000e2147483646") << "what can be read again";
}

TEST(QuantityExtremes, EveryOperationTakesEveryScale) {
  const MemoryLimit limit(kMemory);
  for (const Quantity::Scale scale : {std::numeric_limits<Quantity::Scale>::min(), -400000000,
                                      400000000, std::numeric_limits<Quantity::Scale>::max()}) {
    SCOPED_TRACE(scale);
    for (const auto format : {Quantity::Format::kDecimalSi, Quantity::Format::kBinarySi,
                              Quantity::Format::kDecimalExponent}) {
      Quantity quantity = Quantity::FromScaled(7, scale);
      quantity.set_format(format);
      EXPECT_LT(quantity.Canonical().size(), 20U);
      EXPECT_EQ(quantity.AsInt64(), std::nullopt);
      EXPECT_EQ(quantity.AsApproximateDouble(), scale < 0 ? 0 : HUGE_VAL);
      EXPECT_EQ(quantity > Q("1"), scale > 0);
      Quantity product = quantity;
      (void)product.Mul(std::numeric_limits<std::int64_t>::min());
      EXPECT_EQ(product.Sign(), -1);
      EXPECT_LT(product, quantity);
      Quantity negative = product;
      negative.Neg();
      EXPECT_TRUE(Sum(product, negative).IsZero());
      for (const Quantity::Scale to : {scale, 0, -(scale / 2)}) {
        Quantity rounded = product;
        const bool exact = rounded.RoundUp(to);
        EXPECT_EQ(exact, rounded == product);
        EXPECT_LE(rounded, product);
      }
      Quantity set = quantity;
      set.SetScaled(-7, scale);
      EXPECT_EQ(set.Sign(), -1);
    }
  }
}

TEST(QuantityExtremes, RoundsALongBinaryFractionAtTheNano) {
  const std::string zeros(100'000, '0');
  const std::string nines(100'000, '9');
  EXPECT_EQ(Q("1.0009765625" + zeros + "Ki"), Q("1025"));
  EXPECT_EQ(Q("1.0009765625" + zeros + "1Ki"), Q("1025.000000001"));
  EXPECT_EQ(Q("1.0009765624" + nines + "Ki"), Q("1025"));
  EXPECT_EQ(Q("-1.0009765625" + zeros + "1Ki"), Q("-1025.000000001"));
  EXPECT_EQ(Q("0." + zeros + "1Ei").ToString(), "1n");
}

/// Everything that can be done to a quantity, to three of about `size` bytes.
void WorkOn(std::size_t size) {
  const std::string digits(size, '7');
  for (const std::string& text :
       {digits, "-0." + digits + "e" + std::to_string(size / 2), digits + "e400000000"}) {
    Quantity quantity = Q(text);
    EXPECT_EQ(quantity, Q(quantity.ToString()));
    quantity.CacheText();
    (void)quantity.Value();
    (void)quantity.ScaledValue(30);
    EXPECT_TRUE(std::isinf(quantity.AsApproximateDouble()));
    quantity.set_format(Quantity::Format::kBinarySi);
    EXPECT_FALSE(quantity.Canonical().empty());
    EXPECT_TRUE(Difference(quantity, quantity).IsZero());
    (void)quantity.Mul(1'000'000'007);
    quantity.Neg();
    quantity.Add(Q("1"));
    (void)quantity.RoundUp(5);
  }
}

double SecondsFor(std::size_t size) {
  const std::clock_t start = std::clock();
  WorkOn(size);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(QuantityExtremes, LongNumbersCostTimeAndMemoryInProportion) {
  const MemoryLimit limit(kMemory);
  WorkOn(1'000);
  const double at_200k = SecondsFor(200'000);
  const double at_1600k = SecondsFor(1'600'000);
  std::printf("200 kB: %.1f ms, 1.6 MB: %.1f ms\n", at_200k * 1e3, at_1600k * 1e3);
  // Eight times as many; a quadratic operation would take 64 times as long.
  EXPECT_LT(at_1600k, 24 * at_200k);
}

TEST(QuantityExtremes, TemplateHashOfALongNumberTakesLessThanTwoSeconds) {
  core::v1::PodTemplateSpec pod_template;
  core::v1::Container& container = pod_template.spec.containers.emplace_back();
  container.resources.requests["memory"] = Q(std::string(1'500'000, '7'));
  container.resources.requests["cpu"] = Q("12345678901234567890e400000000");
  const MemoryLimit limit(kMemory);
  const std::clock_t start = std::clock();
  const std::string dump = DumpForHash(pod_template);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%.0f ms\n", seconds * 1e3);
  EXPECT_LT(dump.size(), 2'000'000U);
#ifndef FLYBALL_SANITIZED
  EXPECT_LT(seconds, 2);
#endif
}

}  // namespace
}  // namespace flyball::api
