#include "flyball/serving/internal/connection_handshake.h"

#include <boost/asio/co_spawn.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "flyball/serving/internal/server_tls.h"
#include "flyball/transport/internal/fenced_socket.h"
#include "flyball/transport/internal/socket_options.h"
#include "flyball/transport/internal/stream_of.h"
#include "flyball/transport/internal/tls_stream.h"

namespace flyball::serving {
namespace {

using boost::system::error_code;

/// With what a client begins that speaks HTTP/2: RFC 9113, 3.4.
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace

ConnectionHandshake::ConnectionHandshake(boost::asio::ip::tcp::socket socket,
                                         std::shared_ptr<boost::asio::ssl::context> tls,
                                         transport::Deadlines& deadlines, Done done)
    : socket_(std::move(socket)), tls_(std::move(tls)), alarm_(deadlines), done_(std::move(done)) {}

void ConnectionHandshake::Start(std::chrono::nanoseconds patience) {
  transport::PrepareSocket(socket_);
  alarm_.Set(patience, [this] {
    End(Fail(ErrorCode::kTimeout,
             "timed out waiting for the TLS handshake or the first bytes of a request"));
  });
  const auto no_guard = std::make_shared<transport::WriteGuard>();
  if (!tls_) {
    negotiated_.stream = std::make_unique<transport::StreamOf<transport::FencedSocket>>(
        transport::FencedSocket(std::move(socket_), no_guard), no_guard);
    return ReadFirstBytes();
  }
  const auto network = socket_.get_executor();
  negotiated_.stream = std::make_unique<transport::TlsStream>(std::move(socket_), no_guard, *tls_);
  boost::asio::co_spawn(
      network, [self = shared_from_this()] { return self->Shake(); },
      [self = shared_from_this()](const std::exception_ptr& thrown) {
        if (thrown) self->End(Fail(ErrorCode::kIo, "TLS handshake failed"));
      });
}

boost::asio::awaitable<void> ConnectionHandshake::Shake() {
  auto& stream = static_cast<transport::TlsStream&>(*negotiated_.stream);
  const error_code failed = co_await stream.Handshake();
  if (!done_) co_return;
  if (failed) co_return End(Fail(ErrorCode::kIo, "TLS handshake: " + failed.message()));
  negotiated_.peer = PeerOf(stream.native_handle());
  const std::string protocol = stream.Protocol();
  if (protocol.empty()) co_return ReadFirstBytes();
  End({}, protocol == "h2");
}

void ConnectionHandshake::ReadFirstBytes() {
  negotiated_.stream->ReadSome(
      boost::asio::buffer(input_),
      [self = shared_from_this(), this](error_code failed, std::size_t size) {
        if (!done_) return;
        if (failed) return End(Fail(ErrorCode::kIo, failed.message()));
        std::string& received = negotiated_.received.append(input_, size);
        const std::string_view begin = std::string_view(received).substr(0, kPreface.size());
        if (!kPreface.starts_with(begin)) return End({}, /*http2=*/false);
        if (begin == kPreface) return End({}, /*http2=*/true);
        ReadFirstBytes();
      });
}

void ConnectionHandshake::End(Result<> how, bool http2) {
  auto done = std::exchange(done_, nullptr);
  if (!done) return;
  alarm_.Clear();
  const auto self = shared_from_this();
  negotiated_.http2 = http2;
  if (how) return done(*this, std::move(negotiated_));
  negotiated_.stream->Close();
  done(*this, std::unexpected(std::move(how).error()));
}

void ConnectionHandshake::Close() {
  done_ = nullptr;
  alarm_.Clear();
  negotiated_.stream->Close();
}

}  // namespace flyball::serving
