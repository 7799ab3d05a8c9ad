#include "flyball/runtime/event_name.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "flyball/api/label_validation.h"

namespace flyball::runtime {
namespace {

/// Version 4 of RFC 9562.
std::string RandomUuid(const api::RandomBits& random) {
  constexpr std::uint64_t kVersionMask = 0xf000;
  constexpr std::uint64_t kVersion = 0x4000;
  constexpr std::uint64_t kVariantMask = std::uint64_t{3} << 62;
  constexpr std::uint64_t kVariant = std::uint64_t{2} << 62;
  constexpr char kDigits[] = "0123456789abcdef";
  const std::array<std::uint64_t, 2> halves = {(random() & ~kVersionMask) | kVersion,
                                               (random() & ~kVariantMask) | kVariant};
  std::string uuid;
  for (std::size_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) uuid += '-';
    const std::uint64_t half = halves.at(digit / 16);
    uuid += kDigits[(half >> (60 - 4 * (digit % 16))) & 0xf];
  }
  return uuid;
}

}  // namespace

std::string TimedName(std::string_view object, WallTime now) {
  std::array<char, 24> digits = {};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                 now.time_since_epoch().count(), 16);
  std::string name(object);
  name += '.';
  name.append(digits.data(), end.ptr);
  return name;
}

std::string EventName(std::string_view object, WallTime now, const api::RandomBits& random) {
  std::string name = TimedName(object, now);
  return api::ValidateDns1123Subdomain(name) ? name : RandomUuid(random);
}

std::string_view EventNamespace(std::string_view object_namespace) {
  return object_namespace.empty() ? "default" : object_namespace;
}

}  // namespace flyball::runtime
