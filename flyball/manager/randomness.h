#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <utility>

#include "flyball/api/names.h"

namespace flyball::manager {

/// What no other process has. For any thread.
inline api::RandomBits ProcessRandom() {
  return [rolls = std::make_shared<std::atomic<std::uint64_t>>(std::random_device()())] {
    return std::mt19937_64(++*rolls)();
  };
}

/// The same bits as numbers between 0 and 1.
inline std::function<double()> Fraction(api::RandomBits random) {
  return [random = std::move(random)] {
    return static_cast<double>(random() >> 11U) / static_cast<double>(std::uint64_t{1} << 53U);
  };
}

}  // namespace flyball::manager
