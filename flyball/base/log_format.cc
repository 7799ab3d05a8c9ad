#include "flyball/base/log_format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <variant>

namespace flyball {
namespace {

using std::chrono::nanoseconds;

struct Rune {
  char32_t code = 0;
  std::size_t size = 0;  // 0: the first byte starts no valid character
};

Rune DecodeUtf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {};
  char32_t code = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[size] || code > 0x10ffff || surrogate) return {};
  return {code, size};
}

/// What Go's strconv.IsPrint refuses: controls, spaces other than ' ', invisible and private
/// characters. DIVERGES: code points that Unicode has not assigned are kept.
bool IsPrintable(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kRefused[] = {
      {0x00, 0x1f},       {0x7f, 0xa0},        {0xad, 0xad},       {0x0600, 0x0605},
      {0x061c, 0x061c},   {0x06dd, 0x06dd},    {0x070f, 0x070f},   {0x0890, 0x0891},
      {0x08e2, 0x08e2},   {0x1680, 0x1680},    {0x180e, 0x180e},   {0x2000, 0x200f},
      {0x2028, 0x202f},   {0x205f, 0x206f},    {0x3000, 0x3000},   {0xd800, 0xf8ff},
      {0xfeff, 0xfeff},   {0xfff9, 0xfffb},    {0xfffe, 0xffff},   {0x110bd, 0x110bd},
      {0x110cd, 0x110cd}, {0x13430, 0x1343f},  {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
      {0xe0000, 0xe00ff}, {0xe01f0, 0x10ffff},
  };
  for (const Range& range : kRefused) {
    if (code >= range.first && code <= range.last) return false;
  }
  return true;
}

template <typename... Args>
void AppendFormatted(std::string& out, const char* format, Args... args) {
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), format, args...);
  out.append(text.data(), static_cast<std::size_t>(size));
}

/// The letter after the backslash in Go, or 0.
char GoEscape(char32_t code) {
  constexpr std::string_view kCodes = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  if (code >= 0x80) return 0;
  const std::size_t at = kCodes.find(static_cast<char>(code));
  return at == std::string_view::npos ? '\0' : kLetters[at];
}

void AppendGoEscaped(std::string& out, char32_t code) {
  if (const char letter = GoEscape(code)) {
    out.append({'\\', letter});
  } else if (code < 0x80) {
    AppendFormatted(out, "\\x%02x", static_cast<unsigned>(code));
  } else {
    AppendFormatted(out, code < 0x10000 ? "\\u%04x" : "\\U%08x", static_cast<unsigned>(code));
  }
}

void AppendJsonEscaped(std::string& out, char32_t code) {
  switch (code) {
    case '\\':
    case '"':
      out.append({'\\', static_cast<char>(code)});
      break;
    case '\n':
      out.append("\\n");
      break;
    case '\r':
      out.append("\\r");
      break;
    case '\t':
      out.append("\\t");
      break;
    default:
      AppendFormatted(out, "\\u%04x", static_cast<unsigned>(code));
  }
}

void AppendTextString(std::string& out, std::string_view text) {
  if (text.find('\n') == std::string_view::npos) {
    out.push_back('=');
    AppendGoQuoted(out, text);
    return;
  }
  out.append("=<\n");
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.append("\t").append(text.substr(0, end)).append("\n");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  out.append(" >");
}

/// What is not a string, time or object: the same in text and in JSON.
template <typename T>
void AppendPlain(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out.append(value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, double>) {
    if (std::isfinite(value)) return AppendDecimal(out, value);
    out.append(std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"+Inf\"" : "\"-Inf\"");
  } else if constexpr (std::is_integral_v<T>) {
    out.append(std::to_string(value));
  } else {
    char separator = '[';
    for (const std::string& item : value) {
      out.push_back(separator);
      AppendJsonString(out, item);
      separator = ',';
    }
    out.append(value.empty() ? "[]" : "]");
  }
}

std::string ObjectText(const LogObject& object) {
  std::string text(object.namespace_);
  if (!text.empty()) text.push_back('/');
  return text.append(object.name);
}

std::string ReferenceText(const LogReference& object) {
  std::string text("[");
  text.append(object.api_version).append("/").append(object.kind);
  text.append(", namespace: ").append(object.namespace_);
  text.append(", name: ").append(object.name);
  return text.append(", uid: ").append(object.uid).append("]");
}

void AppendJsonReference(std::string& out, const LogReference& object) {
  out.append("{\"name\":");
  AppendJsonString(out, object.name);
  out.append(",\"namespace\":");
  AppendJsonString(out, object.namespace_);
  out.append(",\"apiVersion\":");
  AppendJsonString(out, object.api_version);
  out.append(",\"uid\":");
  AppendJsonString(out, object.uid);
  out.push_back('}');
}

