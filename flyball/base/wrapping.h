#pragma once

#include <concepts>
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

}  // namespace flyball
