#include "flyball/transport/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>

#include "flyball/base/check.h"

namespace flyball::transport {
namespace {

constexpr int kWindowBits = 15;
constexpr int kGzip = 16;  // added to the above: that and nothing else

}  // namespace

void Gunzip::End::operator()(z_stream_s* state) const {
  inflateEnd(state);
  delete state;
}

Gunzip::Gunzip() = default;
Gunzip::Gunzip(Gunzip&&) noexcept = default;
Gunzip& Gunzip::operator=(Gunzip&&) noexcept = default;
Gunzip::~Gunzip() = default;

Result<std::string> Gunzip::Feed(std::string_view packed) {
  std::string text;
  std::size_t filled = 0;
  while (!packed.empty()) {
    if (!state_) {
      auto fresh = std::make_unique<z_stream_s>();
      FLYBALL_CHECK(inflateInit2(fresh.get(), kWindowBits + kGzip) == Z_OK, "zlib");
      state_.reset(fresh.release());
    }
    state_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    state_->avail_in = static_cast<uInt>(packed.size());
    int status = Z_OK;
    // What is left of the input may be nothing, and what it stands for still have no room.
    do {
      text.resize(std::max(filled + packed.size() * 4, text.size()));
      state_->next_out = reinterpret_cast<Bytef*>(text.data() + filled);
      state_->avail_out = static_cast<uInt>(text.size() - filled);
      status = inflate(state_.get(), Z_NO_FLUSH);
      filled = text.size() - state_->avail_out;
    } while (status == Z_OK && state_->avail_out == 0);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      const std::string why = state_->msg == nullptr ? "no gzip" : state_->msg;
      return Fail(ErrorCode::kMalformed, "invalid gzip stream: " + why);
    }
    packed.remove_prefix(packed.size() - state_->avail_in);
    if (status == Z_STREAM_END) state_.reset();
  }
  text.resize(filled);
  return text;
}

}  // namespace flyball::transport
