#include "flyball/api/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "flyball/api/internal/decimal_number.h"
#include "flyball/api/internal/quantity_syntax.h"

namespace flyball::api {
namespace {

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

/// What upstream's 32-bit arithmetic makes of it.
Scale Wrapped(std::int64_t scale) { return static_cast<Scale>(static_cast<std::uint32_t>(scale)); }

struct Scaled {
  std::int64_t value = 0;
  bool exact = false;
};

/// value * 10^places. Not exact means that it overflowed.
Scaled ScaleUp(std::int64_t value, std::int64_t places) {
  if (value == 0 || places <= 0) return {value, true};
  if (places > kMaxFastDigits) return {0, false};
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(value, kPowersOfTen[places], &product)) return {product, true};
  // PARITY: for the common distances upstream hands on the wrapped product, else zero.
  const bool common = places <= 3 || places == 6 || places == 9;
  return {common && value != kMinInt64 ? product : 0, false};
}

/// value / 10^places, rounded away from zero. Not exact means that it was rounded.
Scaled ScaleDown(std::int64_t value, std::int64_t places) {
  const std::int64_t away = value > 0 ? 1 : -1;
  if (value == 0 || places <= 0) return {value, true};
  if (places > kMaxFastDigits) return {away, false};
  const std::int64_t power = kPowersOfTen[places];
  const bool exact = value % power == 0;
  return {value / power + (exact ? 0 : away), exact};
}

/// Ten to the `exponent` as Go's math.Pow10 has it: a product of two table entries.
double GoPow10(std::int64_t exponent) {
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

/// PARITY: the difference wraps, so that "1.5e-2147483648" is 15e2147483647.
Scale FastScale(const QuantitySyntax& syntax) {
  return Wrapped(syntax.exponent - static_cast<std::int64_t>(syntax.fraction.size()));
}

/// Whether the digits and exponent fit the int64 form by upstream's estimate.
bool FitsFastPath(const QuantitySyntax& syntax) {
  const std::size_t digits = syntax.whole.size() + syntax.fraction.size();
  if (!syntax.binary) return digits <= kMaxFastDigits && FastScale(syntax) >= Quantity::kNano;
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
    number.scale = FastScale(syntax);
    number.canonical =
        number.scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0');
  }
  if (syntax.negative) number.value = -number.value;
  return number;
}

/// The magnitude, rounded up to a nano.
DecimalNumber ReadDecimal(const QuantitySyntax& syntax) {
  const auto fraction_size = static_cast<std::int64_t>(syntax.fraction.size());
  DecimalNumber amount = MakeDecimal(false, std::string(syntax.whole).append(syntax.fraction),
                                     fraction_size - syntax.exponent);
  if (amount.IsZero()) {
    amount.scale = Wrapped(amount.scale);
  } else {
    // Where upstream's scale wraps for another number than zero, it does not come back from here.
    RoundAway(amount, -Quantity::kNano);
  }
  return amount;
}

/// The magnitude, rounded up to a nano and capped.
DecimalNumber ReadBinary(const QuantitySyntax& syntax) {
  DecimalNumber largest = MakeDecimal(kMaxInt64, 0);
  if (syntax.whole.size() > std::numeric_limits<std::int64_t>::digits10 + 1) return largest;
  // A multiple of a nano divided by 2^exponent has at most so many digits after the point: what
  // comes later says no more than on which side of the multiple the number is.
  const auto enough = static_cast<std::size_t>(syntax.exponent - Quantity::kNano);
  std::string fraction(syntax.fraction.substr(0, enough));
  const bool more =
      syntax.fraction.find_first_not_of('0', fraction.size()) != std::string_view::npos;
  if (more) fraction += '1';
  DecimalNumber amount = MakeDecimal(false, std::string(syntax.whole).append(fraction),
                                     static_cast<std::int64_t>(fraction.size()));
  if (amount.IsZero()) {
    amount.scale = static_cast<std::int64_t>(syntax.fraction.size());
    return amount;
  }
  MultiplyDecimal(amount, std::int64_t{1} << syntax.exponent);
  RoundAway(amount, -Quantity::kNano);
  return CompareDecimals(amount, largest) > 0 ? largest : amount;
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
  DecimalNumber amount = syntax.binary ? ReadBinary(syntax) : ReadDecimal(syntax);
  Format format = syntax.format;
  if (syntax.binary && !amount.IsZero() && CompareDecimals(amount, MakeDecimal(1, 0)) < 0) {
    format = Format::kDecimalSi;
  }
  Quantity quantity(0, 0, format, {});
  quantity.Promote(syntax.negative ? Negated(std::move(amount)) : std::move(amount));
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
  DecimalNumber room;
  const DecimalNumber& number = Load(room);
  std::string digits = (number.negative ? "-" : "") + number.digits;
  std::int64_t exponent = number.Exponent();
  for (; exponent % 3 != 0; --exponent) digits += '0';
  // DIVERGES: upstream drops the suffix where it has none for the exponent, so that 1000E prints as
  // "1", and 10^-12 too. A number too large keeps the largest suffix if a few zeros will do; other
  // large ones and those too small get an exponent.
  if (format == Format::kDecimalSi) {
    constexpr std::int64_t kLargestSuffix = 18;
    if (exponent < kNano || exponent > kLargestSuffix + kMaxFastDigits) {
      format = Format::kDecimalExponent;
    } else if (exponent > kLargestSuffix) {
      digits.append(static_cast<std::size_t>(exponent - kLargestSuffix), '0');
      exponent = kLargestSuffix;
    }
  }
  // DIVERGES: upstream's exponent wraps, so that 1000e2147483647 prints as "1e-2147483646". The
  // zeros that do not go into an exponent were digits of a text before.
  constexpr std::int64_t kLargestExponent = std::numeric_limits<Scale>::max() / 3 * 3;
  if (exponent > kLargestExponent) {
    digits.append(static_cast<std::size_t>(exponent - kLargestExponent), '0');
    exponent = kLargestExponent;
  }
  return digits + DecimalSuffix(exponent, format).value_or("");
}

std::optional<std::string> Quantity::CanonicalBinary() const {
  const Quantity limit = FromInt64(1024, Format::kBinarySi);
  const Quantity negative_limit = FromInt64(-1024, Format::kBinarySi);
  // Small values would round or confuse, fractions would be lost.
  if (*this < limit && *this > negative_limit) return std::nullopt;
  // PARITY: the most negative int64 has no negation to be divided, and stays as it is.
  if (!number_ && scale_ == 0 && value_ == kMinInt64) return std::to_string(value_);
  DecimalNumber room;
  const DecimalNumber& number = Load(room);
  // DIVERGES: upstream goes on to 1024^7 and beyond, for which there is no suffix, and prints none.
  // Here the largest suffix stays, or from 10^70 on, which 1024^7 divides, the number is decimal.
  constexpr int kLargestPower = 6;
  constexpr std::int64_t kMostZeros = 69;
  if (number.Exponent() < 0 || number.Exponent() > kMostZeros) return std::nullopt;
  std::string digits = number.digits;
  digits.append(static_cast<std::size_t>(number.Exponent()), '0');
  int power = 0;
  while (power < kLargestPower) {
    std::optional<std::string> divided = DividedBy1024(digits);
    if (!divided) break;
    digits = *std::move(divided);
    ++power;
  }
  return (number.negative ? "-" : "") + digits.append(BinarySuffix(power));
}

int Quantity::Sign() const {
  if (number_) return number_->IsZero() ? 0 : number_->negative ? -1 : 1;
  return value_ == 0 ? 0 : value_ < 0 ? -1 : 1;
}

int Quantity::Compare(const Quantity& other) const {
  if (number_ || other.number_) {
    DecimalNumber room;
    DecimalNumber other_room;
    return CompareDecimals(Load(room), other.Load(other_room));
  }
  if (scale_ < other.scale_) return -other.Compare(*this);
  // From here on this is the coarser of the two, so that the other divides into its units.
  const std::int64_t places = std::int64_t{scale_} - other.scale_;
  if (places > kMaxFastDigits) return value_ == 0 ? -other.Sign() : Sign();
  const std::int64_t power = kPowersOfTen[places];
  const std::int64_t whole = other.value_ / power;
  if (whole != value_) return value_ < whole ? -1 : 1;
  const std::int64_t rest = other.value_ % power;
  return rest == 0 ? 0 : rest > 0 ? -1 : 1;
}

std::int64_t Quantity::ScaledValue(Scale scale) const {
  if (number_) return ScaledDecimal(*number_, -std::int64_t{scale});
  // PARITY: the distance wraps, and over a negative one nothing is scaled: 1e2147483647 has the
  // milli value 1.
  const std::int64_t distance = std::int64_t{scale_} - scale;
  return distance < 0 ? ScaleDown(value_, Wrapped(-distance)).value
                      : ScaleUp(value_, Wrapped(distance)).value;
}

std::optional<std::int64_t> Quantity::AsInt64() const {
  if (number_ || scale_ < 0) return std::nullopt;
  const Scaled scaled = ScaleUp(value_, scale_);
  if (!scaled.exact) return std::nullopt;
  return scaled.value;
}

double Quantity::AsApproximateDouble() const {
  // PARITY: zero times an infinite power of ten ("0e400") is not a number, as upstream has it.
  const double base = number_ ? UnscaledDouble(*number_) : static_cast<double>(value_);
  const std::int64_t exponent = number_ ? -number_->scale : std::int64_t{scale_};
  return exponent == 0 ? base : base * GoPow10(exponent);
}

std::optional<Quantity::Decimal> Quantity::decimal() const {
  if (!number_) return std::nullopt;
  // DIVERGES: upstream's unscaled number has all the zeros of the exponent in it. From here on they
  // are left out of it, which nothing but a pod template's hash shows.
  constexpr std::int64_t kMostZeros = 4096;
  const std::int64_t zeros = number_->zeros <= kMostZeros ? number_->zeros : 0;
  return Decimal{.negative = number_->negative,
                 .words = WordsOf(number_->digits, zeros),
                 .scale = Wrapped(number_->scale - (number_->zeros - zeros))};
}

const DecimalNumber& Quantity::Load(DecimalNumber& room) const {
  if (number_) return *number_;
  room = MakeDecimal(value_, -std::int64_t{scale_});
  return room;
}

void Quantity::Promote(DecimalNumber number) {
  number_ = std::make_shared<const DecimalNumber>(std::move(number));
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
  // DIVERGES: upstream's distance wraps, so that 1e2147483647 + 1n is 2n.
  const Scaled a = ScaleUp(value_, std::int64_t{scale_} - finer);
  const Scaled b = ScaleUp(value, std::int64_t{scale} - finer);
  std::int64_t sum = 0;
  if (!a.exact || !b.exact || __builtin_add_overflow(a.value, b.value, &sum)) return false;
  value_ = sum;
  scale_ = finer;
  return true;
}

void Quantity::Add(const Quantity& other) {
  text_.clear();
  if (IsZero()) format_ = other.format_;
  if (!number_ && !other.number_ && AddFast(other.value_, other.scale_)) return;
  DecimalNumber room;
  DecimalNumber other_room;
  Promote(AddDecimals(Load(room), other.Load(other_room)));
}

void Quantity::Sub(const Quantity& other) {
  text_.clear();
  if (IsZero()) format_ = other.format_;
  // DIVERGES: upstream negates the most negative int64 into itself, and so adds it.
  const bool fast = !number_ && !other.number_ && other.value_ != kMinInt64;
  if (fast && AddFast(-other.value_, other.scale_)) return;
  DecimalNumber room;
  DecimalNumber other_room;
  Promote(AddDecimals(Load(room), Negated(other.Load(other_room))));
}

void Quantity::Neg() {
  text_.clear();
  // DIVERGES: as for Sub(), the most negative int64 is its own negation upstream.
  if (!number_ && value_ != kMinInt64) {
    value_ = -value_;
    return;
  }
  DecimalNumber room;
  Promote(Negated(Load(room)));
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
  if (scale_ < 0 && !ScaleDown(product, -std::int64_t{scale_}).exact) return false;
  value_ = product;
  return true;
}

bool Quantity::Mul(std::int64_t factor) {
  text_.clear();
  if (!number_ && MulFast(factor)) return true;
  DecimalNumber room;
  DecimalNumber product = Load(room);
  MultiplyDecimal(product, factor);
  Promote(std::move(product));
  return UnscaledInt64(*number_).has_value();
}

bool Quantity::RoundUp(Scale scale) {
  if (number_) {
    text_.clear();
    DecimalNumber rounded = *number_;
    const bool exact = RoundAway(rounded, -std::int64_t{scale});
    Promote(std::move(rounded));
    return exact;
  }
  if (scale_ >= scale) return true;
  text_.clear();
  const Scaled rounded = ScaleDown(value_, std::int64_t{scale} - scale_);
  value_ = rounded.value;
  scale_ = scale;
  return rounded.exact;
}

void Quantity::SetScaled(std::int64_t value, Scale scale) {
  *this = Quantity(value, scale, format_, {});
}

}  // namespace flyball::api
