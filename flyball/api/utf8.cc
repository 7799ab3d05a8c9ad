#include "flyball/api/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace flyball::api {
namespace {

/// Nearly all texts are, and short.
bool IsAscii(std::string_view text) {
  std::uint64_t bits = 0;
  std::uint64_t word = 0;
  if (text.size() < sizeof word) {
    for (const char c : text) bits |= static_cast<unsigned char>(c);
    return bits < 0x80;
  }
  const auto add = [&](const char* at) {
    std::memcpy(&word, at, sizeof word);
    bits |= word;
  };
  for (std::size_t i = 0; i + sizeof word < text.size(); i += sizeof word) add(text.data() + i);
  add(text.data() + text.size() - sizeof word);  // the end, parts of it once more
  return (bits & 0x8080808080808080) == 0;
}

}  // namespace

/// The first byte decides the length and the range of the second; the others are plain
/// continuations.
std::size_t CharacterSize(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  std::size_t size = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (first < 0x80) {
    return 1;
  } else if (first >= 0xC2 && first <= 0xDF) {
    size = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    size = 3;
    if (first == 0xE0) low = 0xA0;   // below: overlong
    if (first == 0xED) high = 0x9F;  // above: surrogates
  } else if (first >= 0xF0 && first <= 0xF4) {
    size = 4;
    if (first == 0xF0) low = 0x90;   // below: overlong
    if (first == 0xF4) high = 0x8F;  // above: beyond Unicode
  }
  if (size == 0 || text.size() < size || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

bool IsValidUtf8(std::string_view text) {
  if (IsAscii(text)) return true;
  while (!text.empty()) {
    if (text.size() >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), sizeof word);
      if ((word & 0x8080808080808080) == 0) {
        text.remove_prefix(8);
        continue;
      }
    }
    const std::size_t size = CharacterSize(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string ToValidUtf8(std::string text) {
  if (IsValidUtf8(text)) return text;
  std::string valid;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t size = CharacterSize(rest);
    valid += size == 0 ? "\uFFFD" : rest.substr(0, size);
    rest.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return valid;
}

}  // namespace flyball::api
