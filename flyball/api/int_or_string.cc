#include "flyball/api/int_or_string.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "flyball/api/label_validation.h"
#include "flyball/base/wrapping.h"

namespace flyball::api {
namespace {

/// A decimal integer with an optional sign and nothing else, as strconv.ParseInt in base 10 takes
/// it. `value` is the nearest limit if the number is out of range.
template <typename Int>
std::errc ParseInt(std::string_view text, Int& value) {
  const bool negative = text.starts_with('-');
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::errc::invalid_argument;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::errc::invalid_argument;
  if (error == std::errc::result_out_of_range) {
    value = negative ? std::numeric_limits<Int>::min() : std::numeric_limits<Int>::max();
  }
  return error;
}

}  // namespace

IntOrString IntOrString::Parse(std::string_view text) {
  std::int32_t number = 0;
  if (ParseInt(text, number) == std::errc()) return IntOrString(number);
  return IntOrString(std::string(text));
}

Result<IntOrString> IntOrString::FromProto(std::int64_t type, std::int32_t number,
                                           std::string text) {
  if (type == 0) return IntOrString(number);
  if (type == 1) return IntOrString(std::move(text));
  return Fail(ErrorCode::kMalformed, "neither number nor text: type " + std::to_string(type));
}

const std::string& IntOrString::text() const {
  static const std::string kEmpty;
  return IsString() ? std::get<std::string>(value_) : kEmpty;
}

std::string IntOrString::ToString() const { return IsString() ? text() : std::to_string(number()); }

std::int64_t IntOrString::IntValue() const {
  if (!IsString()) return number();
  std::int64_t value = 0;
  return ParseInt(text(), value) == std::errc::invalid_argument ? 0 : value;
}

Result<std::int64_t> IntOrString::ScaledValue(std::int64_t total, bool round_up) const {
  if (!IsString()) return number();
  std::string_view digits = text();
  if (!digits.ends_with('%')) {
    return Fail(ErrorCode::kInvalid,
                "neither a number nor a percentage: " + QuoteForMessage(text()));
  }
  digits.remove_suffix(1);
  std::int64_t percent = 0;
  if (ParseInt(digits, percent) != std::errc()) {
    return Fail(ErrorCode::kInvalid, "not a percentage: " + QuoteForMessage(text()));
  }
  const double share = static_cast<double>(percent) * static_cast<double>(total) / 100;
  return TruncateToInt64(round_up ? std::ceil(share) : std::floor(share));
}

}  // namespace flyball::api
