#include "flyball/api/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace flyball::api {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Has the two highest bits set, so that or-ing four values shows whether one is not a digit.
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr auto kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

std::uint32_t DigitOf(char c) { return kDigits[static_cast<unsigned char>(c)]; }

bool IsLineEnd(char c) { return c == '\r' || c == '\n'; }

std::unexpected<Error> BadAt(std::size_t at) {
  return Fail(ErrorCode::kMalformed, "not base64 at byte " + std::to_string(at));
}

/// Checks what follows `count` digits of a group once a '=' is met at `at`: enough padding, then
/// nothing but line ends.
Result<> CheckPadding(std::string_view text, std::size_t at, int count) {
  if (count < 2) return BadAt(at);
  int padding = 0;
  for (; at < text.size(); ++at) {
    if (IsLineEnd(text[at])) continue;
    if (text[at] != '=' || ++padding > 4 - count) return BadAt(at);
  }
  if (padding != 4 - count) return BadAt(at);
  return {};
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(bytes[i]);
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *out++ = kAlphabet[group >> 18];
    *out++ = kAlphabet[group >> 12 & 63];
    *out++ = kAlphabet[group >> 6 & 63];
    *out++ = kAlphabet[group & 63];
  }
  if (i < bytes.size()) {
    const bool two = i + 2 == bytes.size();
    const std::uint32_t group = byte(i) << 16 | (two ? byte(i + 1) << 8 : 0);
    *out++ = kAlphabet[group >> 18];
    *out++ = kAlphabet[group >> 12 & 63];
    if (two) *out++ = kAlphabet[group >> 6 & 63];
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  bytes.resize(text.size() / 4 * 3 + 3);
  char* out = bytes.data();
  std::uint32_t group = 0;
  int count = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (count == 0 && text.size() - i >= 4) {
      const std::uint32_t a = DigitOf(text[i]);
      const std::uint32_t b = DigitOf(text[i + 1]);
      const std::uint32_t c = DigitOf(text[i + 2]);
      const std::uint32_t d = DigitOf(text[i + 3]);
      if ((a | b | c | d) < 64) {
        group = a << 18 | b << 12 | c << 6 | d;
        *out++ = static_cast<char>(group >> 16);
        *out++ = static_cast<char>(group >> 8);
        *out++ = static_cast<char>(group);
        i += 4;
        continue;
      }
    }
    const char c = text[i];
    if (const std::uint32_t digit = DigitOf(c); digit != kNoDigit) {
      group = group << 6 | digit;
      if (++count == 4) {
        *out++ = static_cast<char>(group >> 16);
        *out++ = static_cast<char>(group >> 8);
        *out++ = static_cast<char>(group);
        count = 0;
      }
    } else if (c == '=') {
      FLYBALL_TRY(CheckPadding(text, i, count));
      group <<= 6 * (4 - count);
      *out++ = static_cast<char>(group >> 16);
      if (count == 3) *out++ = static_cast<char>(group >> 8);
      count = 0;
      break;
    } else if (!IsLineEnd(c)) {
      return BadAt(i);
    }
    ++i;
  }
  if (count != 0) return BadAt(text.size());
  bytes.resize(static_cast<std::size_t>(out - bytes.data()));
  return bytes;
}

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text = EncodeBase64(bytes);
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

Result<std::string> DecodeBase64Url(std::string_view text) {
  if (const auto foreign = text.find_first_of("+/="); foreign != text.npos) return BadAt(foreign);
  std::string padded(text);
  std::ranges::replace(padded, '-', '+');
  std::ranges::replace(padded, '_', '/');
  while (padded.size() % 4 != 0) padded += '=';
  return DecodeBase64(padded);
}

}  // namespace flyball::api
