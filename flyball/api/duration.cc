#include "flyball/api/duration.h"

#include <algorithm>
#include <cstdint>

namespace flyball::api {
namespace {

constexpr std::uint64_t kMicrosecond = 1'000;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
/// The magnitude of the most negative duration.
constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// value / unit with the decimals that are needed and no more; `unit` is a power of ten.
std::string WithFraction(std::uint64_t value, std::uint64_t unit) {
  std::string text = std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return text;
  text += '.';
  while (rest != 0) {
    unit /= 10;
    text += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
  return text;
}

std::string FormatMagnitude(std::uint64_t magnitude) {
  if (magnitude == 0) return "0s";
  if (magnitude < kMicrosecond) return std::to_string(magnitude) + "ns";
  if (magnitude < kMillisecond) return WithFraction(magnitude, kMicrosecond) + "µs";
  if (magnitude < kSecond) return WithFraction(magnitude, kMillisecond) + "ms";
  const std::uint64_t minutes = magnitude / (60 * kSecond);
  std::string text;
  if (minutes >= 60) text = std::to_string(minutes / 60) + "h";
  if (minutes > 0) text += std::to_string(minutes % 60) + "m";
  return text + WithFraction(magnitude % (60 * kSecond), kSecond) + "s";
}

/// The nanoseconds in a unit, 0 if there is no such unit.
std::uint64_t UnitSize(std::string_view name) {
  if (name == "ns") return 1;
  // The micro sign and the Greek letter look alike and both count.
  if (name == "us" || name == "\u00b5s" || name == "\u03bcs") return kMicrosecond;
  if (name == "ms") return kMillisecond;
  if (name == "s") return kSecond;
  if (name == "m") return 60 * kSecond;
  if (name == "h") return 3600 * kSecond;
  return 0;
}

/// A fraction's digits as an integer and what it is divided by. Digits that do not fit are beyond
/// any precision and ignored.
struct Fraction {
  std::uint64_t digits = 0;
  double divisor = 1;
};

Fraction ToFraction(std::string_view digits) {
  Fraction fraction;
  for (const char c : digits) {
    if (fraction.digits > (kLimit - 1) / 10) break;
    const std::uint64_t next = fraction.digits * 10 + static_cast<std::uint64_t>(c - '0');
    if (next > kLimit) break;
    fraction.digits = next;
    fraction.divisor *= 10;
  }
  return fraction;
}

bool ToWhole(std::string_view digits, std::uint64_t& whole) {
  for (const char c : digits) {
    if (whole > kLimit / 10) return false;
    whole = whole * 10 + static_cast<std::uint64_t>(c - '0');
    if (whole > kLimit) return false;
  }
  return true;
}

std::string_view TakeDigits(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

/// As Go's time package quotes, which is not as others do: all but plain letters by their bytes.
std::string Quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x80) {
      quoted.append("\\x").append({kDigits[byte >> 4], kDigits[byte & 0xf]});
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

/// In Go's words: they stand in events, and people search for them.
std::unexpected<Error> Bad(const std::string& what, std::string_view text) {
  return Fail(ErrorCode::kMalformed, what + " duration " + Quoted(text));
}

std::unexpected<Error> Invalid(std::string_view text) { return Bad("time: invalid", text); }

std::unexpected<Error> UnknownUnit(std::string_view unit, std::string_view text) {
  return Bad("time: unknown unit " + Quoted(unit) + " in", text);
}

}  // namespace

std::string FormatDuration(std::chrono::nanoseconds duration) {
  const auto bits = static_cast<std::uint64_t>(duration.count());
  if (duration.count() < 0) return "-" + FormatMagnitude(0 - bits);
  return FormatMagnitude(bits);
}

Result<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return std::chrono::nanoseconds(0);
  if (rest.empty()) return Invalid(text);

  std::uint64_t total = 0;
  while (!rest.empty()) {
    const std::string_view whole_digits = TakeDigits(rest);
    std::uint64_t part = 0;
    if (!ToWhole(whole_digits, part)) return Invalid(text);
    std::string_view fraction_digits;
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      fraction_digits = TakeDigits(rest);
    }
    if (whole_digits.empty() && fraction_digits.empty()) return Invalid(text);
    const std::size_t unit_end = std::min(rest.find_first_of(".0123456789"), rest.size());
    if (unit_end == 0) return Bad("time: missing unit in", text);
    const std::uint64_t unit = UnitSize(rest.substr(0, unit_end));
    if (unit == 0) return UnknownUnit(rest.substr(0, unit_end), text);
    rest.remove_prefix(unit_end);

    if (part > kLimit / unit) return Invalid(text);
    part *= unit;
    if (const Fraction fraction = ToFraction(fraction_digits); fraction.digits > 0) {
      // PARITY: in floating point, so the last nanosecond of a fraction of hours is upstream's.
      part += static_cast<std::uint64_t>(static_cast<double>(fraction.digits) *
                                         (static_cast<double>(unit) / fraction.divisor));
      if (part > kLimit) return Invalid(text);
    }
    // PARITY: two parts of exactly the limit wrap to nothing.
    total += part;
    if (total > kLimit) return Invalid(text);
  }
  if (!negative && total == kLimit) return Invalid(text);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(negative ? 0 - total : total));
}

Result<Duration> Duration::Parse(std::string_view text) {
  FLYBALL_TRY(const std::chrono::nanoseconds value, ParseDuration(text));
  return Duration{value};
}

}  // namespace flyball::api
