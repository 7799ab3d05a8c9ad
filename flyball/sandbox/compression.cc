#include "flyball/sandbox/compression.h"

#include <ranges>

#include "flyball/sandbox/accept.h"
#include "flyball/serving/gzip.h"

namespace flyball::sandbox {
namespace {

constexpr std::size_t kSmall = std::size_t{128} << 10;

bool TakesGzip(const Request& request) {
  return std::ranges::any_of(
      std::views::split(request.Header("accept-encoding"), ','),
      [](auto part) { return TrimBlanks({part.begin(), part.end()}) == "gzip"; });
}

}  // namespace

void CompressFor(const Request& request, Answer& answer) {
  if (answer.body.size() <= kSmall || !TakesGzip(request)) return;
  answer.body = serving::Gzip(answer.body);
  answer.headers.emplace_back("content-encoding", "gzip");
  answer.headers.emplace_back("vary", "Accept-Encoding");
}

}  // namespace flyball::sandbox
