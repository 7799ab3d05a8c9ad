#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::api {

struct DecimalNumber;

/// An amount of a resource: a fixed-point number and the family of suffixes it is written with
/// ("500m", "1536Mi", "12e6").
///
/// The number is an int64 times a power of ten wherever possible, and an arbitrary precision
/// decimal where not. Which of the two a text lands in, at which scale, and whether the text itself
/// is kept are upstream's choices to the letter, because the pod template hash prints them: that is
/// what the accessors at the end of the class expose. Arithmetic moves from the first form to the
/// second when it must and never back.
///
/// There is no limit to a number's digits, and its exponent is any of 32 bits. Exponents are
/// counted with and not expanded, so that an operation takes time and memory in proportion to the
/// digits that somebody wrote, and for a sum 4,096 more.
///
/// Equality and order are by value: 1, 1000m and 1e0 are equal. That is how upstream compares API
/// objects ("semantic" equality). Equal quantities may print and hash differently.
///
/// A value: copies are independent and cheap (the big number, if any, is immutable and shared), and
/// const calls write nothing, so that any number of threads may read one.
class Quantity {
 public:
  /// How the canonical form is written. A quantity nobody parsed or named a format for is kUnset
  /// and prints as kDecimalExponent.
  enum class Format : std::uint8_t { kUnset, kDecimalExponent, kBinarySi, kDecimalSi };

  /// A power of ten.
  using Scale = std::int32_t;
  static constexpr Scale kNano = -9;
  static constexpr Scale kMicro = -6;
  static constexpr Scale kMilli = -3;

  /// An arbitrary precision number: the magnitude is `words`, least significant first and without
  /// leading zeros (none at all for zero), and the value is that times 10^-scale.
  struct Decimal {
    bool negative = false;
    std::vector<std::uint64_t> words;
    std::int32_t scale = 0;
    friend bool operator==(const Decimal&, const Decimal&) = default;
  };

  /// Zero, in no particular format.
  Quantity() = default;
  static Quantity FromInt64(std::int64_t value, Format format);
  static Quantity FromMilli(std::int64_t value, Format format);
  /// value * 10^scale, in kDecimalSi.
  static Quantity FromScaled(std::int64_t value, Scale scale);

  /// The state that upstream has after parsing, or after decoding from protobuf. Anything finer
  /// than a nano is rounded away from zero; a binary suffix caps the value at the largest int64.
  static Result<Quantity> Parse(std::string_view text);
  /// The same for JSON, which allows white space around the number. `text` is what stands between
  /// the quotes (as written: upstream does not resolve escapes here) or a bare JSON number.
  static Result<Quantity> FromJson(std::string_view text);

  /// What every encoding writes: the kept text where there is one, else the canonical form.
  std::string ToString() const;
  /// The shortest form without a fraction, in the format's suffixes. A value far beyond the
  /// suffixes is written with an exponent whatever the format.
  std::string Canonical() const;
  /// Keeps ToString() as the cached text. Upstream does that whenever it prints a quantity or
  /// encodes one to protobuf through a pointer; here only who needs that state asks for it.
  void CacheText();

  bool IsZero() const { return Sign() == 0; }
  /// -1, 0 or 1.
  int Sign() const;
  /// Negative, zero or positive as this is less than, equal to or greater than `other`.
  int Compare(const Quantity& other) const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  friend std::weak_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.Compare(b) <=> 0;
  }

  /// The value in units of 10^scale, rounded up. Out of the range of int64 the answer is whatever
  /// upstream's wrapping arithmetic makes of it: compare first where that matters.
  std::int64_t ScaledValue(Scale scale) const;
  std::int64_t Value() const { return ScaledValue(0); }
  std::int64_t MilliValue() const { return ScaledValue(kMilli); }
  /// The value if it is whole and known without arbitrary precision.
  std::optional<std::int64_t> AsInt64() const;
  double AsApproximateDouble() const;

  /// Arithmetic in place. The cached text goes. A zero takes over the other's format. Sums are
  /// exact up to 4,096 digits; beyond, the larger operand is what is left.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  void Neg();
  /// False if the product needed arbitrary precision and its unscaled part is beyond int64.
  bool Mul(std::int64_t factor);
  /// Rounds away from zero to a multiple of 10^scale; false if that lost something.
  bool RoundUp(Scale scale);
  /// Replaces the value and keeps the format.
  void SetScaled(std::int64_t value, Scale scale);

  /// The parse state. fast_value() * 10^fast_scale() holds if there is no decimal(); otherwise
  /// both are zero and the value is *decimal(), which is computed anew by each call.
  std::int64_t fast_value() const { return value_; }
  Scale fast_scale() const { return scale_; }
  std::optional<Decimal> decimal() const;
  const std::string& cached_text() const { return text_; }
  Format format() const { return format_; }
  void set_format(Format format) { format_ = format; }

 private:
  Quantity(std::int64_t value, Scale scale, Format format, std::string_view text)
      : value_(value), scale_(scale), format_(format), text_(text) {}

  /// The number, in `room` if it is not there yet.
  const DecimalNumber& Load(DecimalNumber& room) const;
  void Promote(DecimalNumber number);
  bool AddFast(std::int64_t value, Scale scale);
  bool MulFast(std::int64_t factor);
  std::string CanonicalDecimal(Format format) const;
  std::optional<std::string> CanonicalBinary() const;

  std::int64_t value_ = 0;
  Scale scale_ = 0;
  Format format_ = Format::kUnset;
  std::shared_ptr<const DecimalNumber> number_;
  std::string text_;
};

static_assert(sizeof(Quantity) <= 64);

/// Upstream's name for it, "BinarySI"; empty for kUnset.
std::string_view ToString(Quantity::Format format);

}  // namespace flyball::api
