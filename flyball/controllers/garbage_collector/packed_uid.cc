#include "flyball/controllers/garbage_collector/packed_uid.h"

#include <cstddef>
#include <optional>

namespace flyball::controllers::garbage_collector {
namespace {

constexpr std::size_t kLength = 36;
constexpr std::string_view kDigits = "0123456789abcdef";

bool IsDashAt(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

/// Of "01234567-89ab-cdef-0123-456789abcdef", and of nothing that is written otherwise.
std::optional<PackedUid> FromUuid(std::string_view text) {
  if (text.size() != kLength) return std::nullopt;
  PackedUid uid;
  for (std::size_t at = 0; at < kLength; ++at) {
    if (IsDashAt(at)) {
      if (text[at] != '-') return std::nullopt;
      continue;
    }
    const std::size_t digit = kDigits.find(text[at]);
    if (digit == std::string_view::npos) return std::nullopt;
    std::uint64_t& half = at < 18 ? uid.high : uid.low;
    half = half << 4 | digit;
  }
  return uid;
}

std::uint64_t Hash(std::string_view text, std::uint64_t hash) {
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

PackedUid PackedUid::Of(std::string_view text) {
  if (const auto uid = FromUuid(text)) return *uid;
  return {Hash(text, 0xcbf29ce484222325ULL), Hash(text, 0x6c62272e07bb0142ULL)};
}

std::string PackedUid::ToString() const {
  std::string text(kLength, '-');
  int shift = 60;
  for (std::size_t at = 0; at < kLength; ++at) {
    if (IsDashAt(at)) continue;
    text[at] = kDigits[(at < 18 ? high : low) >> shift & 0xf];
    shift = (shift + 60) % 64;
  }
  return text;
}

}  // namespace flyball::controllers::garbage_collector
