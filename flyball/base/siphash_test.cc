#include "flyball/base/siphash.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

namespace flyball {
namespace {

using Long = std::array<std::uint64_t, 2>;

// The key and the texts of the reference implementation; the hashes are OpenSSL's.
constexpr SipKey kKey{.low = 0x0706050403020100, .high = 0x0f0e0d0c0b0a0908};

std::string BytesUpTo(int length) {
  std::string bytes;
  for (int i = 0; i < length; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(SipHash, HasTheReferenceImplementationsValues) {
  EXPECT_EQ(SipHash(kKey, BytesUpTo(0)), 0x726fdb47dd0e0e31);
  EXPECT_EQ(SipHash(kKey, BytesUpTo(1)), 0x74f839c593dc67fd);
  EXPECT_EQ(SipHash(kKey, BytesUpTo(8)), 0x93f5f5799a932462);
  EXPECT_EQ(SipHash(kKey, BytesUpTo(15)), 0xa129ca6149be45e5);
  EXPECT_EQ(SipHash(kKey, BytesUpTo(63)), 0x958a324ceb064572);
  EXPECT_EQ(SipHash128(kKey, BytesUpTo(0)), (Long{0xe6a825ba047f81a3, 0x930255c71472f66d}));
  EXPECT_EQ(SipHash128(kKey, BytesUpTo(1)), (Long{0x44af996bd8c187da, 0x45fc229b11597634}));
  EXPECT_EQ(SipHash128(kKey, BytesUpTo(16)), (Long{0xbb54b067caa4e26e, 0x77052385bf1533fd}));
}

TEST(SipHash, OfAnotherKeyIsAnother) {
  EXPECT_NE(SipHash({.low = 1}, "text"), SipHash({.low = 2}, "text"));
  EXPECT_NE(SipHash({.high = 1}, "text"), SipHash({.high = 2}, "text"));
}

TEST(SipHash, TheSecretOfAProcessStaysTheSame) {
  EXPECT_EQ(&ProcessSecret(), &ProcessSecret());
  EXPECT_NE(ProcessSecret().low, ProcessSecret().high);
}

}  // namespace
}  // namespace flyball
