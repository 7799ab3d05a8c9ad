#include "flyball/api/internal/float64.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace flyball::api {
namespace {

/// Whether a number that does not fit is too large, and not too small: from_chars does not say.
bool IsLarge(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (parsed.ec != std::errc()) return !digits.starts_with('-');
    text = text.substr(0, e);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::size_t first = text.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto magnitude = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  return exponent > -magnitude;
}

}  // namespace

std::optional<double> ParseFloat64(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc::result_out_of_range) return value;
  if (IsLarge(text)) return std::nullopt;
  return text.starts_with('-') ? -0.0 : 0.0;
}

}  // namespace flyball::api
