#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <string>

namespace flyball::transport {

/// A connection as bytes, with or without TLS and proxies around it. On the network thread only.
/// One read and one write may be under way at once. After Close() both end with an error, soon.
/// Whoever waits keeps this alive, by what it has put into `done`.
class ByteStream {
 public:
  using Done = std::move_only_function<void(boost::system::error_code, std::size_t)>;

  /// Who reads with less room than this may have to come again for what is here already.
  static constexpr std::size_t kMostAtOnce = std::size_t{128} << 10;

  virtual ~ByteStream() = default;
  virtual void ReadSome(boost::asio::mutable_buffer into, Done done) = 0;
  /// Whether all of it went out at once; otherwise the bytes must stay where they are until `done`
  /// is called, later.
  [[nodiscard]] virtual bool WriteAll(boost::asio::const_buffer bytes, Done done) = 0;
  virtual void Close() = 0;
  /// What the server chose in ALPN: "h2", or something else that means HTTP/1.1.
  virtual std::string Protocol() const = 0;
};

}  // namespace flyball::transport
