#include "flyball/manager/flags/go_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "flyball/api/duration.h"
#include "flyball/base/log_format.h"
#include "flyball/manager/refusal.h"

namespace flyball::manager::flags {
namespace {

std::unexpected<Error> BadNumber(std::string_view function, std::string_view text,
                                 std::string_view why) {
  return Refuse("strconv." + std::string(function) + ": parsing " + Quote(text) + ": " +
                std::string(why));
}

constexpr std::string_view kSyntax = "invalid syntax";
constexpr std::string_view kRange = "value out of range";

/// What a number's prefix says of its digits.
struct Radix {
  int base = 10;
  std::size_t prefix = 0;  ///< how long it is
};

Radix RadixOf(std::string_view digits) {
  if (!digits.starts_with('0') || digits.size() < 2) return {};
  const char kind = static_cast<char>(digits[1] | 0x20);
  if (digits.size() > 2 && kind == 'x') return {16, 2};
  if (digits.size() > 2 && kind == 'b') return {2, 2};
  if (digits.size() > 2 && kind == 'o') return {8, 2};
  return {8, 1};
}

/// The digits without underscores, each of which has to stand between two digits, or between the
/// prefix and a digit. Empty if one does not.
std::string WithoutUnderscores(std::string_view digits, bool after_prefix) {
  std::string plain;
  char before = after_prefix ? '0' : '_';
  for (const char c : digits) {
    if (c == '_' && before == '_') return {};
    if (c != '_') plain.push_back(c);
    before = c;
  }
  return before == '_' ? std::string() : plain;
}

/// Of the parts of a duration, what is wrong with the first bad one.
std::string DurationComplaint(std::string_view text) {
  constexpr std::array<std::string_view, 8> kUnits = {"ns", "us", "µs", "μs", "ms", "s", "m", "h"};
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::size_t number = std::min(rest.find_first_not_of(".0123456789"), rest.size());
    const std::string_view digits = rest.substr(0, number);
    if (digits.find_first_of("0123456789") == std::string_view::npos) break;
    if (std::ranges::count(digits, '.') > 1) break;
    rest.remove_prefix(number);
    const std::size_t length = std::min(rest.find_first_of(".0123456789"), rest.size());
    if (length == 0) return "time: missing unit in duration " + Quote(text);
    const std::string_view unit = rest.substr(0, length);
    if (std::ranges::find(kUnits, unit) == kUnits.end()) {
      return "time: unknown unit " + Quote(unit) + " in duration " + Quote(text);
    }
    rest.remove_prefix(length);
  }
  return "time: invalid duration " + Quote(text);
}

template <typename Number>
std::string Shortest(Number number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> text{};
  const auto scientific =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific);
  const std::string_view digits(text.data(), scientific.ptr);
  int exponent = 0;
  const std::string_view power = digits.substr(digits.find('e') + 1);
  std::from_chars(power.data() + (power.starts_with('+') ? 1 : 0), power.data() + power.size(),
                  exponent);
  if (exponent < -4 || exponent >= 6) return std::string(digits);
  std::array<char, 64> plain{};
  const auto fixed =
      std::to_chars(plain.data(), plain.data() + plain.size(), number, std::chars_format::fixed);
  return {plain.data(), fixed.ptr};
}

/// Reads the fields of one record, and knows where it is for the sake of messages.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> Read() {
    SkipEmptyLines();
    if (at_ == text_.size()) return Refuse("EOF");
    first_line_ = line_;
    std::vector<std::string> fields;
    do {
      FLYBALL_TRY(std::string field, At('"') ? Quoted() : Plain());
      fields.push_back(std::move(field));
    } while (Take(','));
    return fields;
  }

 private:
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Take(char c) {
    if (!At(c)) return false;
    ++at_;
    return true;
  }
  bool AtLineEnd() const {
    return at_ == text_.size() || At('\n') || text_.substr(at_).starts_with("\r\n") ||
           text_.substr(at_) == "\r";
  }
  void SkipEmptyLines() {
    while (at_ < text_.size() && AtLineEnd()) {
      if (text_[at_++] != '\n') continue;
      NewLine();
    }
  }
  void NewLine() {
    ++line_;
    line_start_ = at_;
  }

  Result<std::string> Plain() {
    const std::size_t start = at_;
    while (!At(',') && !AtLineEnd()) {
      if (At('"')) return Complain("bare \" in non-quoted-field", at_);
      ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }

  Result<std::string> Quoted() {
    constexpr std::string_view kQuote = "extraneous or missing \" in quoted-field";
    std::string field;
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') {
        if (At(',') || AtLineEnd()) return field;
        if (!Take('"')) return Complain(kQuote, at_ - 1);
      }
      field.push_back(c);
      if (c == '\n' && at_ < text_.size()) NewLine();
    }
    return Complain(kQuote, at_);
  }

  std::unexpected<Error> Complain(std::string_view what, std::size_t where) const {
    std::string text = "parse error on line " + std::to_string(line_) + ", column " +
                       std::to_string(where - line_start_ + 1) + ": " + std::string(what);
    if (line_ != first_line_) {
      text = "record on line " + std::to_string(first_line_) + "; " + text;
    }
    return Refuse(std::move(text));
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  int first_line_ = 1;
};

}  // namespace

