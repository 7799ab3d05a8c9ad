#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <memory>
#include <string_view>

/// nghttp2's types in ours, for both ends of a connection.
namespace flyball::transport {

struct Http2SessionFree {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};
using Http2SessionPtr = std::unique_ptr<nghttp2_session, Http2SessionFree>;

/// nghttp2 copies it.
inline nghttp2_nv Http2Field(std::string_view name, std::string_view value) {
  return {const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(name.data())),
          const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(value.data())),
          name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

inline std::string_view Http2View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace flyball::transport
