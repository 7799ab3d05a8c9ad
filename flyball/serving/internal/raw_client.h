#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace flyball::serving {

/// A client that sends the bytes it is told to: for what a sane one will not do. Blocks.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
  }

  /// Whether all of it was taken.
  bool Send(std::string_view bytes) {
    boost::system::error_code failed;
    boost::asio::write(socket_, boost::asio::buffer(bytes), failed);
    return !failed;
  }
  /// Says no more, but still listens.
  void SendNoMore() { socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send); }

  /// Exactly so many bytes, or what came before the end.
  std::string Read(std::size_t size) {
    std::string bytes(size, '\0');
    boost::system::error_code failed;
    bytes.resize(boost::asio::read(socket_, boost::asio::buffer(bytes), failed));
    return bytes;
  }
  /// Up to and with this text, or what came before the end. Without dates, which are different
  /// each time.
  std::string ReadUntil(std::string_view text) {
    std::string bytes;
    while (!bytes.ends_with(text)) {
      const std::string more = Read(1);
      if (more.empty()) break;
      bytes += more;
    }
    for (std::size_t at = 0; (at = bytes.find("date: ", at)) != std::string::npos;) {
      bytes.erase(at, bytes.find('\n', at) - at + 1);
    }
    return bytes;
  }
  /// All there is until the server closes.
  std::string ReadAll() { return ReadUntil("\xff\xff never \xff\xff"); }
  void Close() { socket_.close(); }

 private:
  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_{context_};
};

}  // namespace flyball::serving