void AppendJsonObject(std::string& out, const LogObject& object) {
  out.append("{\"name\":");
  AppendJsonString(out, object.name);
  if (!object.namespace_.empty()) {
    out.append(",\"namespace\":");
    AppendJsonString(out, object.namespace_);
  }
  out.push_back('}');
}

}  // namespace

void AppendGoQuoted(std::string& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    const auto [code, size] = DecodeUtf8(text);
    if (size == 0) {
      AppendFormatted(out, "\\x%02x", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if (GoEscape(code) == 0 && IsPrintable(code)) {
      out.append(text.substr(0, size));
    } else {
      AppendGoEscaped(out, code);
    }
    text.remove_prefix(size);
  }
  out.push_back('"');
}

void AppendJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    const auto [code, size] = DecodeUtf8(text);
    if (size == 0) {
      out.append("\\ufffd");
      text.remove_prefix(1);
      continue;
    }
    if (code < 0x20 || code == '"' || code == '\\') {
      AppendJsonEscaped(out, code);
    } else {
      out.append(text.substr(0, size));
    }
    text.remove_prefix(size);
  }
  out.push_back('"');
}

void AppendTextField(std::string& out, std::string_view key, const LogValue& value) {
  out.append(" ").append(key);
  std::visit(
      [&out]<typename T>(const T& any) {
        if constexpr (std::is_convertible_v<const T&, std::string_view>) {
          AppendTextString(out, any);
        } else if constexpr (std::is_same_v<T, nanoseconds>) {
          AppendTextString(out, FormatDuration(any));
        } else if constexpr (std::is_same_v<T, WallTime>) {
          AppendTextString(out, FormatWallTime(any));
        } else if constexpr (std::is_same_v<T, LogObject>) {
          AppendTextString(out, ObjectText(any));
        } else if constexpr (std::is_same_v<T, LogReference>) {
          AppendTextString(out, ReferenceText(any));
        } else {
          out.push_back('=');
          AppendPlain(out, any);
        }
      },
      value.any());
}

void AppendJsonField(std::string& out, std::string_view key, const LogValue& value) {
  out.push_back(',');
  AppendJsonString(out, key);
  out.push_back(':');
  std::visit(
      [&out]<typename T>(const T& any) {
        if constexpr (std::is_convertible_v<const T&, std::string_view>) {
          AppendJsonString(out, any);
        } else if constexpr (std::is_same_v<T, nanoseconds>) {
          AppendJsonString(out, FormatDuration(any));
        } else if constexpr (std::is_same_v<T, WallTime>) {
          AppendJsonString(out, FormatWallTime(any));
        } else if constexpr (std::is_same_v<T, LogObject>) {
          AppendJsonObject(out, any);
        } else if constexpr (std::is_same_v<T, LogReference>) {
          AppendJsonReference(out, any);
        } else {
          AppendPlain(out, any);
        }
      },
      value.any());
}

void AppendField(std::string& out, LogFormat format, std::string_view key, const LogValue& value) {
  format == LogFormat::kJson ? AppendJsonField(out, key, value) : AppendTextField(out, key, value);
}

void AppendDecimal(std::string& out, double number) {
  std::array<char, 1100> text;  // the smallest double has 1,074 digits after the point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  out.append(text.data(), end.ptr);
}

std::string FormatDuration(nanoseconds duration) {
  if (duration == nanoseconds::zero()) return "0s";
  const bool negative = duration < nanoseconds::zero();
  // The smallest duration has no positive counterpart but in unsigned.
  std::uint64_t count = static_cast<std::uint64_t>(duration.count());
  if (negative) count = 0 - count;

  // `unit` nanoseconds to one, with the fraction's trailing zeros cut.
  const auto with_fraction = [](std::uint64_t n, std::uint64_t unit, std::string_view suffix) {
    std::string text = std::to_string(n / unit);
    if (std::uint64_t rest = n % unit; rest != 0) {
      std::string digits = std::to_string(unit + rest).substr(1);  // keeps the leading zeros
      digits.erase(digits.find_last_not_of('0') + 1);
      text.append(".").append(digits);
    }
    return text.append(suffix);
  };
  std::string text = negative ? "-" : "";
  if (count < 1'000) return text + std::to_string(count) + "ns";
  if (count < 1'000'000) return text + with_fraction(count, 1'000, "µs");
  if (count < 1'000'000'000) return text + with_fraction(count, 1'000'000, "ms");
  const std::uint64_t minutes = count / 60'000'000'000;
  if (minutes >= 60) text += std::to_string(minutes / 60) + "h";
  if (minutes > 0) text += std::to_string(minutes % 60) + "m";
  return text + with_fraction(count % 60'000'000'000, 1'000'000'000, "s");
}

std::string FormatWallTime(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<nanoseconds> clock(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  std::string result = text.data();
  if (const auto rest = clock.subseconds().count(); rest != 0) {
    std::string digits = std::to_string(1'000'000'000 + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    result.append(".").append(digits);
  }
  return result + "Z";
}

}  // namespace flyball
