#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "flyball/base/result.h"
#include "flyball/serving/internal/alarm.h"
#include "flyball/serving/internal/peer.h"
#include "flyball/transport/http.h"
#include "flyball/transport/internal/byte_stream.h"
#include "flyball/transport/internal/deadlines.h"

namespace flyball::serving {

/// A connection whose version of HTTP is known.
struct NegotiatedConnection {
  std::unique_ptr<transport::ByteStream> stream;
  Peer peer;
  std::string received;  ///< read already
  bool http2 = false;
};

/// The start of a client's connection: the TLS handshake, if there is TLS, and finding out which
/// version of HTTP the client speaks. By what TLS has negotiated or, where it has not, by the first
/// bytes: those of HTTP/2 are always the same. On the network thread.
class ConnectionHandshake : public std::enable_shared_from_this<ConnectionHandshake> {
 public:
  /// Called once; never if it is closed before.
  using Done = std::function<void(ConnectionHandshake&, Result<NegotiatedConnection>)>;

  ConnectionHandshake(boost::asio::ip::tcp::socket socket,
                      std::shared_ptr<boost::asio::ssl::context> tls,
                      transport::Deadlines& deadlines, Done done);

  void Start(std::chrono::nanoseconds patience);
  void Close();

 private:
  boost::asio::awaitable<void> Shake();
  void ReadFirstBytes();
  void End(Result<> how, bool http2 = false);

  boost::asio::ip::tcp::socket socket_;
  const std::shared_ptr<boost::asio::ssl::context> tls_;
  Alarm alarm_;
  Done done_;  // null when it is over
  NegotiatedConnection negotiated_;
  char input_[1024];
};

}  // namespace flyball::serving
