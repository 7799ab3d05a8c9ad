#include "flyball/serving/gzip.h"

#include <zlib.h>

#include "flyball/base/check.h"

namespace flyball::serving {
namespace {

constexpr int kWindowBits = 15;
constexpr int kWithGzipHead = 16;  // added to the above
constexpr int kMemoryLevel = 8;    // zlib's default

}  // namespace

std::string Gzip(std::string_view text, int level) {
  z_stream stream = {};
  int state = deflateInit2(&stream, level, Z_DEFLATED, kWindowBits + kWithGzipHead, kMemoryLevel,
                           Z_DEFAULT_STRATEGY);
  FLYBALL_CHECK(state == Z_OK, "zlib");
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  state = deflate(&stream, Z_FINISH);
  FLYBALL_CHECK(state == Z_STREAM_END, "zlib");
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

}  // namespace flyball::serving
