#include "flyball/transport/gunzip.h"

#include <zlib.h>

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace flyball::transport {
namespace {

std::string Packed(std::string_view text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Fed in pieces of a size.
std::string Unpacked(std::string_view packed, std::size_t piece) {
  Gunzip gunzip;
  std::string text;
  for (; !packed.empty(); packed.remove_prefix(std::min(piece, packed.size()))) {
    const auto fed = gunzip.Feed(packed.substr(0, piece));
    EXPECT_TRUE(fed) << fed.error().Describe();
    if (!fed) return text;
    text += *fed;
  }
  EXPECT_TRUE(gunzip.AtBoundary());
  return text;
}

TEST(Gunzip, PartsOneAfterTheOtherAreOneTextHoweverTheyAreCutUp) {
  const std::string wide(100'000, 'x');
  const std::string packed = Packed("one, ") + Packed("") + Packed("two, ") + Packed(wide);
  for (const std::size_t piece : {1UL, 2UL, 7UL, 30UL, packed.size()}) {
    EXPECT_EQ(Unpacked(packed, piece), "one, two, " + wide) << piece;
  }
}

TEST(Gunzip, TellsWhatItCanAsSoonAsItCan) {
  const std::string first = Packed("first");
  const std::string second = Packed("second");
  Gunzip gunzip;
  EXPECT_EQ(gunzip.Feed(first + second.substr(0, 4)), "first");
  EXPECT_FALSE(gunzip.AtBoundary());
  EXPECT_EQ(gunzip.Feed(second.substr(4)), "second");
  EXPECT_TRUE(gunzip.AtBoundary());
}

TEST(Gunzip, WhatIsNoGzipIsAnErrorThatSaysSo) {
  EXPECT_EQ(Gunzip().Feed("plain text").error().Describe(),
            "malformed: invalid gzip stream: incorrect header check");
  std::string spoilt = Packed("some text that is long enough");
  spoilt[spoilt.size() - 6] ^= 1;  // in the checksum
  EXPECT_EQ(Gunzip().Feed(spoilt).error().Describe(),
            "malformed: invalid gzip stream: incorrect data check");
}

}  // namespace
}  // namespace flyball::transport
