#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// SipHash-2-4: a hash whose values nobody can predict, or make collide, who does not know the key.
/// For tables whose keys come from API objects, which others write.
namespace flyball {

struct SipKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

std::uint64_t SipHash(const SipKey& key, std::string_view bytes);
/// Long enough to stand for the bytes: two texts with one hash will not be met.
std::array<std::uint64_t, 2> SipHash128(const SipKey& key, std::string_view bytes);

/// A key that is another one in each process, and is never shown to anybody. What must not differ
/// from run to run, such as an order, must not follow from it. Any thread.
const SipKey& ProcessSecret();

}  // namespace flyball
