#include "flyball/api/quantity.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <iterator>
#include <limits>

#include "flyball/api/internal/quantity_syntax.h"
#include "flyball/base/check.h"

namespace flyball::api {
namespace {

using boost::multiprecision::cpp_int;
using Format = Quantity::Format;
using Scale = Quantity::Scale;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int32_t kMaxFastDigits = 18;

constexpr auto kPowersOfTen = [] {
  std::array<std::int64_t, kMaxFastDigits + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

/// unscaled * 10^-scale: Quantity::Decimal while it is computed with.
struct BigDecimal {
  cpp_int unscaled;
  std::int32_t scale = 0;
};

cpp_int PowerOfTen(std::int32_t exponent) {
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

BigDecimal Load(const Quantity& quantity) {
  const Quantity::Decimal* decimal = quantity.decimal();
  if (decimal == nullptr) return {quantity.fast_value(), -quantity.fast_scale()};
  BigDecimal big{0, decimal->scale};
  if (decimal->words.empty()) return big;
  import_bits(big.unscaled, decimal->words.begin(), decimal->words.end(), 64, false);
  if (decimal->negative) big.unscaled = -big.unscaled;
  return big;
}

std::shared_ptr<const Quantity::Decimal> Store(const BigDecimal& big) {
  auto decimal = std::make_shared<Quantity::Decimal>();
  decimal->negative = big.unscaled < 0;
  decimal->scale = big.scale;
  if (big.unscaled != 0) {
    export_bits(cpp_int(abs(big.unscaled)), std::back_inserter(decimal->words), 64, false);
  }
  return decimal;
}

/// Brings both to the finer of the two scales.
void Align(BigDecimal& a, BigDecimal& b) {
  BigDecimal& coarse = a.scale < b.scale ? a : b;
  const std::int32_t scale = std::max(a.scale, b.scale);
  if (coarse.scale == scale) return;
  coarse.unscaled *= PowerOfTen(scale - coarse.scale);
  coarse.scale = scale;
}

int CompareBig(BigDecimal a, BigDecimal b) {
  Align(a, b);
  return a.unscaled.compare(b.unscaled);
}

/// Rounds away from zero to `scale` digits after the point; false if that lost something.
bool RoundAway(BigDecimal& x, std::int32_t scale) {
  const std::int32_t shift = scale - x.scale;
  x.scale = scale;
  if (shift >= 0) {
    x.unscaled *= PowerOfTen(shift);
    return true;
  }
  cpp_int quotient;
  cpp_int remainder;
  divide_qr(x.unscaled, PowerOfTen(-shift), quotient, remainder);
  quotient += remainder.sign();
  x.unscaled = std::move(quotient);
  return remainder == 0;
}

/// The low 64 bits in two's complement: what upstream's conversion of a big number gives.
std::int64_t LowBits(const cpp_int& x) {
  const cpp_int magnitude = abs(x);
  const auto low =
      static_cast<std::uint64_t>(magnitude & std::numeric_limits<std::uint64_t>::max());
  return static_cast<std::int64_t>(x < 0 ? 0 - low : low);
}

std::int64_t WrappingMultiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

struct Scaled {
  std::int64_t value = 0;
  bool exact = false;
};

/// value * 10^places. Not exact means that it overflowed.
Scaled ScaleUp(std::int64_t value, std::int32_t places) {
  if (value == 0 || places == 0) return {value, true};
  if (places > kMaxFastDigits) return {0, false};
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(value, kPowersOfTen[places], &product)) return {product, true};
  // PARITY: for the common distances upstream hands on the wrapped product, else zero.
  const bool common = places <= 3 || places == 6 || places == 9;
  return {common && value != kMinInt64 ? product : 0, false};
}

/// value / 10^places, rounded away from zero. Not exact means that it was rounded.
Scaled ScaleDown(std::int64_t value, std::int32_t places) {
  const std::int64_t away = value > 0 ? 1 : -1;
  if (value == 0) return {0, true};
  if (places > kMaxFastDigits) return {away, false};
  const std::int64_t power = kPowersOfTen[places];
  const bool exact = value % power == 0;
  return {value / power + (exact ? 0 : away), exact};
}

/// The value of `big` in units of 10^-scale.
std::int64_t ScaledBig(const BigDecimal& big, std::int32_t scale) {
  const std::int32_t surplus = big.scale - scale;
  if (surplus == 0) return LowBits(big.unscaled);
  if (surplus < 0) {
    // A power of ten beyond int64 came from a floating point conversion, which saturates so.
    const std::int64_t power = -surplus <= kMaxFastDigits ? kPowersOfTen[-surplus] : kMinInt64;
    return WrappingMultiply(LowBits(big.unscaled), power);
  }
  if (surplus <= kMaxFastDigits && big.unscaled < kMaxInt64) {
    // PARITY: rounds up after truncating, so a negative value moves towards zero by one too many:
    // -1.5 counts as 0 here, and as -2 where no arbitrary precision is involved.
    const std::int64_t low = LowBits(big.unscaled);
    const std::int64_t power = kPowersOfTen[surplus];
    return low / power + (low % power != 0 ? 1 : 0);
  }
  cpp_int quotient;
  cpp_int remainder;
  divide_qr(big.unscaled, PowerOfTen(surplus), quotient, remainder);
  if (remainder > 0) ++quotient;
  return LowBits(quotient);
}

/// Ten to the `exponent` as Go's math.Pow10 has it: a product of two table entries.
double GoPow10(std::int32_t exponent) {
  static constexpr std::array<double, 32> kUnits = {1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07,
                                                    1e08, 1e09, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23,
                                                    1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  static constexpr std::array<double, 10> kLarge = {1e00,  1e32,  1e64,  1e96,  1e128,
                                                    1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr std::array<double, 11> kSmall = {1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                                    1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  if (exponent > 308) return std::numeric_limits<double>::infinity();
  if (exponent < -323) return 0;
  if (exponent >= 0) return kLarge[exponent / 32] * kUnits[exponent % 32];
  return kSmall[-exponent / 32] / kUnits[-exponent % 32];
}

double ToDouble(const cpp_int& x) {
  const std::string digits = x.str();
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec == std::errc()) return value;
  return x < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

/// Length of the white space that starts `text`, 0 if none does: Unicode's, as strings.TrimSpace.
std::size_t SpaceAt(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return 1;
  static constexpr std::string_view kTwoBytes[] = {"\u0085", "\u00a0"};
  for (const std::string_view space : kTwoBytes) {
    if (text.starts_with(space)) return space.size();
  }
  static constexpr std::string_view kThreeBytes[] = {
      "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007",
      "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  for (const std::string_view space : kThreeBytes) {
    if (text.starts_with(space)) return space.size();
  }
  return 0;
}

std::string_view TrimSpace(std::string_view text) {
  while (const std::size_t size = SpaceAt(text)) text.remove_prefix(size);
  for (bool trimmed = true; trimmed;) {
    trimmed = false;
    for (std::size_t size = 1; size <= 3 && size <= text.size(); ++size) {
      if (SpaceAt(text.substr(text.size() - size)) != size) continue;
      text.remove_suffix(size);
      trimmed = true;
      break;
    }
  }
  return text;
}

/// Whether the digits and exponent fit the int64 form by upstream's estimate.
bool FitsFastPath(const QuantitySyntax& syntax) {
  const auto digits = static_cast<std::int32_t>(syntax.whole.size() + syntax.fraction.size());
  if (!syntax.binary) {
    const Scale scale = syntax.exponent - static_cast<Scale>(syntax.fraction.size());
    return digits <= kMaxFastDigits && scale >= Quantity::kNano;
  }
  return syntax.fraction.empty() && digits + syntax.exponent * 3 / 10 <= 14;
}

struct FastNumber {
  std::int64_t value = 0;
  Scale scale = 0;
  bool canonical = false;  ///< upstream keeps such a text instead of printing the value anew
};

FastNumber ReadFast(const QuantitySyntax& syntax) {
  std::array<char, kMaxFastDigits> buffer;
  char* end = std::ranges::copy(syntax.whole, buffer.data()).out;
  end = std::ranges::copy(syntax.fraction, end).out;
  const std::string_view digits(buffer.data(), end);
  FastNumber number;
  std::from_chars(buffer.data(), end, number.value);
  if (syntax.binary) {
    // PARITY: 8Ki, being 2^3 * 2^10, is not taken for canonical though it prints as it is.
    number.canonical = (number.value & 7) != 0;
    number.value <<= syntax.exponent;
  } else {
    number.scale = syntax.exponent - static_cast<Scale>(syntax.fraction.size());
    number.canonical =
        number.scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0');
  }
  if (syntax.negative) number.value = -number.value;
  return number;
}

/// The magnitude, exactly.
BigDecimal ReadBig(const QuantitySyntax& syntax) {
  BigDecimal amount{0, static_cast<std::int32_t>(syntax.fraction.size())};
  std::string digits(syntax.whole);
  digits += syntax.fraction;
  // A leading zero would mean octal to the big number's parser.
  digits.erase(0, digits.find_first_not_of('0'));
  if (!digits.empty()) amount.unscaled.assign(digits);
  if (syntax.binary) {
    amount.unscaled <<= static_cast<unsigned>(syntax.exponent);
  } else {
    amount.scale -= syntax.exponent;
  }
  return amount;
}

}  // namespace

std::string_view ToString(Quantity::Format format) {
  switch (format) {
    case Format::kUnset:
      return "";
    case Format::kDecimalExponent:
      return "DecimalExponent";
    case Format::kBinarySi:
      return "BinarySI";
    case Format::kDecimalSi:
      return "DecimalSI";
  }
  return "";
}

Quantity Quantity::FromInt64(std::int64_t value, Format format) { return {value, 0, format, {}}; }

Quantity Quantity::FromMilli(std::int64_t value, Format format) {
  return {value, kMilli, format, {}};
}

Quantity Quantity::FromScaled(std::int64_t value, Scale scale) {
  FLYBALL_CHECK(scale <= kMaxExponent && scale >= -kMaxExponent, "a quantity's scale");
  return {value, scale, Format::kDecimalSi, {}};
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  if (text == "0") return Quantity(0, 0, Format::kDecimalSi, text);
  FLYBALL_TRY(const QuantitySyntax syntax, ScanQuantity(text));
  if (FitsFastPath(syntax)) {
    const FastNumber number = ReadFast(syntax);
    return Quantity(number.value, number.scale, syntax.format,
                    number.canonical ? text : std::string_view());
  }
  if (syntax.number.find_first_of("0123456789") == std::string_view::npos) {
    return Fail(ErrorCode::kMalformed, "a quantity without digits");
  }
  BigDecimal amount = ReadBig(syntax);
  if (amount.unscaled != 0) RoundAway(amount, -kNano);
  Format format = syntax.format;
  if (format == Format::kBinarySi) {
    if (CompareBig(amount, {kMaxInt64, 0}) > 0) amount = {kMaxInt64, 0};
    if (amount.unscaled != 0 && CompareBig(amount, {1, 0}) < 0) format = Format::kDecimalSi;
  }
  if (syntax.negative) amount.unscaled = -amount.unscaled;
  Quantity quantity(0, 0, format, {});
  quantity.Promote(Store(amount));
  return quantity;
}

Result<Quantity> Quantity::FromJson(std::string_view text) { return Parse(TrimSpace(text)); }

std::string Quantity::ToString() const { return text_.empty() ? Canonical() : text_; }

void Quantity::CacheText() {
  if (text_.empty()) text_ = Canonical();
}

std::string Quantity::Canonical() const {
  if (IsZero()) return "0";
  if (format_ == Format::kBinarySi) {
    if (std::optional<std::string> binary = CanonicalBinary()) return *std::move(binary);
    return CanonicalDecimal(Format::kDecimalSi);
  }
  return CanonicalDecimal(format_ == Format::kUnset ? Format::kDecimalExponent : format_);
}

std::string Quantity::CanonicalDecimal(Format format) const {
  std::string digits = decimal_ ? Load(*this).unscaled.str() : std::to_string(value_);
  std::int32_t exponent = decimal_ ? -decimal_->scale : scale_;
  while (digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  for (; exponent % 3 != 0; --exponent) digits += '0';
  // DIVERGES: upstream drops the suffix where it has none for the exponent, so that 1000E prints as
  // "1", and 10^-12 too. A number too large keeps the largest suffix, one too small an exponent.
  if (format == Format::kDecimalSi) {
    for (; exponent > 18; --exponent) digits += '0';
    if (exponent < kNano) format = Format::kDecimalExponent;
  }
  return digits + DecimalSuffix(exponent, format).value_or("");
}

std::optional<std::string> Quantity::CanonicalBinary() const {
  const Quantity limit = FromInt64(1024, Format::kBinarySi);
  const Quantity negative_limit = FromInt64(-1024, Format::kBinarySi);
  // Small values would round or confuse, fractions would be lost.
  if (*this < limit && *this > negative_limit) return std::nullopt;
  if (!decimal_) {
    Scaled whole = scale_ < 0 ? ScaleDown(value_, -scale_) : ScaleUp(value_, scale_);
    if (scale_ < 0 && !whole.exact) return std::nullopt;
    if (whole.exact) {
      int power = 0;
      // PARITY: the most negative int64 has no negation to be divided, and stays as it is.
      for (; whole.value != kMinInt64 && whole.value % 1024 == 0; ++power) whole.value /= 1024;
      return std::to_string(whole.value).append(BinarySuffix(power));
    }
  }
  BigDecimal big = Load(*this);
  if (!RoundAway(big, 0)) return std::nullopt;
  int power = 0;
  // DIVERGES: upstream goes on to 1024^7 and beyond, for which there is no suffix, and prints none.
  for (; power < 6 && big.unscaled % 1024 == 0; ++power) big.unscaled /= 1024;
  return big.unscaled.str().append(BinarySuffix(power));
}

int Quantity::Sign() const {
  if (decimal_) return decimal_->words.empty() ? 0 : decimal_->negative ? -1 : 1;
  return value_ == 0 ? 0 : value_ < 0 ? -1 : 1;
}

int Quantity::Compare(const Quantity& other) const {
  if (decimal_ || other.decimal_) return CompareBig(Load(*this), Load(other));
  if (scale_ < other.scale_) return -other.Compare(*this);
  // From here on this is the coarser of the two, so that the other divides into its units.
  const std::int32_t places = scale_ - other.scale_;
  if (places > kMaxFastDigits) return CompareBig(Load(*this), Load(other));
  const std::int64_t power = kPowersOfTen[places];
  const std::int64_t whole = other.value_ / power;
  if (whole != value_) return value_ < whole ? -1 : 1;
  const std::int64_t rest = other.value_ % power;
  return rest == 0 ? 0 : rest > 0 ? -1 : 1;
}

std::int64_t Quantity::ScaledValue(Scale scale) const {
  if (decimal_) return ScaledBig(Load(*this), -scale);
  return scale_ < scale ? ScaleDown(value_, scale - scale_).value
                        : ScaleUp(value_, scale_ - scale).value;
}

std::optional<std::int64_t> Quantity::AsInt64() const {
  if (decimal_ || scale_ < 0) return std::nullopt;
  const Scaled scaled = ScaleUp(value_, scale_);
  if (!scaled.exact) return std::nullopt;
  return scaled.value;
}

double Quantity::AsApproximateDouble() const {
  // PARITY: zero times an infinite power of ten ("0e400") is not a number, as upstream has it.
  const double base = decimal_ ? ToDouble(Load(*this).unscaled) : static_cast<double>(value_);
  const std::int32_t exponent = decimal_ ? -decimal_->scale : scale_;
  return exponent == 0 ? base : base * GoPow10(exponent);
}

void Quantity::Promote(std::shared_ptr<const Decimal> decimal) {
  decimal_ = std::move(decimal);
  value_ = 0;
  scale_ = 0;
}

bool Quantity::AddFast(std::int64_t value, Scale scale) {
  if (value == 0) return true;
  if (value_ == 0) {
    value_ = value;
    scale_ = scale;
    return true;
  }
  const Scale finer = std::min(scale_, scale);
  const Scaled a = ScaleUp(value_, scale_ - finer);
  const Scaled b = ScaleUp(value, scale - finer);
  std::int64_t sum = 0;
  if (!a.exact || !b.exact || __builtin_add_overflow(a.value, b.value, &sum)) return false;
  value_ = sum;
  scale_ = finer;
  return true;
}

void Quantity::Add(const Quantity& other) {
  text_.clear();
  if (IsZero()) format_ = other.format_;
  if (!decimal_ && !other.decimal_ && AddFast(other.value_, other.scale_)) return;
  BigDecimal a = Load(*this);
  BigDecimal b = Load(other);
  Align(a, b);
  a.unscaled += b.unscaled;
  Promote(Store(a));
}

void Quantity::Sub(const Quantity& other) {
  text_.clear();
  if (IsZero()) format_ = other.format_;
  // DIVERGES: upstream negates the most negative int64 into itself, and so adds it.
  const bool fast = !decimal_ && !other.decimal_ && other.value_ != kMinInt64;
  if (fast && AddFast(-other.value_, other.scale_)) return;
  BigDecimal a = Load(*this);
  BigDecimal b = Load(other);
  Align(a, b);
  a.unscaled -= b.unscaled;
  Promote(Store(a));
}

void Quantity::Neg() {
  text_.clear();
  // DIVERGES: as for Sub(), the most negative int64 is its own negation upstream.
  if (!decimal_ && value_ != kMinInt64) {
    value_ = -value_;
    return;
  }
  BigDecimal big = Load(*this);
  big.unscaled = -big.unscaled;
  Promote(Store(big));
}

bool Quantity::MulFast(std::int64_t factor) {
  if (value_ == 0) return true;
  if (factor == 0) {
    value_ = 0;
    scale_ = 0;
    return true;
  }
  std::int64_t product = 0;
  if (__builtin_mul_overflow(value_, factor, &product)) return false;
  // PARITY: leaves the fast form unless the product is a whole number within int64.
  if (scale_ > 0 && !ScaleUp(product, scale_).exact) return false;
  if (scale_ < 0 && !ScaleDown(product, -scale_).exact) return false;
  value_ = product;
  return true;
}

bool Quantity::Mul(std::int64_t factor) {
  text_.clear();
  if (!decimal_ && MulFast(factor)) return true;
  BigDecimal big = Load(*this);
  big.unscaled *= factor;
  Promote(Store(big));
  return big.unscaled >= kMinInt64 && big.unscaled <= kMaxInt64;
}

bool Quantity::RoundUp(Scale scale) {
  if (decimal_) {
    text_.clear();
    BigDecimal big = Load(*this);
    const bool exact = RoundAway(big, -scale);
    Promote(Store(big));
    return exact;
  }
  if (scale_ >= scale) return true;
  text_.clear();
  const Scaled rounded = ScaleDown(value_, scale - scale_);
  value_ = rounded.value;
  scale_ = scale;
  return rounded.exact;
}

void Quantity::SetScaled(std::int64_t value, Scale scale) {
  FLYBALL_CHECK(scale <= kMaxExponent && scale >= -kMaxExponent, "a quantity's scale");
  *this = Quantity(value, scale, format_, {});
}

}  // namespace flyball::api
