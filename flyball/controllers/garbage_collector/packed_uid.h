#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace flyball::controllers::garbage_collector {

/// A uid in 16 bytes instead of the 80 that its text takes in memory: what the graph and the queues
/// know an object by. Equal uids have equal texts.
///
/// API servers give random UUIDs (RFC 9562: version 4) in small letters, and these are kept bit for
/// bit. Anything else that stands in a uid's place is a hash of its text, keyed with the process's
/// secret: a reference to an owner may have any text for a uid, and an aggregated API server may
/// give others. Such a hash has bits in the place of the variant that no UUID has, so that no text
/// can be made to pass for somebody else's UUID. What is sent to a server is never made of it.
struct PackedUid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  static PackedUid Of(std::string_view text);
  /// Whether it is a UUID, and ToString() is its text.
  bool IsUuid() const { return low >> 62 == 2; }
  /// For people, where it is no UUID.
  std::string ToString() const;

  friend bool operator==(const PackedUid&, const PackedUid&) = default;
  friend auto operator<=>(const PackedUid&, const PackedUid&) = default;
};

}  // namespace flyball::controllers::garbage_collector

/// Whoever writes references chooses their uids; so the hash is keyed with the process's secret.
template <>
struct std::hash<flyball::controllers::garbage_collector::PackedUid> {
  std::size_t operator()(const flyball::controllers::garbage_collector::PackedUid& uid) const;
};
