#pragma once

#include <cstdint>
#include <functional>

namespace flyball {

/// Random bits, other ones in each process: for jitter, and for names that must not meet. Not for
/// secrets. Any thread.
std::function<std::uint64_t()> ProcessRandom();

/// The same bits as numbers from 0 up to, but not, 1.
std::function<double()> Fraction(std::function<std::uint64_t()> bits);

}  // namespace flyball
