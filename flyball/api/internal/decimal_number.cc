#include "flyball/api/internal/decimal_number.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <iterator>
#include <limits>

namespace flyball::api {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::int64_t kMaxSumDigits = 4096;
/// The digits that always fit an int64, and those of the largest one.
constexpr std::int64_t kSafeDigits = 18;
constexpr std::size_t kMostDigits = 19;
constexpr std::uint64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

/// Ten to the `exponent`, modulo 2^64.
std::uint64_t WrappingPowerOfTen(std::int64_t exponent) {
  // 2^64 divides 10^64.
  if (exponent >= 64) return 0;
  std::uint64_t power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

void Normalize(DecimalNumber& x) {
  x.digits.erase(0, x.digits.find_first_not_of('0'));
  const std::size_t end = x.digits.find_last_not_of('0') + 1;
  x.zeros += static_cast<std::int64_t>(x.digits.size() - end);
  x.digits.resize(end);
  if (!x.digits.empty()) return;
  x.zeros = 0;
  x.negative = false;
}

/// Where the first digit stands: the magnitude is 0.digits times ten to this power.
std::int64_t Magnitude(const DecimalNumber& x) {
  return static_cast<std::int64_t>(x.digits.size()) + x.Exponent();
}

int CompareMagnitudes(const DecimalNumber& a, const DecimalNumber& b) {
  if (a.IsZero() || b.IsZero()) return static_cast<int>(b.IsZero()) - static_cast<int>(a.IsZero());
  const std::int64_t magnitude_a = Magnitude(a);
  const std::int64_t magnitude_b = Magnitude(b);
  if (magnitude_a != magnitude_b) return magnitude_a < magnitude_b ? -1 : 1;
  const int order = a.digits.compare(b.digits);
  return static_cast<int>(order > 0) - static_cast<int>(order < 0);
}

/// Drops what is after `scale` digits behind the point; false if that lost something. The result
/// need not be normal: one may be to be added.
bool Truncate(DecimalNumber& x, std::int64_t scale) {
  std::int64_t surplus = x.scale - scale;
  x.scale = scale;
  if (x.IsZero()) return true;
  if (surplus <= x.zeros) {
    x.zeros -= surplus;
    return true;
  }
  surplus -= x.zeros;
  x.zeros = 0;
  const auto size = static_cast<std::int64_t>(x.digits.size());
  x.digits.resize(static_cast<std::size_t>(size - std::min(size, surplus)));
  return false;
}

void AddOne(std::string& digits) {
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (*digit != '9') {
      ++*digit;
      return;
    }
    *digit = '0';
  }
  digits.insert(0, 1, '1');
}

/// The low 64 bits of the unscaled number in two's complement.
std::uint64_t LowBits(const DecimalNumber& x) {
  const std::uint64_t power = WrappingPowerOfTen(x.zeros);
  if (power == 0) return 0;
  std::uint64_t low = 0;
  for (const char digit : x.digits) low = low * 10 + static_cast<std::uint64_t>(digit - '0');
  low *= power;
  return x.negative ? 0 - low : low;
}

/// The digits with zeros around them: `width` of them, of which the last counts 10^exponent.
std::string Aligned(const DecimalNumber& x, std::int64_t exponent, std::int64_t width) {
  std::string aligned = x.digits;
  aligned.append(static_cast<std::size_t>(x.Exponent() - exponent), '0');
  aligned.insert(0, static_cast<std::size_t>(width) - aligned.size(), '0');
  return aligned;
}

/// a + b, or a - b, of the same length; a is not the smaller one and has room for a carry.
void Accumulate(std::string& a, std::string_view b, bool subtract) {
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int other = b[i] - '0' + carry;
    int digit = a[i] - '0' + (subtract ? -other : other);
    carry = digit < 0 || digit > 9 ? 1 : 0;
    if (carry != 0) digit += subtract ? 10 : -10;
    a[i] = static_cast<char>('0' + digit);
  }
}

