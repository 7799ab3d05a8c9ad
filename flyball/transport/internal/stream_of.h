#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>
#include <utility>

#include "flyball/transport/internal/byte_stream.h"

namespace flyball::transport {

/// Any of Asio's streams, on a FencedSocket.
template <typename Stream>
class StreamOf final : public ByteStream {
 public:
  StreamOf(Stream stream, std::shared_ptr<WriteGuard> guard, std::string protocol = {})
      : ByteStream(std::move(guard)), stream_(std::move(stream)), protocol_(std::move(protocol)) {}

  void ReadSome(boost::asio::mutable_buffer into, Done done) override {
    stream_.async_read_some(into, std::move(done));
  }
  [[nodiscard]] bool WriteAll(boost::asio::const_buffer bytes, Done done) override {
    boost::asio::async_write(stream_, bytes, std::move(done));
    return false;
  }
  void Close() override {  // without TLS's farewell, as in TlsStream
    boost::system::error_code ignored;
    if (!MayWrite()) {
      // What waits in the kernel must not leave either: a reset throws it away.
      stream_.lowest_layer().set_option(boost::asio::socket_base::linger(true, 0), ignored);
    }
    stream_.lowest_layer().close(ignored);
  }
  std::string Protocol() const override { return protocol_; }

 private:
  Stream stream_;
  const std::string protocol_;
};

}  // namespace flyball::transport
