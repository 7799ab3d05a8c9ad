#include "flyball/serving/http_server.h"

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <unordered_set>
#include <utility>

#include "flyball/base/mutex.h"
#include "flyball/serving/internal/connection_handshake.h"
#include "flyball/serving/internal/server_tls.h"
#include "flyball/serving/internal/session.h"
#include "flyball/transport/internal/network_loop.h"

namespace flyball::serving {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// On the network thread, but for what says otherwise.
class HttpServer::Core : public std::enable_shared_from_this<Core> {
 public:
  using TlsContext = std::shared_ptr<asio::ssl::context>;

  Core(transport::Network& network, transport::Transport& answers, Options options, Logger log)
      : loop_(network.loop()),
        clock_(network.executor().clock()),
        options_(std::move(options)),
        deps_{loop_->context,
              loop_->deadlines,
              answers,
              std::make_shared<ResponseNotifier>(loop_->context),
              std::make_shared<DateText>(clock_),
              options_.limits,
              std::move(log)},
        acceptor_(loop_->context),
        retry_(loop_->deadlines) {}

  /// Before anything else, on any thread.
  Result<> Bind(TlsContext tls) {
    tls_ = std::move(tls);
    error_code failed;
    const auto address = asio::ip::make_address(options_.address, failed);
    if (failed) return Fail(ErrorCode::kInvalid, "invalid IP address '" + options_.address + "'");
    const tcp::endpoint where(address, options_.port);
    failed = acceptor_.open(where.protocol(), failed);
    if (!failed) failed = acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed && options_.share_port) {
      using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;
      failed = acceptor_.set_option(ReusePort(true), failed);
    }
    // All addresses are those of both families, however the machine is set up.
    if (!failed && address.is_v6() && address.is_unspecified()) {
      failed = acceptor_.set_option(asio::ip::v6_only(false), failed);
    }
    if (!failed) failed = acceptor_.bind(where, failed);
    if (!failed) {
      failed = acceptor_.listen(asio::socket_base::max_listen_connections, failed);
    }
    if (!failed) port_ = acceptor_.local_endpoint(failed).port();
    if (!failed) return {};
    return Fail(ErrorCode::kIo, "failed to listen on " + options_.address + ":" +
                                    std::to_string(options_.port) + ": " + failed.message());
  }

  void Start() {
    asio::post(loop_->context, [self = shared_from_this()] { self->Accept(); });
  }

  void UseTls(TlsContext tls) {
    asio::post(loop_->context,
               [self = shared_from_this(), tls = std::move(tls)] { self->tls_ = tls; });
  }

