#pragma once

#include <boost/asio/append.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

namespace flyball::transport {

/// Asked right before bytes are given to the kernel; empty: they always may be.
using WriteGuard = std::function<bool()>;

/// A TCP socket as asio's streams want it, that asks a guard before each system call that sends.
/// (A plain one asks nobody: when it was full, the reactor sends as soon as there is room.) A write
/// that the guard forbids ends with operation_aborted.
class FencedSocket {
 public:
  using Tcp = boost::asio::ip::tcp::socket;
  using executor_type = Tcp::executor_type;
  using lowest_layer_type = Tcp::lowest_layer_type;

  /// The guard is looked up at each write, so that it can be changed for the next.
  FencedSocket(Tcp socket, std::shared_ptr<const WriteGuard> guard)
      : socket_(std::move(socket)), guard_(std::move(guard)) {
    boost::system::error_code ignored;
    std::ignore = socket_.non_blocking(true, ignored);  // so that Send() says when there is no room
  }

  executor_type get_executor() { return socket_.get_executor(); }
  lowest_layer_type& lowest_layer() { return socket_.lowest_layer(); }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return socket_.async_read_some(buffers, std::forward<Token>(token));
  }

  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_compose<Token, void(boost::system::error_code, std::size_t)>(
        Write<Buffers>{*this, buffers}, token, socket_);
  }

 private:
  template <typename Buffers>
  struct Write {
    FencedSocket& to;
    Buffers buffers;

    /// Called at first, and whenever there may be room again.
    template <typename Self>
    void operator()(Self& self, boost::system::error_code failed = {}) {
      std::size_t size = 0;
      if (!failed) size = to.Send(buffers, failed);
      if (failed == boost::asio::error::would_block) {
        return to.socket_.async_wait(Tcp::wait_write, std::move(self));
      }
      const auto executor = to.get_executor();
      boost::asio::post(executor, boost::asio::append(std::move(self), failed, size));
    }

    template <typename Self>
    void operator()(Self& self, boost::system::error_code how, std::size_t size) {
      self.complete(how, size);
    }
  };

  template <typename Buffers>
  std::size_t Send(const Buffers& buffers, boost::system::error_code& failed) {
    if (*guard_ && !(*guard_)()) {
      failed = boost::asio::error::operation_aborted;
      return 0;
    }
    return socket_.write_some(buffers, failed);
  }

  Tcp socket_;
  std::shared_ptr<const WriteGuard> guard_;
};

}  // namespace flyball::transport
