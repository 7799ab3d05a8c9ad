#pragma once

#include <openssl/ssl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/free_with.h"
#include "flyball/transport/internal/byte_stream.h"

namespace flyball::transport {

/// TLS straight on a socket, in as few turns of the network thread and system calls as can be: it
/// receives as much as there is and decrypts all of that for one call of `done`, and sends at once
/// unless the socket is full. (Asio's stream receives a record at a time, and takes a turn for each
/// step.)
///
/// OpenSSL reads from `received_` and writes to `outgoing_`. Only this class touches the socket.
class TlsStream final : public ByteStream {
 public:
  TlsStream(boost::asio::ip::tcp::socket socket, std::shared_ptr<WriteGuard> guard,
            boost::asio::ssl::context& context);

  SSL* native_handle() const { return ssl_.get(); }
  /// First of all, once. Who waits for it keeps this alive.
  boost::asio::awaitable<boost::system::error_code> Handshake();

  void ReadSome(boost::asio::mutable_buffer into, Done done) override;
  [[nodiscard]] bool WriteAll(boost::asio::const_buffer bytes, Done done) override;
  void SayGoodbye() override;
  void Close() override;
  std::string Protocol() const override;

 private:
  class Channel;

  void Receive(boost::asio::mutable_buffer into, Done done);
  std::size_t Decrypt(boost::asio::mutable_buffer into);
  boost::system::error_code Send();
  void GoOnWriting();
  void AwaitRoom();
  void EndLater(Done done, boost::system::error_code how, std::size_t size = 0);

  boost::asio::ip::tcp::socket socket_;
  const std::unique_ptr<SSL, FreeWith<SSL_free>> ssl_;

  std::vector<char> input_;
  std::string_view received_;          // the part of `input_` that OpenSSL has not read yet
  bool more_ = true;                   // there may be something to decrypt
  boost::system::error_code no_more_;  // why nothing comes any more

  std::string outgoing_;                   // encrypted
  std::size_t sent_ = 0;                   // of `outgoing_`
  boost::asio::const_buffer unencrypted_;  // of what is to be written
  Done written_;                           // of a write under way
  bool waiting_ = false;                   // it is the socket that it waits for
};

}  // namespace flyball::transport
