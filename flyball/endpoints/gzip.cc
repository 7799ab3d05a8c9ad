#include "flyball/endpoints/gzip.h"

#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>
#include <cstdint>
#include <ranges>

#include "flyball/base/check.h"

namespace flyball::endpoints {
namespace {

namespace zlib = boost::beast::zlib;

/// RFC 1952: that it is gzip with deflate, of no time, from Unix.
constexpr std::string_view kHead("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10);
/// Quick: metrics are read over local networks, and much alike from line to line.
constexpr int kLevel = 3;
constexpr int kWindowBits = 15;
constexpr int kMemoryLevel = 8;

void AppendLittleEndian(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift);
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool AcceptsGzip(const transport::Headers& headers) {
  const std::string_view accepted = transport::FindHeader(headers, "accept-encoding");
  for (const auto part : std::views::split(accepted, ',')) {
    const std::string_view choice(part.begin(), part.end());
    const std::size_t end = choice.find(';');
    if (Trimmed(choice.substr(0, end)) != "gzip") continue;
    const std::string_view weight =
        end == std::string_view::npos ? "" : Trimmed(choice.substr(end + 1));
    return weight.find_first_not_of("q=0.") != std::string_view::npos || weight.empty();
  }
  return false;
}

std::string Gzip(std::string_view text) {
  zlib::deflate_stream stream;
  stream.reset(kLevel, kWindowBits, kMemoryLevel, zlib::Strategy::normal);
  std::string out(kHead);
  out.resize(kHead.size() + stream.upper_bound(text.size()));
  zlib::z_params params;
  params.next_in = text.data();
  params.avail_in = text.size();
  params.next_out = out.data() + kHead.size();
  params.avail_out = out.size() - kHead.size();
  boost::system::error_code failed;
  stream.write(params, zlib::Flush::finish, failed);
  FLYBALL_CHECK(failed == zlib::error::end_of_stream, "deflate did not come to its end");
  out.resize(kHead.size() + params.total_out);
  boost::crc_32_type checksum;
  checksum.process_bytes(text.data(), text.size());
  AppendLittleEndian(out, checksum.checksum());
  AppendLittleEndian(out, static_cast<std::uint32_t>(text.size()));
  return out;
}

}  // namespace flyball::endpoints
