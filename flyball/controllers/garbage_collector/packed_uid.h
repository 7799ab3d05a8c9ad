#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace flyball::controllers::garbage_collector {

/// A uid in 16 bytes instead of the 80 that its text takes in memory.
///
/// Those that API servers give are UUIDs, and ToString() has them back. A reference to an owner may
/// have any text for a uid; of such a one this is a hash, which is all that a graph needs to tell
/// it from others. Nothing is ever deleted on that: what is sent to the server has the texts that
/// the server gave.
struct PackedUid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  static PackedUid Of(std::string_view text);
  std::string ToString() const;

  friend bool operator==(const PackedUid&, const PackedUid&) = default;
  friend auto operator<=>(const PackedUid&, const PackedUid&) = default;
};

}  // namespace flyball::controllers::garbage_collector

template <>
struct std::hash<flyball::controllers::garbage_collector::PackedUid> {
  std::size_t operator()(const flyball::controllers::garbage_collector::PackedUid& uid) const {
    // Whoever writes references chooses their uids, so no bits alone may choose the place.
    return (uid.high ^ (uid.low * 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL >> 16;
  }
};