/// Halves the number of parts again and again, so that the multiplication, which is better than
/// quadratic, does the work: a megabyte of digits takes part of a second.
cpp_int ReadDigits(std::string_view digits) {
  std::vector<cpp_int> parts;  // least significant first
  parts.reserve(digits.size() / kSafeDigits + 1);
  while (!digits.empty()) {
    const std::size_t start = digits.size() - std::min<std::size_t>(digits.size(), kSafeDigits);
    std::uint64_t part = 0;
    std::from_chars(digits.data() + start, digits.data() + digits.size(), part);
    parts.emplace_back(part);
    digits.remove_suffix(digits.size() - start);
  }
  cpp_int base = WrappingPowerOfTen(kSafeDigits);
  while (parts.size() > 1) {
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      cpp_int& joined = parts[i / 2];
      if (i + 1 < parts.size()) {
        parts[i + 1] *= base;
        parts[i] += parts[i + 1];
      }
      if (i != 0) joined = std::move(parts[i]);
    }
    parts.resize((parts.size() + 1) / 2);
    if (parts.size() > 1) base *= base;
  }
  return parts.empty() ? cpp_int() : std::move(parts[0]);
}

}  // namespace

DecimalNumber MakeDecimal(bool negative, std::string digits, std::int64_t scale) {
  DecimalNumber x{negative, std::move(digits), 0, scale};
  Normalize(x);
  return x;
}

DecimalNumber MakeDecimal(std::int64_t value, std::int64_t scale) {
  const auto magnitude = static_cast<std::uint64_t>(value);
  return MakeDecimal(value < 0, std::to_string(value < 0 ? 0 - magnitude : magnitude), scale);
}

int CompareDecimals(const DecimalNumber& a, const DecimalNumber& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  const int order = CompareMagnitudes(a, b);
  return a.negative ? -order : order;
}

DecimalNumber AddDecimals(const DecimalNumber& a, const DecimalNumber& b) {
  const std::int64_t scale = std::max(a.scale, b.scale);
  const int order = CompareMagnitudes(a, b);
  if (order == 0 && a.negative != b.negative) return {false, "", 0, scale};
  const DecimalNumber& large = order < 0 ? b : a;
  const DecimalNumber& small = order < 0 ? a : b;
  DecimalNumber sum{large.negative, large.digits, 0, scale};
  if (large.IsZero()) return sum;
  sum.zeros = large.Exponent() + scale;
  if (small.IsZero()) return sum;
  const std::int64_t exponent = std::min(large.Exponent(), small.Exponent());
  const std::int64_t width = Magnitude(large) - exponent;
  // Wider than this there is a gap between the digits of the two, which a sum fills with zeros and
  // a difference with nines: it would have at most one digit less.
  const auto written = static_cast<std::int64_t>(large.digits.size() + small.digits.size());
  if (width > std::max(kMaxSumDigits + 1, written)) return sum;
  DecimalNumber exact{large.negative, Aligned(large, exponent, width + 1), exponent + scale, scale};
  Accumulate(exact.digits, Aligned(small, exponent, width + 1), a.negative != b.negative);
  Normalize(exact);
  return exact.digits.size() > kMaxSumDigits ? sum : exact;
}

DecimalNumber Negated(DecimalNumber x) {
  x.negative = !x.negative && !x.IsZero();
  return x;
}

void MultiplyDecimal(DecimalNumber& x, std::int64_t factor) {
  __extension__ using Wide = unsigned __int128;
  const auto bits = static_cast<std::uint64_t>(factor);
  const std::uint64_t magnitude = factor < 0 ? 0 - bits : bits;
  std::string product;
  product.reserve(x.digits.size() + kMostDigits + 1);
  Wide carry = 0;
  for (auto digit = x.digits.rbegin(); digit != x.digits.rend(); ++digit) {
    carry += Wide{magnitude} * static_cast<unsigned>(*digit - '0');
    product += static_cast<char>('0' + static_cast<int>(carry % 10));
    carry /= 10;
  }
  for (; carry != 0; carry /= 10) product += static_cast<char>('0' + static_cast<int>(carry % 10));
  std::ranges::reverse(product);
  x.digits = std::move(product);
  x.negative = x.negative != (factor < 0);
  Normalize(x);
}

