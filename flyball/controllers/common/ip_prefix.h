#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flyball::controllers::common {

enum class IpFamily : std::uint8_t { kV4, kV6 };

/// "IPv4" or "IPv6", as labels and services have it.
std::string_view ToString(IpFamily family);

__extension__ using Uint128 = unsigned __int128;

/// An address as a number: of 32 bits, or of 128.
struct IpAddress {
  IpFamily family = IpFamily::kV4;
  Uint128 bits = 0;

  /// "10.0.0.1", "fd00::1"; nothing else is one.
  static std::optional<IpAddress> Parse(std::string_view text);
  /// The same, for what older servers have let in: leading zeros of decimal numbers, which mean
  /// nothing. An IPv4 address in the form of an IPv6 address is an IPv4 address.
  static std::optional<IpAddress> ParseSloppily(std::string_view text);
  /// As Go writes it: in lower case, the longest run of zeros left out.
  std::string ToString() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

/// All addresses that begin with the same so many bits.
struct IpPrefix {
  IpAddress base = {};  ///< the first of them
  int length = 0;

  /// "10.0.0.0/8". What stands behind the prefix is taken to be zero.
  static std::optional<IpPrefix> Parse(std::string_view text);
  /// The same, for what older servers have let in: "010.000.000.000/08".
  static std::optional<IpPrefix> ParseSloppily(std::string_view text);
  std::string ToString() const;

  int width() const { return WidthOf(base.family); }
  IpAddress last() const;
  bool Contains(const IpAddress& address) const;
  bool Contains(const IpPrefix& other) const {
    return length <= other.length && Contains(other.base);
  }
  bool Overlaps(const IpPrefix& other) const { return Contains(other) || other.Contains(*this); }

  static int WidthOf(IpFamily family) { return family == IpFamily::kV4 ? 32 : 128; }

  friend auto operator<=>(const IpPrefix&, const IpPrefix&) = default;
};

}  // namespace flyball::controllers::common
