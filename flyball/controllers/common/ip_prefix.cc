#include "flyball/controllers/common/ip_prefix.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>

namespace flyball::controllers::common {
namespace {

constexpr int kGroups = 8;
constexpr int kGroupBits = 16;

enum class Zeros : std::uint8_t { kStrict, kSloppy };  ///< whether numbers may begin with some

/// A decimal number of at most so much, with nothing around it.
std::optional<int> ParseNumber(std::string_view text, int most, Zeros zeros) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  if (zeros == Zeros::kStrict && text.size() > 1 && text.front() == '0') return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > most) return std::nullopt;
  return number;
}

std::optional<IpAddress> ParseV4(std::string_view text, Zeros zeros) {
  IpAddress address;
  for (int i = 0; i < 4; ++i) {
    const auto dot = text.find('.');
    if ((dot == std::string_view::npos) != (i == 3)) return std::nullopt;
    const auto number = ParseNumber(text.substr(0, dot), 255, zeros);
    if (!number) return std::nullopt;
    address.bits = address.bits << 8 | static_cast<unsigned>(*number);
    if (i < 3) text.remove_prefix(dot + 1);
  }
  return address;
}

std::optional<IpAddress> ParseV6(std::string_view text) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) != 1) return std::nullopt;
  IpAddress address{.family = IpFamily::kV6};
  for (const std::uint8_t byte : bytes) address.bits = address.bits << 8 | byte;
  return address;
}

std::optional<IpAddress> ParseAddress(std::string_view text, Zeros zeros) {
  if (text.contains('\0')) return std::nullopt;
  return text.contains(':') ? ParseV6(text) : ParseV4(text, zeros);
}

/// All bits behind the first so many.
Uint128 HostBits(IpFamily family, int length) {
  const int host = IpPrefix::WidthOf(family) - length;
  return host == 128 ? ~Uint128{0} : (Uint128{1} << host) - 1;
}

std::optional<IpPrefix> ParsePrefix(std::string_view text, Zeros zeros) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = ParseAddress(text.substr(0, slash), zeros);
  if (!address) return std::nullopt;
  const auto length =
      ParseNumber(text.substr(slash + 1), IpPrefix::WidthOf(address->family), zeros);
  if (!length) return std::nullopt;
  IpPrefix prefix{.base = *address, .length = *length};
  prefix.base.bits &= ~HostBits(address->family, *length);
  return prefix;
}

std::string V4Text(std::uint32_t bits) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += std::to_string(bits >> shift & 0xFF);
    if (shift > 0) text += '.';
  }
  return text;
}

unsigned Group(Uint128 bits, int number) {
  return static_cast<unsigned>(bits >> (kGroupBits * (kGroups - 1 - number)) & 0xFFFF);
}

struct Run {
  int begin = 0;
  int length = 0;
};

/// The longest of zeros, the first of those that are as long. One alone is none.
Run LongestRunOfZeros(Uint128 bits) {
  Run longest;
  Run run;
  for (int i = 0; i < kGroups; ++i) {
    run = Group(bits, i) != 0 ? Run{.begin = i + 1} : Run{run.begin, run.length + 1};
    if (run.length > longest.length) longest = run;
  }
  return longest.length > 1 ? longest : Run();
}

std::string V6Text(Uint128 bits) {
  const Run zeros = LongestRunOfZeros(bits);
  std::string text;
  for (int i = 0; i < kGroups; ++i) {
    if (zeros.length > 0 && i == zeros.begin) {
      text += "::";
      i += zeros.length - 1;
      continue;
    }
    if (!text.empty() && !text.ends_with(':')) text += ':';
    std::array<char, 4> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + 4, Group(bits, i), 16).ptr;
    text.append(digits.data(), end);
  }
  return text;
}

}  // namespace

std::string_view ToString(IpFamily family) { return family == IpFamily::kV4 ? "IPv4" : "IPv6"; }

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  return ParseAddress(text, Zeros::kStrict);
}

std::optional<IpAddress> IpAddress::ParseSloppily(std::string_view text) {
  constexpr Uint128 kMapped = 0xFFFF;
  auto address = ParseAddress(text, Zeros::kSloppy);
  if (address && address->family == IpFamily::kV6 && address->bits >> 32 == kMapped) {
    return IpAddress{.family = IpFamily::kV4, .bits = address->bits & 0xFFFF'FFFF};
  }
  return address;
}

std::string IpAddress::ToString() const {
  return family == IpFamily::kV4 ? V4Text(static_cast<std::uint32_t>(bits)) : V6Text(bits);
}

std::optional<IpPrefix> IpPrefix::Parse(std::string_view text) {
  return ParsePrefix(text, Zeros::kStrict);
}

std::optional<IpPrefix> IpPrefix::ParseSloppily(std::string_view text) {
  return ParsePrefix(text, Zeros::kSloppy);
}

std::string IpPrefix::ToString() const { return base.ToString() + "/" + std::to_string(length); }

IpAddress IpPrefix::last() const {
  return {.family = base.family, .bits = base.bits | HostBits(base.family, length)};
}

bool IpPrefix::Contains(const IpAddress& address) const {
  return address.family == base.family &&
         (address.bits & ~HostBits(base.family, length)) == base.bits;
}

}  // namespace flyball::controllers::common
