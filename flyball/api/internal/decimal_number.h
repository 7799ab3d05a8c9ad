#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flyball::api {

/// The arbitrary precision number of a quantity: upstream's unscaled big number is
/// `digits` * 10^`zeros`, negated if `negative`, and the value is that times 10^-scale.
///
/// `digits` neither starts nor ends with a zero; the number zero has no digits, no zeros and no
/// sign. The zeros that an exponent asks for are counted and never written, and digits are decimal
/// because they come from a text and go into one: so everything here but WordsOf() takes time and
/// memory in proportion to the digits that somebody wrote, whatever the exponents are.
struct DecimalNumber {
  bool negative = false;
  std::string digits;
  std::int64_t zeros = 0;
  std::int64_t scale = 0;

  bool IsZero() const { return digits.empty(); }
  /// The value is `digits` times ten to this power.
  std::int64_t Exponent() const { return zeros - scale; }
};

/// `digits` may start and end with zeros.
DecimalNumber MakeDecimal(bool negative, std::string digits, std::int64_t scale);
/// value * 10^-scale.
DecimalNumber MakeDecimal(std::int64_t value, std::int64_t scale);

int CompareDecimals(const DecimalNumber& a, const DecimalNumber& b);

/// The sum, at the finer of the two scales.
// DIVERGES: upstream expands both to their common scale, so that 1e400000000 + 1 takes minutes and
// gigabytes. Here a sum of more than 4,096 digits is its larger operand.
DecimalNumber AddDecimals(const DecimalNumber& a, const DecimalNumber& b);
DecimalNumber Negated(DecimalNumber x);
/// The scale stays as it is.
void MultiplyDecimal(DecimalNumber& x, std::int64_t factor);
/// Rounds away from zero to `scale` digits after the point; false if that lost something.
bool RoundAway(DecimalNumber& x, std::int64_t scale);

/// The value in units of 10^-scale, as upstream rounds and wraps it.
std::int64_t ScaledDecimal(const DecimalNumber& x, std::int64_t scale);
/// The unscaled number, if it is one.
std::optional<std::int64_t> UnscaledInt64(const DecimalNumber& x);
/// The unscaled number, infinite if that is too large.
double UnscaledDouble(const DecimalNumber& x);

/// digits * 10^zeros in binary, least significant word first.
std::vector<std::uint64_t> WordsOf(std::string_view digits, std::int64_t zeros);

/// digits * 2^-10, if that is a whole number.
std::optional<std::string> DividedBy1024(std::string_view digits);

}  // namespace flyball::api
