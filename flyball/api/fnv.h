#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

/// The Fowler-Noll-Vo hashes: those of 32 bits, whose sums are in the names of objects, and the one
/// of 128, which the ports of services are in the order of.
namespace flyball::api {

enum class FnvOrder : std::uint8_t { kMultiplyFirst, kXorFirst };

template <FnvOrder kOrder>
class BasicFnv32 {
 public:
  constexpr void Add(char byte) {
    if constexpr (kOrder == FnvOrder::kMultiplyFirst) {
      sum_ = (sum_ * kPrime) ^ static_cast<std::uint8_t>(byte);
    } else {
      sum_ = (sum_ ^ static_cast<std::uint8_t>(byte)) * kPrime;
    }
  }
  constexpr void Add(std::string_view bytes) {
    for (const char byte : bytes) Add(byte);
  }
  constexpr std::uint32_t sum() const { return sum_; }

 private:
  static constexpr std::uint32_t kPrime = 16'777'619;

  std::uint32_t sum_ = 2'166'136'261;
};

using Fnv32 = BasicFnv32<FnvOrder::kMultiplyFirst>;  ///< FNV-1
using Fnv32a = BasicFnv32<FnvOrder::kXorFirst>;      ///< FNV-1a

/// 128 bits, the upper half first: they compare as their bytes do.
using Fnv128Sum = std::pair<std::uint64_t, std::uint64_t>;

/// FNV-1a of 128 bits.
constexpr Fnv128Sum Fnv128a(std::string_view bytes) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88U) | Wide{0x13b};
  Wide sum = (Wide{0x6c62272e07bb0142} << 64U) | Wide{0x62b821756295c58d};
  for (const char byte : bytes) sum = (sum ^ static_cast<std::uint8_t>(byte)) * kPrime;
  return {static_cast<std::uint64_t>(sum >> 64U), static_cast<std::uint64_t>(sum)};
}

}  // namespace flyball::api
