#include "flyball/base/randomness.h"

#include <atomic>
#include <memory>
#include <random>
#include <utility>

namespace flyball {

std::function<std::uint64_t()> ProcessRandom() {
  std::random_device device;
  const std::uint64_t seed = (std::uint64_t{device()} << 32U) | device();
  // SplitMix64: a counter, whose bits are then spread. So threads need share no more than that.
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  return [counter = std::make_shared<std::atomic<std::uint64_t>>(seed)] {
    std::uint64_t bits = counter->fetch_add(kStep, std::memory_order_relaxed);
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31U);
  };
}

std::function<double()> Fraction(std::function<std::uint64_t()> bits) {
  return [bits = std::move(bits)] {
    // As many as a double has.
    return static_cast<double>(bits() >> 11U) * 0x1.0p-53;
  };
}

}  // namespace flyball
