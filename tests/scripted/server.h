#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/transport/http.h"
#include "tests/scripted/certificates.h"

/// A server that does as a test says, on loopback: for what a healthy one will not do.
namespace flyball::scripted {

/// A request, and what to do about it. Any thread may call it; a copy is the same request.
class Request {
 public:
  class Stream;
  explicit Request(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}

  const std::string& method() const;
  const std::string& target() const;
  const std::string& body() const;
  const transport::Headers& headers() const;
  /// Which connection it came over, counted from 1.
  int connection() const;
  /// The name in the client's certificate, if there was one.
  const std::string& client() const;

  /// A whole answer.
  void Answer(int status, std::string body, transport::Headers headers = {}) const;
  /// Or one by the piece: head, data and the end.
  void Head(int status, transport::Headers headers = {}) const;
  void Data(std::string bytes) const;
  void End() const;
  /// How much of what Data() was given has not gone out, for want of room at the other end.
  std::size_t unsent() const;

  // HTTP/2 only.
  void Reset(std::uint32_t code) const;
  /// Takes no more requests over this connection: those up to this one are still answered, or, if
  /// `before`, only those before it.
  void GoAway(bool before = false) const;

  /// Writes bytes as they are, past all protocol; then closes the connection.
  void Garbage(std::string bytes) const;
  /// Closes the connection, once all that was said before has gone out.
  void Kill() const;
  /// Neither reads nor writes from now on, but stays connected.
  void Freeze() const;

 private:
  std::shared_ptr<Stream> stream_;
};

struct ServerOptions {
  bool tls = true;
  bool http2 = true;  ///< else HTTP/1.1
  std::string names = "DNS:localhost,IP:127.0.0.1";
  std::uint32_t max_streams = 100;
  bool wants_client_certificate = false;
  bool mute = false;  ///< takes connections, and never says a word
};

class Server {
 public:
  /// The handler runs on the server's thread and must not block; it may keep the request.
  using Handler = std::function<void(Request)>;

  Server(Executor& executor, Handler handler, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// "https://127.0.0.1:41234".
  std::string url() const;
  const Authority& authority() const;
  /// How many connections were made, and how many are open.
  int accepted() const;
  int open() const;
  /// Closes all connections.
  void KillAll();

 private:
  class Core;
  Executor& executor_;
  const std::shared_ptr<Core> core_;
};

}  // namespace flyball::scripted
