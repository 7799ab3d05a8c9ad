#include "tests/scripted/server.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <tuple>
#include <utility>

#include "tests/scripted/connection.h"

namespace flyball::scripted {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using TlsStream = ssl::stream<tcp::socket>;

template <typename Stream>
class SocketOf final : public Socket {
 public:
  explicit SocketOf(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}

  void Read(asio::mutable_buffer into, Done done) override {
    stream_->async_read_some(
        into, [stream = stream_, done = std::move(done)](auto error, auto n) { done(!error, n); });
  }
  void Write(asio::const_buffer bytes, Done done) override {
    asio::async_write(
        *stream_, bytes,
        [stream = stream_, done = std::move(done)](auto error, auto n) { done(!error, n); });
  }
  void Close() override {
    boost::system::error_code ignored;
    stream_->lowest_layer().close(ignored);
  }

 private:
  const std::shared_ptr<Stream> stream_;
};

std::string PeerName(SSL* native) {
  X509* const peer = SSL_get1_peer_certificate(native);
  if (peer == nullptr) return "";
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName, name, sizeof(name));
  X509_free(peer);
  return name;
}

int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned offered_size, void* wanted) {
  const auto& name = *static_cast<const std::string*>(wanted);
  for (unsigned i = 0; i < offered_size; i += 1U + offered[i]) {
    if (std::string_view(reinterpret_cast<const char*>(offered + i + 1), offered[i]) != name) {
      continue;
    }
    *out = offered + i + 1;
    *out_size = offered[i];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

class Server::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(Handler handler, ServerOptions wanted)
      : options(std::move(wanted)), handler_(std::move(handler)) {
    const Identity identity = authority.Issue("server", options.names);
    tls_.use_certificate_chain(asio::buffer(identity.certificate));
    tls_.use_private_key(asio::buffer(identity.key), ssl::context::pem);
    tls_.add_certificate_authority(asio::buffer(authority.certificate()));
    if (options.wants_client_certificate) tls_.set_verify_mode(ssl::verify_peer);
    SSL_CTX_set_alpn_select_cb(tls_.native_handle(), ChooseProtocol, &protocol_);
  }

  void Run() {
    Accept();
    loop.run();
    ended_.set_value();
  }

  void Stop() {
    asio::post(loop, [self = shared_from_this()] {
      self->acceptor_.close();
      self->KillAllHere();
      self->guard_.reset();
    });
    ended_.get_future().wait();
  }

  void KillAll() {
    asio::post(loop, [self = shared_from_this()] { self->KillAllHere(); });
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  const ServerOptions options;
  const Authority authority;
  asio::io_context loop{1};
  std::atomic<int> accepted = 0;
  std::atomic<int> open = 0;

 private:
  void KillAllHere() {
    for (const auto& weak : std::exchange(connections_, {})) {
      if (const auto connection = weak.lock()) connection->Close();
    }
  }

  void Accept() {
    acceptor_.async_accept([self = shared_from_this()](auto error, tcp::socket socket) {
      if (error) return;
      self->Begin(std::move(socket));
      self->Accept();
    });
  }

  void Begin(tcp::socket socket) {
    const int number = ++accepted;
    ++open;
    boost::system::error_code ignored;
    std::ignore = socket.set_option(tcp::no_delay(true), ignored);
    if (options.mute) return mute_.push_back(std::move(socket));
    if (!options.tls) {
      auto plain = std::make_shared<tcp::socket>(std::move(socket));
      return Serve(std::make_unique<SocketOf<tcp::socket>>(std::move(plain)), number, "");
    }
    auto stream = std::make_shared<TlsStream>(std::move(socket), tls_);
    stream->async_handshake(ssl::stream_base::server,
                            [self = shared_from_this(), stream, number](auto failed) {
                              if (failed) {
                                --self->open;
                                return;
                              }
                              self->Serve(std::make_unique<SocketOf<TlsStream>>(stream), number,
                                          PeerName(stream->native_handle()));
                            });
  }

  void Serve(std::unique_ptr<Socket> socket, int number, std::string client) {
    const auto closed = [self = shared_from_this()] { --self->open; };
    const auto connection =
        options.http2 ? MakeHttp2(loop, std::move(socket), handler_, closed, options.max_streams)
                      : MakeHttp1(loop, std::move(socket), handler_, closed);
    connection->number = number;
    connection->client = std::move(client);
    connections_.push_back(connection);
    connection->Open();
  }

  const Handler handler_;
  std::string protocol_ = options.http2 ? "h2" : "http/1.1";
  ssl::context tls_{ssl::context::tls_server};
  tcp::acceptor acceptor_{loop, {asio::ip::address_v4::loopback(), 0}};
  asio::executor_work_guard<asio::io_context::executor_type> guard_{loop.get_executor()};
  std::vector<std::weak_ptr<Connection>> connections_;
  std::vector<tcp::socket> mute_;
  std::promise<void> ended_;
};

Server::Server(Executor& executor, Handler handler, ServerOptions options)
    : executor_(executor), core_(std::make_shared<Core>(std::move(handler), std::move(options))) {
  executor_.Start("scripted/server", [core = core_] { core->Run(); });
}

Server::~Server() { core_->Stop(); }

std::uint16_t Server::port() const { return core_->port(); }
std::string Server::url() const {
  return (core_->options.tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port());
}
const Authority& Server::authority() const { return core_->authority; }
int Server::accepted() const { return core_->accepted; }
int Server::open() const { return core_->open; }
void Server::KillAll() { core_->KillAll(); }

const std::string& Request::method() const { return stream_->method; }
const std::string& Request::target() const { return stream_->target; }
const std::string& Request::body() const { return stream_->body; }
const transport::Headers& Request::headers() const { return stream_->headers; }
int Request::connection() const { return stream_->connection->number; }
const std::string& Request::client() const { return stream_->connection->client; }

void Request::Answer(int status, std::string body, transport::Headers headers) const {
  headers.emplace_back("content-length", std::to_string(body.size()));
  Head(status, std::move(headers));
  Data(std::move(body));
  End();
}

void Request::Head(int status, transport::Headers headers) const {
  asio::post(stream_->connection->loop, [stream = stream_, status, headers = std::move(headers)] {
    stream->connection->SendHead(*stream, status, headers);
  });
}

void Request::Data(std::string bytes) const {
  asio::post(stream_->connection->loop, [stream = stream_, bytes = std::move(bytes)] {
    stream->unsent += bytes;
    stream->connection->SendData(*stream);
  });
}

void Request::End() const {
  asio::post(stream_->connection->loop, [stream = stream_] {
    stream->ending = true;
    stream->connection->SendData(*stream);
  });
}

std::size_t Request::unsent() const {
  std::promise<std::size_t> answer;
  asio::post(stream_->connection->loop, [&] { answer.set_value(stream_->unsent.size()); });
  return answer.get_future().get();
}

void Request::Reset(std::uint32_t code) const {
  asio::post(stream_->connection->loop,
             [stream = stream_, code] { stream->connection->Reset(*stream, code); });
}

void Request::GoAway(bool before) const {
  asio::post(stream_->connection->loop, [stream = stream_, before] {
    stream->connection->GoAway(before ? std::max(stream->id - 2, 0) : stream->id);
  });
}

void Request::Garbage(std::string bytes) const {
  asio::post(stream_->connection->loop,
             [stream = stream_, bytes = std::move(bytes)] { stream->connection->Garbage(bytes); });
}

void Request::Kill() const {
  asio::post(stream_->connection->loop,
             [stream = stream_] { stream->connection->CloseWhenWritten(); });
}

void Request::Freeze() const {
  asio::post(stream_->connection->loop, [stream = stream_] { stream->connection->Freeze(); });
}

}  // namespace flyball::scripted
