#include "flyball/transport/internal/dial.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "flyball/transport/internal/proxy.h"
#include "flyball/transport/internal/socket_options.h"
#include "flyball/transport/internal/stream_of.h"
#include "flyball/transport/internal/tls_context.h"
#include "flyball/transport/internal/tls_stream.h"

namespace flyball::transport {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::use_awaitable;
using asio::ip::tcp;
// Through proxies that are spoken to in TLS, which are rare.
using ProxyStream = ssl::stream<FencedSocket>;
using TlsInTlsStream = ssl::stream<ProxyStream>;

template <typename Next>
asio::awaitable<boost::system::error_code> Shake(ssl::stream<Next>& stream) {
  boost::system::error_code failed;
  co_await stream.async_handshake(ssl::stream_base::client,
                                  asio::redirect_error(use_awaitable, failed));
  co_return failed;
}

asio::awaitable<boost::system::error_code> Shake(TlsStream& stream) { return stream.Handshake(); }

/// One attempt to connect, kept alive by the coroutine that makes it.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(asio::io_context& network, DialOptions options)
      : options_(std::move(options)), resolver_(network), socket_(network), timer_(network) {}

  void Start(Dialed done) {
    timer_.expires_after(options_.timeout);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code aborted) {
      if (!aborted) self->GiveUp(true);
    });
    asio::co_spawn(
        socket_.get_executor(), [self = shared_from_this()] { return self->Run(); },
        [self = shared_from_this(), done = std::move(done)](
            const std::exception_ptr& thrown, Result<std::unique_ptr<ByteStream>> stream) mutable {
          self->timer_.cancel();
          self->over_ = true;
          if (thrown) stream = std::unexpected(self->Describe(thrown));
          done(std::move(stream));
        });
  }

  void GiveUp(bool timed_out) {
    if (over_) return;
    gave_up_ = true;
    timed_out_ = timed_out;
    timer_.cancel();
    resolver_.cancel();
    boost::system::error_code ignored;
    if (tls_) tls_->Close();
    if (proxy_) std::ignore = proxy_->lowest_layer().close(ignored);
    if (tls_in_tls_) std::ignore = tls_in_tls_->lowest_layer().close(ignored);
    std::ignore = socket_.close(ignored);
  }

 private:
  using Stream = Result<std::unique_ptr<ByteStream>>;

  asio::awaitable<Stream> Run() {
    const Url& first = options_.proxy ? *options_.proxy : options_.server;
    const bool secret = options_.server.scheme == "https";
    co_await Connect(first);
    if (!options_.proxy) {
      if (!secret) co_return Plain();
      co_return co_await Secure();
    }
    if (first.scheme == "https") co_return co_await SecureTwice();
    step_ = "proxy " + first.Authority();
    Result<> tunnel;  // not by ?: with co_await in it, which g++ 12 destroys twice
    if (first.scheme == "http") {
      tunnel = co_await OpenHttpTunnel(socket_, first, options_.server);
    } else {
      tunnel = co_await OpenSocksTunnel(socket_, first, options_.server);
    }
    if (!tunnel) co_return std::unexpected(tunnel.error());
    if (!secret) co_return Plain();
    co_return co_await Secure();
  }

  asio::awaitable<void> Connect(const Url& where) {
    step_ = "resolve " + where.host;
    const auto found =
        co_await resolver_.async_resolve(where.host, std::to_string(where.port), use_awaitable);
    step_ = "connect to " + where.Authority();
    if (gave_up_) throw boost::system::system_error(asio::error::operation_aborted);
    co_await asio::async_connect(socket_, found, use_awaitable);
    PrepareSocket(socket_);
  }

  FencedSocket Fenced() { return {std::move(socket_), guard_}; }

  Stream Plain() { return std::make_unique<StreamOf<FencedSocket>>(Fenced(), guard_); }

  asio::awaitable<Stream> Secure() {
    auto context = MakeTlsContext(options_.tls);
    if (!context) co_return std::unexpected(context.error());
    tls_ = std::make_unique<TlsStream>(std::move(socket_), guard_, *context);
    const auto shaken = co_await Handshake(*tls_, options_.server, options_.tls);
    if (!shaken) co_return std::unexpected(shaken.error());
    co_return std::move(tls_);
  }

  /// Through a proxy that is itself spoken to in TLS, and trusted as the system trusts.
  asio::awaitable<Stream> SecureTwice() {
    const TlsOptions proxy_tls;
    auto outer = MakeTlsContext(proxy_tls);
    if (!outer) co_return std::unexpected(outer.error());
    SSL_CTX_set_alpn_protos(outer->native_handle(), nullptr, 0);
    proxy_.emplace(Fenced(), *outer);
    const auto shaken = co_await Handshake(*proxy_, *options_.proxy, proxy_tls);
    if (!shaken) co_return std::unexpected(shaken.error());
    step_ = "proxy " + options_.proxy->Authority();
    const auto tunnel = co_await OpenHttpTunnel(*proxy_, *options_.proxy, options_.server);
    if (!tunnel) co_return std::unexpected(tunnel.error());
    if (options_.server.scheme != "https") {
      co_return std::make_unique<StreamOf<ProxyStream>>(std::move(*proxy_), guard_);
    }
    auto inner = MakeTlsContext(options_.tls);
    if (!inner) co_return std::unexpected(inner.error());
    tls_in_tls_.emplace(std::move(*proxy_), *inner);
    proxy_.reset();
    const auto shaken_again = co_await Handshake(*tls_in_tls_, options_.server, options_.tls);
    if (!shaken_again) co_return std::unexpected(shaken_again.error());
    co_return std::make_unique<StreamOf<TlsInTlsStream>>(
        std::move(*tls_in_tls_), guard_, NegotiatedProtocol(tls_in_tls_->native_handle()));
  }

  template <typename SecureStream>
  asio::awaitable<Result<>> Handshake(SecureStream& stream, const Url& with,
                                      const TlsOptions& tls) {
    step_ = "TLS handshake with " + with.Authority();
    const std::string& name = tls.server_name.empty() ? with.host : tls.server_name;
    if (auto named = SetServerName(stream.native_handle(), name, !tls.skip_server_check); !named) {
      co_return named;
    }
    const boost::system::error_code failed = co_await Shake(stream);
    if (!failed) co_return Result<>();
    if (gave_up_) throw boost::system::system_error(failed);
    co_return std::unexpected(
        DescribeTlsFailure(stream.native_handle(), failed).Wrap(with.Authority()));
  }

  Error Describe(const std::exception_ptr& thrown) const {
    if (timed_out_) return {ErrorCode::kUnavailable, step_ + ": timed out"};
    if (gave_up_) return {ErrorCode::kCancelled, step_ + ": cancelled"};
    try {
      std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& error) {
      return {ErrorCode::kUnavailable, step_ + ": " + error.code().message()};
    } catch (const std::exception& error) {
      return {ErrorCode::kUnavailable, step_ + ": " + error.what()};
    }
  }

  const DialOptions options_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  const std::shared_ptr<WriteGuard> guard_ = std::make_shared<WriteGuard>();
  std::unique_ptr<TlsStream> tls_;
  std::optional<ProxyStream> proxy_;
  std::optional<TlsInTlsStream> tls_in_tls_;
  std::string step_ = "connect";  // what is being tried, for the error
  bool gave_up_ = false;
  bool timed_out_ = false;
  bool over_ = false;
};

}  // namespace

std::function<void()> Dial(asio::io_context& network, DialOptions options, Dialed done) {
  auto attempt = std::make_shared<Attempt>(network, std::move(options));
  attempt->Start(std::move(done));
  return [weak = std::weak_ptr(attempt)] {
    if (const auto alive = weak.lock()) alive->GiveUp(false);
  };
}

}  // namespace flyball::transport
