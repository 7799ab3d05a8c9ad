#include "flyball/api/internal/quantity_syntax.h"

#include <array>
#include <charconv>

namespace flyball::api {
namespace {

using Format = Quantity::Format;

constexpr std::string_view kSuffixLetters = "eEinumkKMGTP";
constexpr std::array<std::string_view, 10> kDecimalSuffixes = {"n", "u", "m", "",  "k",
                                                               "M", "G", "T", "P", "E"};
constexpr std::int32_t kSmallestSuffixExponent = -9;
constexpr std::int32_t kLargestSuffixExponent = 18;
constexpr std::array<std::string_view, 7> kBinarySuffixes = {"",   "Ki", "Mi", "Gi",
                                                             "Ti", "Pi", "Ei"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t SkipDigits(std::string_view text, std::size_t at) {
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at;
}

std::unexpected<Error> BadForm() {
  return Fail(ErrorCode::kMalformed, "not a quantity: a number and a suffix are wanted");
}

/// The decimal exponent after "e" or "E".
bool ParseExponent(std::string_view digits, std::int32_t& exponent) {
  if (digits.starts_with('+')) {
    digits.remove_prefix(1);
    if (digits.starts_with('-')) return false;
  }
  std::int64_t parsed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  if (error != std::errc() || end != digits.data() + digits.size()) return false;
  // PARITY: an exponent beyond 32 bits wraps, so that 1e4294967299 is 1e3.
  exponent = static_cast<std::int32_t>(static_cast<std::uint32_t>(parsed));
  return true;
}

bool InterpretSuffix(std::string_view suffix, QuantitySyntax& syntax) {
  for (std::size_t i = 0; i < kDecimalSuffixes.size(); ++i) {
    if (suffix != kDecimalSuffixes[i]) continue;
    syntax.exponent = kSmallestSuffixExponent + 3 * static_cast<std::int32_t>(i);
    syntax.format = Format::kDecimalSi;
    return true;
  }
  for (std::size_t i = 1; i < kBinarySuffixes.size(); ++i) {
    if (suffix != kBinarySuffixes[i]) continue;
    syntax.binary = true;
    syntax.exponent = 10 * static_cast<std::int32_t>(i);
    syntax.format = Format::kBinarySi;
    return true;
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
  syntax.format = Format::kDecimalExponent;
  return ParseExponent(suffix.substr(1), syntax.exponent);
}

/// Where the suffix that starts at `at` ends; short of the text's end if it is none.
std::size_t SkipSuffix(std::string_view text, std::size_t at) {
  while (at < text.size() && kSuffixLetters.find(text[at]) != std::string_view::npos) ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return SkipDigits(text, at);
}

}  // namespace

Result<QuantitySyntax> ScanQuantity(std::string_view text) {
  if (text.empty()) return BadForm();
  QuantitySyntax syntax;
  std::size_t at = 0;
  if (text[0] == '-' || text[0] == '+') {
    syntax.negative = text[0] == '-';
    at = 1;
  }
  while (at < text.size() && text[at] == '0') ++at;
  const std::size_t whole_end = SkipDigits(text, at);
  syntax.whole = text.substr(at, whole_end - at);
  // PARITY: no digits at all are a zero, so "-" and "." parse.
  if (syntax.whole.empty()) syntax.whole = "0";
  at = whole_end;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction_end = SkipDigits(text, at + 1);
    syntax.fraction = text.substr(at + 1, fraction_end - at - 1);
    at = fraction_end;
  }
  syntax.number = text.substr(0, at);
  if (SkipSuffix(text, at) != text.size()) return BadForm();
  if (!InterpretSuffix(text.substr(at), syntax)) {
    return Fail(ErrorCode::kMalformed, "not a quantity's suffix");
  }
  return syntax;
}

std::optional<std::string> DecimalSuffix(std::int64_t exponent, Format format) {
  if (format == Format::kDecimalExponent) {
    return exponent == 0 ? std::string() : "e" + std::to_string(exponent);
  }
  if (exponent < kSmallestSuffixExponent || exponent > kLargestSuffixExponent ||
      exponent % 3 != 0) {
    return std::nullopt;
  }
  return std::string(kDecimalSuffixes[(exponent - kSmallestSuffixExponent) / 3]);
}

std::string_view BinarySuffix(int power) { return kBinarySuffixes[power]; }

}  // namespace flyball::api
