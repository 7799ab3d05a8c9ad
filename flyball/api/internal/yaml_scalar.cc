#include "flyball/api/internal/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "flyball/api/internal/float64.h"

namespace flyball::api {
namespace {

constexpr auto kTrue = std::to_array<std::string_view>(
    {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
constexpr auto kFalse = std::to_array<std::string_view>(
    {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"});
constexpr auto kNull = std::to_array<std::string_view>({"", "~", "null", "Null", "NULL"});
constexpr auto kNan = std::to_array<std::string_view>({".nan", ".NaN", ".NAN"});
constexpr auto kInf = std::to_array<std::string_view>({".inf", ".Inf", ".INF"});

bool Contains(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// An integer with Go's prefixes: 0x, 0o, 0b, and a leading zero for octal.
template <typename T>
std::optional<T> ParseInteger(std::string_view text) {
  bool negative = false;
  if (text.starts_with('+') || text.starts_with('-')) {
    if (!std::is_signed_v<T>) return std::nullopt;
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char prefix = static_cast<char>(text[1] | 0x20);
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    text.remove_prefix(prefix == 'x' || prefix == 'o' || prefix == 'b' ? 2 : 1);
  }
  if (text.empty() || text.front() == '-') return std::nullopt;
  std::uint64_t magnitude = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, magnitude, base);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  if (magnitude > limit + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<T>(negative ? 0 - magnitude : magnitude);
}

/// Digits with a point and an exponent, nothing else: no hexadecimal, no "infinity".
bool LooksLikeFloat(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const auto skip_digits = [&] {
    const std::size_t before = text.size();
    while (!text.empty() && IsDigit(text.front())) text.remove_prefix(1);
    return before - text.size();
  };
  const std::size_t whole = skip_digits();
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = skip_digits();
    if (whole == 0 && fraction == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

std::optional<double> ParseFloat(std::string_view text) {
  if (!LooksLikeFloat(text)) return std::nullopt;
  return ParseFloat64(text);
}

/// PARITY: behind a leading point upstream takes an underscore only between digits.
bool UnderscoresSeparateDigits(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (i == 0 || i + 1 == text.size() || !IsDigit(text[i - 1]) || !IsDigit(text[i + 1])) {
      return false;
    }
  }
  return true;
}

/// Four digits and a dash start a date, which stays text.
bool LooksLikeDate(std::string_view text) {
  return text.size() > 4 && std::all_of(text.begin(), text.begin() + 4, IsDigit) && text[4] == '-';
}

YamlScalar ResolveNumber(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  if (const auto value = ParseInteger<std::int64_t>(plain)) return *value;
  if (const auto value = ParseInteger<std::uint64_t>(plain)) return *value;
  if (const auto value = ParseFloat(plain)) return *value;
  return std::string(text);
}

}  // namespace

YamlScalar ResolveYamlScalar(std::string_view text) {
  if (Contains(kNull, text)) return YamlNull();
  if (Contains(kTrue, text)) return true;
  if (Contains(kFalse, text)) return false;
  if (text == "<<") return YamlMerge();
  if (Contains(kNan, text)) return std::numeric_limits<double>::quiet_NaN();
  const bool signed_text = text.starts_with('+') || text.starts_with('-');
  if (Contains(kInf, signed_text ? text.substr(1) : text)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -infinity : infinity;
  }
  if (text.starts_with('.') && UnderscoresSeparateDigits(text)) {
    std::string plain(text);
    std::erase(plain, '_');
    if (const auto value = ParseFloat(plain)) return *value;
  } else if ((signed_text || IsDigit(text.front())) && !LooksLikeDate(text)) {
    return ResolveNumber(text);
  }
  return std::string(text);
}

YamlUnprintable FindYamlUnprintable(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) return {i, 1, c};
    if (c == 0xc2 && i + 1 < text.size()) {
      const auto next = static_cast<unsigned char>(text[i + 1]);
      if (next < 0xa0 && next != 0x85) return {i, 2, next};
    }
    if (c == 0xef) {
      const std::string_view rest = text.substr(i, 3);
      if (rest == "\xef\xbb\xbf") return {i, 3, 0xfeff};
      if (rest == "\xef\xbf\xbe") return {i, 3, 0xfffe};
      if (rest == "\xef\xbf\xbf") return {i, 3, 0xffff};
    }
  }
  return {};
}

}  // namespace flyball::api
