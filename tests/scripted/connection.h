#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tests/scripted/server.h"

namespace flyball::scripted {

/// The server's side of a connection, as bytes.
class Socket {
 public:
  using Done = std::function<void(bool ok, std::size_t size)>;
  virtual ~Socket() = default;
  virtual void Read(boost::asio::mutable_buffer into, Done done) = 0;
  virtual void Write(boost::asio::const_buffer bytes, Done done) = 0;
  virtual void Close() = 0;
};

/// A connection in one of the two protocols. On the server's thread only.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::io_context& network, std::unique_ptr<Socket> socket,
             Server::Handler handler, std::function<void()> closed)
      : loop(network),
        closed_callback_(std::move(closed)),
        socket_(std::move(socket)),
        handler_(std::move(handler)) {}
  virtual ~Connection() = default;

  virtual void Open() = 0;
  virtual void SendHead(Request::Stream& stream, int status, const transport::Headers& headers) = 0;
  virtual void SendData(Request::Stream& stream) = 0;  ///< what is in unsent
  virtual void Reset(Request::Stream& stream, std::uint32_t code) = 0;
  virtual void GoAway(std::int32_t last_stream) = 0;

  void Close();
  void CloseWhenWritten();
  void Garbage(std::string bytes);
  void Freeze() { frozen_ = true; }

  boost::asio::io_context& loop;
  int number = 0;
  std::string client;

 protected:
  void ReadMore();
  virtual void Received(std::string_view bytes) = 0;
  /// Writes what is in output_, and calls Written() when that is done.
  void WriteOutput();
  virtual void Written() = 0;
  /// Lets go of all requests, which hold on to this.
  virtual void Forget() {}
  void Handle(std::shared_ptr<Request::Stream> stream) { handler_(Request(std::move(stream))); }

  std::string output_;
  bool writing_ = false;
  bool closed_ = false;
  bool closing_ = false;  ///< when output_ is written
  bool frozen_ = false;

 private:
  // Keeps the server's loop alive, and so goes last: a test may hold a request for longer than the
  // server.
  const std::function<void()> closed_callback_;
  const std::unique_ptr<Socket> socket_;
  const Server::Handler handler_;
  char input_[16 << 10];
};

/// A request of a connection. Its fields are the server's thread's.
class Request::Stream {
 public:
  std::shared_ptr<Connection> connection;
  std::int32_t id = 0;
  std::string method;
  std::string target;
  std::string body;
  transport::Headers headers;
  std::string unsent;
  bool ending = false;  ///< End() was called
  bool head_sent = false;
};

std::shared_ptr<Connection> MakeHttp2(boost::asio::io_context& loop, std::unique_ptr<Socket> socket,
                                      Server::Handler handler, std::function<void()> closed,
                                      std::uint32_t max_streams);
std::shared_ptr<Connection> MakeHttp1(boost::asio::io_context& loop, std::unique_ptr<Socket> socket,
                                      Server::Handler handler, std::function<void()> closed);

}  // namespace flyball::scripted
