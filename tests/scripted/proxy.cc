#include "tests/scripted/proxy.h"

#include <openssl/evp.h>

#include <array>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <set>
#include <tuple>
#include <utility>

#include "flyball/base/mutex.h"

namespace flyball::scripted {

namespace asio = boost::asio;
using asio::use_awaitable;
using asio::ip::tcp;
using SharedSocket = std::shared_ptr<tcp::socket>;

namespace {

std::string Base64(const std::string& text) {
  std::string encoded((text.size() + 2) / 3 * 4 + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                  reinterpret_cast<const unsigned char*>(text.data()),
                  static_cast<int>(text.size()));
  encoded.pop_back();  // the zero
  return encoded;
}

}  // namespace

class Proxy::Core : public std::enable_shared_from_this<Core> {
 public:
  explicit Core(ProxyOptions wanted) : options(std::move(wanted)) {}

  void Run() {
    asio::co_spawn(loop_, Accept(), asio::detached);
    loop_.run();
    ended_.set_value();
  }

  void Stop() {
    asio::post(loop_, [self = shared_from_this()] {
      self->acceptor_.close();
      self->CloseAll();
    });
    ended_.get_future().wait();
  }

  void Cut() {
    asio::post(loop_, [self = shared_from_this()] { self->CloseAll(); });
  }

