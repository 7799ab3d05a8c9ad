#include "flyball/controllers/garbage_collector/packed_uid.h"

#include <array>
#include <bit>
#include <cstddef>
#include <optional>

#include "flyball/base/siphash.h"

namespace flyball::controllers::garbage_collector {
namespace {

constexpr std::size_t kLength = 36;
constexpr std::size_t kVersionAt = 14;
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::uint64_t kVariant = std::uint64_t{3} << 62;

bool IsDashAt(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

/// Of "01234567-89ab-4def-8123-456789abcdef", and of nothing that is written otherwise.
std::optional<PackedUid> FromUuid(std::string_view text) {
  if (text.size() != kLength || text[kVersionAt] != '4') return std::nullopt;
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
  if (!uid.IsUuid()) return std::nullopt;
  return uid;
}

}  // namespace

PackedUid PackedUid::Of(std::string_view text) {
  if (const auto uid = FromUuid(text)) return *uid;
  const auto [high, low] = SipHash128(ProcessSecret(), text);
  return {high, low & ~kVariant};
}

std::string PackedUid::ToString() const {
  std::string text(kLength, '-');
  int shift = 60;
  for (std::size_t at = 0; at < kLength; ++at) {
    if (IsDashAt(at)) continue;
    text[at] = kDigits[(at < 18 ? high : low) >> shift & 0xf];
    shift = (shift + 60) % 64;
  }
  return IsUuid() ? text : "hash:" + text;
}

}  // namespace flyball::controllers::garbage_collector

std::size_t std::hash<flyball::controllers::garbage_collector::PackedUid>::operator()(
    const flyball::controllers::garbage_collector::PackedUid& uid) const {
  const auto bytes = std::bit_cast<std::array<char, sizeof(uid)>>(uid);
  return flyball::SipHash(flyball::ProcessSecret(), {bytes.data(), bytes.size()});
}
