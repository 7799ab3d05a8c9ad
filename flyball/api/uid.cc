#include "flyball/api/uid.h"

#include <cstdint>
#include <string_view>

namespace flyball::api {

std::string NewUid(const RandomBits& random) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string uid;
  std::uint64_t bits = 0;
  for (int i = 0; i < 32; ++i) {
    if (i % 16 == 0) bits = random();
    if (i == 8 || i == 12 || i == 16 || i == 20) uid += '-';
    std::uint64_t nibble = bits & 15;
    bits >>= 4;
    if (i == 12) nibble = 4;
    if (i == 16) nibble = 8 | (nibble & 3);
    uid += kDigits[nibble];
  }
  return uid;
}

}  // namespace flyball::api