Result<bool> ParseBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return BadNumber("ParseBool", text, kSyntax);
}

Result<std::int64_t> ParseInt(std::string_view text, int bits) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const Radix radix = RadixOf(rest);
  const std::string digits = WithoutUnderscores(rest.substr(radix.prefix), radix.prefix > 0);
  std::uint64_t magnitude = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, magnitude, radix.base);
  if (digits.empty() || read.ec == std::errc::invalid_argument || read.ptr != end) {
    return BadNumber("ParseInt", text, kSyntax);
  }
  const std::uint64_t limit = (std::uint64_t{1} << (bits - 1)) - (negative ? 0 : 1);
  if (read.ec == std::errc::result_out_of_range || magnitude > limit) {
    return BadNumber("ParseInt", text, kRange);
  }
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

Result<std::uint64_t> ParseUint(std::string_view text, int bits) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec == std::errc::invalid_argument || read.ptr != end) {
    return BadNumber("ParseUint", text, kSyntax);
  }
  const bool fits = bits == 64 || value >> bits == 0;
  if (read.ec == std::errc::result_out_of_range || !fits) {
    return BadNumber("ParseUint", text, kRange);
  }
  return value;
}

Result<double> ParseFloat(std::string_view text, int bits) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  if (hexadecimal) rest.remove_prefix(2);
  // C++ reads hexadecimal without the exponent that Go asks for, and more after "nan".
  const bool signed_again = rest.starts_with('-') || rest.starts_with('+');
  const bool no_power = hexadecimal && rest.find_first_of("pP") == std::string_view::npos;
  if (rest.empty() || signed_again || no_power || rest.find('(') != std::string_view::npos) {
    return BadNumber("ParseFloat", text, kSyntax);
  }
  double value = 0;
  const char* const end = rest.data() + rest.size();
  const auto read = std::from_chars(
      rest.data(), end, value, hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (read.ec == std::errc::invalid_argument || read.ptr != end) {
    return BadNumber("ParseFloat", text, kSyntax);
  }
  // Too small is zero in Go. C++ has one code for too small and too large, and leaves `value`.
  const bool out_of_range = read.ec == std::errc::result_out_of_range;
  const bool tiny = out_of_range && rest.find('-') != std::string_view::npos;
  const bool too_large =
      bits == 32 && std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max();
  if ((out_of_range && !tiny) || too_large) return BadNumber("ParseFloat", text, kRange);
  return negative ? -value : value;
}

std::string FormatFloat(float number) { return Shortest(number); }
std::string FormatFloat(double number) { return Shortest(number); }

Result<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  Result<std::chrono::nanoseconds> duration = api::ParseDuration(text);
  if (!duration) return Refuse(DurationComplaint(text));
  return duration;
}

std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string Quote(std::string_view text) {
  std::string quoted;
  AppendGoQuoted(quoted, text);
  return quoted;
}

Result<std::vector<std::string>> ReadCsv(std::string_view text) {
  if (text.empty()) return std::vector<std::string>();
  return CsvReader(text).Read();
}

std::string WriteCsv(const std::vector<std::string>& fields) {
  std::string record;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& field = fields[i];
    if (i > 0) record.push_back(',');
    const bool plain = field.find_first_of(",\"\r\n") == std::string::npos && field != "\\." &&
                       !field.starts_with(' ') && !field.starts_with('\t');
    if (plain) {
      record.append(field);
      continue;
    }
    record.push_back('"');
    for (const char c : field) {
      if (c == '"') record.push_back('"');
      record.push_back(c);
    }
    record.push_back('"');
  }
  return record;
}

std::string ErrnoText(int error) {
  std::string text = std::generic_category().message(error);
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace flyball::manager::flags
