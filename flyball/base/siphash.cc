#include "flyball/base/siphash.h"

#include <bit>
#include <cstddef>
#include <random>

namespace flyball {
namespace {

/// The name and the structure are those of the paper (Aumasson and Bernstein, 2012).
class SipState {
 public:
  SipState(const SipKey& key, bool is_long)
      : v0_(key.low ^ 0x736f6d6570736575),
        v1_(key.high ^ 0x646f72616e646f6d ^ (is_long ? 0xee : 0)),
        v2_(key.low ^ 0x6c7967656e657261),
        v3_(key.high ^ 0x7465646279746573) {}

  void Absorb(std::string_view bytes) {
    const std::uint64_t length = bytes.size();
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) AbsorbWord(WordOf(bytes.substr(0, 8)));
    AbsorbWord(WordOf(bytes) | length << 56);
  }

  std::uint64_t Squeeze(std::uint64_t mark) {
    v2_ ^= mark;
    return Mixed();
  }
  std::uint64_t SqueezeMore() {
    v1_ ^= 0xdd;
    return Mixed();
  }

 private:
  /// Little-endian, of at most eight bytes.
  static std::uint64_t WordOf(std::string_view bytes) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return word;
  }
  void AbsorbWord(std::uint64_t word) {
    v3_ ^= word;
    Round();
    Round();
    v0_ ^= word;
  }
  std::uint64_t Mixed() {
    for (int i = 0; i < 4; ++i) Round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }
  void Round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
};

SipKey NewSecret() {
  std::random_device device;
  const auto word = [&device] { return std::uint64_t{device()} << 32U | device(); };
  const std::uint64_t low = word();
  return {.low = low, .high = word()};
}

}  // namespace

std::uint64_t SipHash(const SipKey& key, std::string_view bytes) {
  SipState state(key, false);
  state.Absorb(bytes);
  return state.Squeeze(0xff);
}

std::array<std::uint64_t, 2> SipHash128(const SipKey& key, std::string_view bytes) {
  SipState state(key, true);
  state.Absorb(bytes);
  const std::uint64_t first = state.Squeeze(0xee);
  return {first, state.SqueezeMore()};
}

const SipKey& ProcessSecret() {
  static const SipKey secret = NewSecret();
  return secret;
}

}  // namespace flyball
