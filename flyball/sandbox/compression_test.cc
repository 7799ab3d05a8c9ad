#include "flyball/sandbox/compression.h"

#include <zlib.h>

#include "flyball/sandbox/internal/raw_server.h"
#include "flyball/serving/gzip.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using transport::FindHeader;

std::string Unpacked(const std::string& bytes, std::size_t size) {
  std::string text(size, '\0');
  z_stream stream = {};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(Compression, WhatWasPackedCanBeUnpacked) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(1'000'000, 'x')}) {
    EXPECT_EQ(Unpacked(serving::Gzip(text), text.size() + 1), text);
  }
}

TEST(Compression, LargeAnswersArePackedForThoseWhoTakeThem) {
  RawServer server;
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  for (const auto& [name, size] : {std::pair("small", 1000), std::pair("large", 200'000)}) {
    const auto made = server.Send("POST", maps,
                                  R"({"metadata":{"name":")" + std::string(name) +
                                      R"("},"data":{"a":")" + std::string(size, 'x') + R"("}})");
    ASSERT_EQ(made.status, 201);
  }
  const auto get = [&](const std::string& target, std::string encodings) {
    return server.Send("GET", target, {}, {{"accept-encoding", std::move(encodings)}});
  };
  for (const std::string& target : {maps, maps + "/large"}) {
    const auto plain = get(target, "br, deflate");
    EXPECT_EQ(FindHeader(plain.headers, "content-encoding"), "");
    const auto packed = get(target, "deflate, gzip");
    EXPECT_EQ(FindHeader(packed.headers, "content-encoding"), "gzip");
    EXPECT_EQ(FindHeader(packed.headers, "content-length"), std::to_string(packed.body.size()));
    EXPECT_LT(packed.body.size(), 10'000);
    EXPECT_EQ(Unpacked(packed.body, 1'000'000), plain.body);
  }
  EXPECT_EQ(FindHeader(get(maps + "/small", "gzip").headers, "content-encoding"), "");
}

}  // namespace
}  // namespace flyball::sandbox
