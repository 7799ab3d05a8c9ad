#pragma once

#include <cstdint>
#include <string_view>

/// The Fowler-Noll-Vo hashes of 32 bits, whose sums are in the names of objects.
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

}  // namespace flyball::api
