#include "flyball/api/label_validation.h"

#include <algorithm>
#include <utility>

namespace flyball::api {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsAlphanumeric(char c) { return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z'); }

bool IsLabelText(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::ranges::all_of(
             text, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsDnsSegment(std::string_view text) {
  const auto plain = [](char c) { return IsLower(c) || IsDigit(c); };
  return !text.empty() && plain(text.front()) && plain(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-'; });
}

bool IsDnsName(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!IsDnsSegment(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorCode::kInvalid, std::move(message));
}

std::unexpected<Error> TooLong(std::string_view what, std::size_t length, std::size_t limit) {
  return Bad(std::string(what) + " is " + std::to_string(length) + " bytes long, the limit is " +
             std::to_string(limit));
}

}  // namespace

Result<> ValidateQualifiedName(std::string_view name) {
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return Bad("only one '/' may stand between the prefix and the name");
    }
    if (prefix.empty()) return Bad("the prefix before '/' is empty");
    if (const auto valid = ValidateDns1123Subdomain(prefix); !valid) {
      return std::unexpected(valid.error().Wrap("the prefix before '/'"));
    }
  }
  if (name.empty()) return Bad("the name is empty");
  if (name.size() > kLabelNameMaxLength) {
    return TooLong("the name", name.size(), kLabelNameMaxLength);
  }
  if (!IsLabelText(name)) {
    return Bad(
        "the name may hold letters, digits, '-', '_' and '.', and begins and ends with a letter "
        "or digit");
  }
  return {};
}

Result<> ValidateLabelValue(std::string_view value) {
  if (value.size() > kLabelValueMaxLength) {
    return TooLong("the value", value.size(), kLabelValueMaxLength);
  }
  if (!value.empty() && !IsLabelText(value)) {
    return Bad(
        "a value is empty, or holds letters, digits, '-', '_' and '.', and begins and ends with a "
        "letter or digit");
  }
  return {};
}

Result<> ValidateDns1123Label(std::string_view label) {
  if (label.size() > kDns1123LabelMaxLength) {
    return TooLong("the label", label.size(), kDns1123LabelMaxLength);
  }
  if (IsDnsSegment(label)) return {};
  if (IsDnsName(label)) return Bad("dots are not allowed here");
  return Bad(
      "a DNS label holds lower-case letters, digits and '-', and begins and ends with a letter or "
      "digit");
}

Result<> ValidateDns1123Subdomain(std::string_view name) {
  if (name.size() > kDns1123SubdomainMaxLength) {
    return TooLong("the DNS name", name.size(), kDns1123SubdomainMaxLength);
  }
  if (IsDnsName(name)) return {};
  return Bad(
      "a DNS name is made of segments joined by dots; each holds lower-case letters, digits and "
      "'-', and begins and ends with a letter or digit");
}

std::string QuoteForMessage(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted.append({'\\', c});
    } else if (byte < 0x20 || byte >= 0x7f) {
      quoted.append({'\\', 'x', kHex[byte >> 4], kHex[byte & 15]});
    } else {
      quoted.push_back(c);
    }
  }
  if (text.size() > kLongest) quoted.append("...");
  quoted.push_back('"');
  return quoted;
}

}  // namespace flyball::api