  /// In one step, so that no tunnel passes on what follows a gap.
  void SpitOut() {
    asio::post(loop_, [self = shared_from_this()] {
      if (self->swallows) self->CloseAll();
      self->swallows = false;
    });
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::string target() {
    MutexLock lock(mutex_);
    return target_;
  }

  const ProxyOptions options;
  std::atomic<int> tunnels = 0;
  std::atomic<std::uint64_t> received = 0;
  std::atomic<bool> shut = false;
  std::atomic<bool> swallows = false;

 private:
  void CloseAll() {
    for (const auto& socket : std::exchange(sockets_, {})) {
      boost::system::error_code ignored;
      std::ignore = socket->close(ignored);
    }
  }

  asio::awaitable<void> Accept() {
    for (;;) {
      auto client = Keep(co_await acceptor_.async_accept(use_awaitable));
      if (shut) {
        sockets_.erase(client);
        continue;
      }
      asio::co_spawn(loop_, Serve(client), [client](const std::exception_ptr& failed) {
        // Nobody is there whom it wants to talk to.
        boost::system::error_code ignored;
        if (failed) std::ignore = client->close(ignored);
      });
    }
  }

  SharedSocket Keep(tcp::socket socket) {
    return *sockets_.insert(std::make_shared<tcp::socket>(std::move(socket))).first;
  }

  asio::awaitable<void> Serve(SharedSocket client) {
    std::string where;  // not by ?: with co_await in it, which g++ 12 destroys twice
    if (!options.target.empty()) {
      where = options.target;
    } else if (options.socks) {
      where = co_await SocksRequest(*client);
    } else {
      where = co_await ConnectRequest(*client);
    }
    if (where.empty()) {
      client->close();
      co_return;
    }
    const auto colon = where.rfind(':');
    tcp::resolver resolver(loop_);
    const auto found = co_await resolver.async_resolve(where.substr(0, colon),
                                                       where.substr(colon + 1), use_awaitable);
    auto server = Keep(tcp::socket(loop_));
    co_await asio::async_connect(*server, found, use_awaitable);
    {
      MutexLock lock(mutex_);
      target_ = where;
    }
    ++tunnels;
    // What comes is passed on as it comes.
    client->set_option(tcp::no_delay(true));
    server->set_option(tcp::no_delay(true));
    if (options.target.empty()) {
      const std::string granted = options.socks ? std::string("\x05\x00\x00\x01\0\0\0\0\0\0", 10)
                                                : "HTTP/1.1 200 Connection established\r\n\r\n";
      co_await asio::async_write(*client, asio::buffer(granted), use_awaitable);
    }
    asio::co_spawn(loop_, Copy(client, server, sent_), asio::detached);
    asio::co_spawn(loop_, Copy(server, client, received), asio::detached);
  }

  asio::awaitable<void> Copy(SharedSocket from, SharedSocket to,
                             std::atomic<std::uint64_t>& passed_on) {
    std::array<char, 16 << 10> buffer;
    try {
      for (;;) {
        const std::size_t size =
            co_await from->async_read_some(asio::buffer(buffer), use_awaitable);
        if (swallows) continue;
        passed_on += size;
        co_await asio::async_write(*to, asio::buffer(buffer, size), use_awaitable);
      }
    } catch (const boost::system::system_error&) {
      boost::system::error_code ignored;
      std::ignore = from->close(ignored);
      std::ignore = to->close(ignored);
    }
  }

  /// Where to, or nothing if it was refused.
  asio::awaitable<std::string> ConnectRequest(tcp::socket& client) {
    std::string head;
    co_await asio::async_read_until(client, asio::dynamic_buffer(head), "\r\n\r\n", use_awaitable);
    const std::string login = Base64(options.user + ":" + options.password);
    const bool authorized = options.user.empty() || head.find("Proxy-Authorization: Basic " +
                                                              login + "\r\n") != std::string::npos;
    std::string answer;
    if (!authorized) answer = "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
    if (options.refuses) answer = "HTTP/1.1 403 Forbidden\r\n\r\n";
    if (!answer.empty()) {
      co_await asio::async_write(client, asio::buffer(answer), use_awaitable);
      co_return "";
    }
    const auto start = std::string_view("CONNECT ").size();
    co_return head.substr(start, head.find(' ', start) - start);
  }

  asio::awaitable<std::string> SocksRequest(tcp::socket& client) {
    std::array<std::uint8_t, 2> greeting;
    co_await asio::async_read(client, asio::buffer(greeting), use_awaitable);
    std::string methods(greeting[1], '\0');
    co_await asio::async_read(client, asio::buffer(methods), use_awaitable);
    const std::string chosen =
        options.user.empty() ? std::string("\x05\x00", 2) : std::string("\x05\x02", 2);
    co_await asio::async_write(client, asio::buffer(chosen), use_awaitable);
    if (!options.user.empty()) {
      std::string login(5, '\0');  // version, length, user, length, password: one letter each
      co_await asio::async_read(client, asio::buffer(login), use_awaitable);
      const bool right =
          login == std::string("\x01\x01") + options.user + "\x01" + options.password;
      const std::string verdict = right ? std::string("\x01\x00", 2) : std::string("\x01\x01", 2);
      co_await asio::async_write(client, asio::buffer(verdict), use_awaitable);
      if (!right) co_return "";
    }
    std::array<std::uint8_t, 5> request;
    co_await asio::async_read(client, asio::buffer(request), use_awaitable);
    std::string name(request[4], '\0');
    std::array<std::uint8_t, 2> port;
    co_await asio::async_read(client, asio::buffer(name), use_awaitable);
    co_await asio::async_read(client, asio::buffer(port), use_awaitable);
    if (options.refuses) {
      const std::string refused("\x05\x02\x00\x01\0\0\0\0\0\0", 10);
      co_await asio::async_write(client, asio::buffer(refused), use_awaitable);
      co_return "";
    }
    co_return name + ":" + std::to_string(port[0] * 256 + port[1]);
  }

  std::atomic<std::uint64_t> sent_ = 0;
  asio::io_context loop_{1};
  tcp::acceptor acceptor_{loop_, {asio::ip::address_v4::loopback(), 0}};
  std::set<SharedSocket> sockets_;
  std::promise<void> ended_;
  Mutex mutex_;
  std::string target_ FLYBALL_GUARDED_BY(mutex_);
};

Proxy::Proxy(Executor& executor, ProxyOptions options)
    : core_(std::make_shared<Core>(std::move(options))) {
  executor.Start("scripted/proxy", [core = core_] { core->Run(); });
}

Proxy::~Proxy() { core_->Stop(); }

std::string Proxy::url() const {
  const auto& options = core_->options;
  const std::string user = options.user.empty() ? "" : options.user + ":" + options.password + "@";
  return (options.socks ? "socks5://" : "http://") + user + address();
}
std::string Proxy::address() const { return "127.0.0.1:" + std::to_string(core_->port()); }
int Proxy::tunnels() const { return core_->tunnels; }
std::string Proxy::target() const { return core_->target(); }
std::uint64_t Proxy::received() const { return core_->received; }

void Proxy::Cut() { core_->Cut(); }
void Proxy::Shut() {
  core_->shut = true;
  core_->Cut();
}
void Proxy::Swallow() { core_->swallows = true; }
void Proxy::Open() {
  core_->shut = false;
  core_->SpitOut();
}

}  // namespace flyball::scripted
