#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace flyball {

/// Sums and differences of numbers that come from API objects, or go there. What does not fit
/// wraps, as in Go; in C++ the overflow of a signed number is undefined behaviour.
template <std::signed_integral T>
constexpr T WrappingAdd(T a, std::type_identity_t<T> b) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
}
template <std::signed_integral T>
constexpr T WrappingSubtract(T a, std::type_identity_t<T> b) {
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b));
}

/// A number without its fraction. Where it does not fit, which is undefined behaviour in C++, it is
/// the most negative one, as Go has it on amd64.
constexpr std::int64_t TruncateToInt64(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // the first that does not fit
  if (!(value >= -kLimit && value < kLimit)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

}  // namespace flyball
