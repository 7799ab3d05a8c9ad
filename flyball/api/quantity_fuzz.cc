/// Input: a factor's byte, then two quantities with a line end between them.
#include "flyball/api/internal/fuzz_property.h"
#include "flyball/api/quantity.h"

namespace flyball::api {
namespace {

Quantity Sum(Quantity a, const Quantity& b) {
  a.Add(b);
  return a;
}

Quantity Difference(Quantity a, const Quantity& b) {
  a.Sub(b);
  return a;
}

Quantity Negated(Quantity a) {
  a.Neg();
  return a;
}

/// Whether sums of such quantities have few enough digits to be exact.
bool SumsAreExact(const Quantity& a) {
  const Quantity limit = *Quantity::Parse("1e2000");
  return a <= limit && a >= Negated(limit);
}

int SignOf(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

void CheckText(const Quantity& a) {
  const std::string text = a.ToString();
  const auto again = Quantity::Parse(text);
  FLYBALL_CHECK(again, text + ": " + again.error().Describe());
  FLYBALL_CHECK(*again == a, text);
  FLYBALL_CHECK(again->ToString() == text, text);
  const auto canonical = Quantity::Parse(a.Canonical());
  FLYBALL_CHECK(canonical, a.Canonical());
  FLYBALL_CHECK(*canonical == a, a.Canonical());
  const auto json = Quantity::FromJson(" \t" + text + "\n");
  FLYBALL_CHECK(json && *json == a, text);
  Quantity cached = a;
  cached.CacheText();
  FLYBALL_CHECK(cached.ToString() == text && cached == a, text);
}

void CheckOne(const Quantity& a, std::int64_t factor) {
  CheckText(a);
  FLYBALL_CHECK(a.Compare(a) == 0, "a quantity differs from itself");
  FLYBALL_CHECK(SignOf(a.Compare(Quantity())) == a.Sign(), "sign and order differ");
  FLYBALL_CHECK(Negated(Negated(a)) == a, "two negations change a quantity");
  FLYBALL_CHECK(Sum(a, Negated(a)).IsZero(), "a quantity and its negation do not cancel");
  if (const auto whole = a.AsInt64()) {
    FLYBALL_CHECK(a == Quantity::FromInt64(*whole, a.format()), "AsInt64 is another value");
    FLYBALL_CHECK(a.Value() == *whole, "Value and AsInt64 differ");
  }
  Quantity rounded = a;
  const bool exact = rounded.RoundUp(0);
  FLYBALL_CHECK(exact == (rounded == a), "RoundUp is wrong about what it lost");
  FLYBALL_CHECK(a.Sign() < 0 ? rounded <= a : rounded >= a, "RoundUp goes towards zero");
  FLYBALL_CHECK(a.IsZero() || !std::isnan(a.AsApproximateDouble()), "not a number");
  Quantity product = a;
  (void)product.Mul(factor);
  if (!SumsAreExact(a)) return;
  Quantity sum;
  for (std::int64_t i = 0; i < std::abs(factor); ++i) sum = Sum(sum, a);
  FLYBALL_CHECK(product == (factor < 0 ? Negated(sum) : sum), "a product is not the sum");
}

void CheckTwo(const Quantity& a, const Quantity& b) {
  FLYBALL_CHECK(SignOf(a.Compare(b)) == -SignOf(b.Compare(a)), "the order has two answers");
  FLYBALL_CHECK(Sum(a, b) == Sum(b, a), "a sum depends on its order");
  FLYBALL_CHECK(Difference(a, b).Sign() == SignOf(a.Compare(b)), "difference and order differ");
  FLYBALL_CHECK(Difference(a, b) == Negated(Difference(b, a)), "a - b is not -(b - a)");
  if (!SumsAreExact(a) || !SumsAreExact(b)) return;
  FLYBALL_CHECK(Difference(Sum(a, b), b) == a, "a + b - b is not a");
  FLYBALL_CHECK(Sum(Difference(a, b), b) == a, "a - b + b is not a");
}

}  // namespace
}  // namespace flyball::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::api;  // NOLINT(google-build-using-namespace)
  std::string_view input = FuzzInput(data, size);
  const std::int64_t factor = static_cast<std::int8_t>(TakeByte(input)) % 16;
  const std::size_t end = std::min(input.find('\n'), input.size());
  const auto a = Quantity::Parse(input.substr(0, end));
  const auto b = Quantity::FromJson(input.substr(std::min(end + 1, input.size())));
  for (const auto* quantity : {&a, &b}) {
    if (*quantity) {
      CheckOne(**quantity, factor);
    } else {
      CheckRefusal(quantity->error());
    }
  }
  if (a && b) CheckTwo(*a, *b);
  return 0;
}