  /// Any thread but the network's.
  void StopAndWait(std::chrono::nanoseconds grace) {
    asio::post(loop_->context, [self = shared_from_this(), grace] { self->Stop(grace); });
    MutexLock lock(mutex_);
    clock_.Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return stopped_; });
  }

  // Any thread.
  std::uint16_t port() const { return port_; }
  std::size_t connections() const { return connections_; }
  const Options& options() const { return options_; }

 private:
  void Accept() {
    if (stopping_ || accepting_ || Count() >= options_.limits.connections) return;
    accepting_ = true;
    acceptor_.async_accept([self = shared_from_this()](error_code failed, tcp::socket socket) {
      self->accepting_ = false;
      if (self->stopping_) return;
      if (failed) return self->AcceptLater(failed);
      self->Meet(std::move(socket));
      self->Accept();
    });
  }

  /// There may be no more file descriptors; some may be given back soon.
  void AcceptLater(const error_code& why) {
    constexpr std::chrono::milliseconds kPause(100);
    deps_.log.Error("Accept error, retrying", {{"err", why.message()}, {"delay", kPause}});
    retry_.Set(kPause, [this] { Accept(); });
  }

  void Meet(tcp::socket socket) {
    const auto handshake = std::make_shared<ConnectionHandshake>(
        std::move(socket), tls_, loop_->deadlines,
        [weak = weak_from_this()](ConnectionHandshake& done, Result<NegotiatedConnection> how) {
          if (const auto self = weak.lock()) self->Negotiated(done, std::move(how));
        });
    handshakes_.insert(handshake);
    CountAgain();
    handshake->Start(options_.limits.handshake);
  }

  void Negotiated(ConnectionHandshake& handshake, Result<NegotiatedConnection> how) {
    handshakes_.erase(handshake.shared_from_this());
    if (!how) {
      deps_.log.V(4).Info(tls_ ? "TLS handshake error" : "HTTP handshake error",
                          {{"err", how.error()}});
      CountAgain();
      return Accept();
    }
    const auto make = how->http2 && options_.http2 ? MakeHttp2Session : MakeHttp1Session;
    const auto session = make(deps_, std::move(how->stream), std::move(how->peer),
                              [weak = weak_from_this()](Session& closed) {
                                if (const auto self = weak.lock()) self->Closed(closed);
                              });
    sessions_.insert(session);
    CountAgain();
    session->Open(std::move(how->received));
  }

  void Closed(Session& session) {
    sessions_.erase(session.shared_from_this());
    CountAgain();
    if (stopping_ && sessions_.empty()) return SayStopped();
    Accept();
  }

  void Stop(std::chrono::nanoseconds grace) {
    if (!std::exchange(stopping_, true)) {
      error_code ignored;
      std::ignore = acceptor_.close(ignored);
      retry_.Clear();
      for (const auto& handshake : std::exchange(handshakes_, {})) handshake->Close();
      for (const auto& session : std::unordered_set(sessions_)) session->Drain();
    }
    if (sessions_.empty()) return SayStopped();
    if (grace.count() <= 0) return Cut();
    retry_.Set(grace, [this] { Cut(); });
  }

  void Cut() {
    for (const auto& session : std::unordered_set(sessions_)) session->Close();
  }

  void SayStopped() {
    retry_.Clear();
    CountAgain();
    deps_.notifier->Close();
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }

  std::size_t Count() const { return handshakes_.size() + sessions_.size(); }
  void CountAgain() { connections_ = Count(); }

  const std::shared_ptr<transport::NetworkLoop> loop_;
  Clock& clock_;
  const Options options_;
  const SessionDeps deps_;
  std::uint16_t port_ = 0;
  TlsContext tls_;  // null: plain text
  tcp::acceptor acceptor_;
  Alarm retry_;  // to accept again; later, the end of the grace
  std::unordered_set<std::shared_ptr<ConnectionHandshake>> handshakes_;
  std::unordered_set<std::shared_ptr<Session>> sessions_;
  bool accepting_ = false;
  bool stopping_ = false;
  std::atomic<std::size_t> connections_ = 0;

  Mutex mutex_;
  CondVar changed_;
  bool stopped_ FLYBALL_GUARDED_BY(mutex_) = false;
};

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(transport::Network& network,
                                                       transport::Transport& answers,
                                                       Options options, Logger log) {
  Core::TlsContext tls;
  if (options.tls) {
    FLYBALL_TRY(tls, MakeServerTlsContext(*options.tls, options.http2));
  }
  auto core = std::make_shared<Core>(network, answers, std::move(options), std::move(log));
  FLYBALL_TRY(core->Bind(std::move(tls)));
  core->Start();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

HttpServer::HttpServer(std::shared_ptr<Core> core) : core_(std::move(core)) {}

HttpServer::~HttpServer() { Stop(); }

std::uint16_t HttpServer::port() const { return core_->port(); }

std::string HttpServer::url() const {
  const std::string& address = core_->options().address;
  const bool ipv6 = address.contains(':');
  return std::string(core_->options().tls ? "https://" : "http://") +
         (ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(port());
}

std::size_t HttpServer::connections() const { return core_->connections(); }

Result<> HttpServer::UseTls(const TlsOptions& options) {
  if (!core_->options().tls) return Fail(ErrorCode::kInvalid, "the server has no TLS");
  FLYBALL_TRY(auto context, MakeServerTlsContext(options, core_->options().http2));
  core_->UseTls(std::move(context));
  return {};
}

void HttpServer::Stop(std::chrono::nanoseconds grace) { core_->StopAndWait(grace); }

}  // namespace flyball::serving
