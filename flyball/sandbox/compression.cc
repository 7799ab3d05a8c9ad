#include "flyball/sandbox/compression.h"

#include <zlib.h>

#include <ranges>

#include "flyball/base/check.h"
#include "flyball/sandbox/accept.h"

namespace flyball::sandbox {
namespace {

constexpr std::size_t kSmall = std::size_t{128} << 10;
constexpr int kWindowBits = 15;
constexpr int kWithGzipHead = 16;  // added to the above
constexpr int kMemoryLevel = 8;    // zlib's default

bool TakesGzip(const Request& request) {
  return std::ranges::any_of(
      std::views::split(request.Header("accept-encoding"), ','),
      [](auto part) { return TrimBlanks({part.begin(), part.end()}) == "gzip"; });
}

}  // namespace

std::string Gzip(std::string_view text) {
  z_stream stream = {};
  int state = deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kWindowBits + kWithGzipHead,
                           kMemoryLevel, Z_DEFAULT_STRATEGY);
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

void CompressFor(const Request& request, Answer& answer) {
  if (answer.body.size() <= kSmall || !TakesGzip(request)) return;
  answer.body = Gzip(answer.body);
  answer.headers.emplace_back("content-encoding", "gzip");
  answer.headers.emplace_back("vary", "Accept-Encoding");
}

}  // namespace flyball::sandbox