bool RoundAway(DecimalNumber& x, std::int64_t scale) {
  const bool exact = Truncate(x, scale);
  if (exact) return true;
  AddOne(x.digits);
  Normalize(x);
  return false;
}

std::int64_t ScaledDecimal(const DecimalNumber& x, std::int64_t scale) {
  const std::int64_t surplus = x.scale - scale;
  const std::uint64_t low = LowBits(x);
  if (surplus == 0) return static_cast<std::int64_t>(low);
  if (surplus < 0) {
    // A power of ten beyond int64 came from a floating point conversion, which saturates so.
    const std::uint64_t power =
        -surplus <= kSafeDigits ? WrappingPowerOfTen(-surplus) : kMaxInt64 + 1;
    return static_cast<std::int64_t>(low * power);
  }
  const std::optional<std::int64_t> whole = UnscaledInt64(x);
  const bool below_limit = x.negative || (whole && static_cast<std::uint64_t>(*whole) < kMaxInt64);
  if (surplus <= kSafeDigits && below_limit) {
    // PARITY: rounds up after truncating, so a negative value moves towards zero by one too many:
    // -1.5 counts as 0 here, and as -2 where no arbitrary precision is involved.
    const auto power = static_cast<std::int64_t>(WrappingPowerOfTen(surplus));
    const auto signed_low = static_cast<std::int64_t>(low);
    return signed_low / power + (signed_low % power != 0 ? 1 : 0);
  }
  DecimalNumber quotient = x;
  const bool exact = Truncate(quotient, scale);
  return static_cast<std::int64_t>(LowBits(quotient) + (exact || x.negative ? 0 : 1));
}

std::optional<std::int64_t> UnscaledInt64(const DecimalNumber& x) {
  if (x.IsZero()) return 0;
  if (static_cast<std::int64_t>(x.digits.size()) + x.zeros >
      static_cast<std::int64_t>(kMostDigits)) {
    return std::nullopt;
  }
  const std::uint64_t low = LowBits(x);
  const std::uint64_t magnitude = x.negative ? 0 - low : low;
  if (magnitude > kMaxInt64 + (x.negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(low);
}

double UnscaledDouble(const DecimalNumber& x) {
  constexpr std::int64_t kMoreThanAnyDouble = 310;
  if (x.IsZero()) return 0;
  double value = std::numeric_limits<double>::infinity();
  if (static_cast<std::int64_t>(x.digits.size()) + x.zeros <= kMoreThanAnyDouble) {
    const std::string text = x.digits + "e" + std::to_string(x.zeros);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc()) value = std::numeric_limits<double>::infinity();
  }
  return x.negative ? -value : value;
}

std::vector<std::uint64_t> WordsOf(std::string_view digits, std::int64_t zeros) {
  std::vector<std::uint64_t> words;
  if (digits.empty()) return words;
  cpp_int x = ReadDigits(digits);
  x *= boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(zeros));
  export_bits(x, std::back_inserter(words), 64, false);
  return words;
}

std::optional<std::string> DividedBy1024(std::string_view digits) {
  std::string quotient;
  quotient.reserve(digits.size());
  unsigned rest = 0;
  for (const char digit : digits) {
    rest = rest * 10 + static_cast<unsigned>(digit - '0');
    if (rest >= 1024 || !quotient.empty()) quotient += static_cast<char>('0' + rest / 1024);
    rest %= 1024;
  }
  if (rest != 0) return std::nullopt;
  return quotient;
}

}  // namespace flyball::api
