#include "flyball/transport/internal/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <tuple>
#include <utility>

#include "flyball/transport/internal/tls_context.h"

namespace flyball::transport {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Why a call of OpenSSL failed that wants nothing from the peer.
error_code LastFailure() {
  const unsigned long code = ERR_get_error();
  if (code == 0) return asio::ssl::error::unexpected_result;
  return {static_cast<int>(code), asio::error::get_ssl_category()};
}

/// A peer that has more to say, or says goodbye, does it in TLS.
error_code WithoutGoodbye(error_code failed) {
  return failed == asio::error::eof ? error_code(asio::ssl::error::stream_truncated) : failed;
}

}  // namespace

/// The connection as OpenSSL sees it: the two buffers.
class TlsStream::Channel {
 public:
  static BIO* Make(TlsStream& stream) {
    static BIO_METHOD* const method = MakeMethod();
    BIO* const bio = BIO_new(method);
    BIO_set_data(bio, &stream);
    BIO_set_init(bio, 1);
    return bio;
  }

 private:
  static BIO_METHOD* MakeMethod() {
    BIO_METHOD* const method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "flyball TlsStream");
    BIO_meth_set_read(method, Read);
    BIO_meth_set_write(method, Write);
    BIO_meth_set_ctrl(method, Control);
    return method;
  }

  static TlsStream& StreamOf(BIO* bio) { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

  static int Read(BIO* bio, char* into, int size) {
    std::string_view& received = StreamOf(bio).received_;
    BIO_clear_retry_flags(bio);
    if (received.empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    const std::size_t copied = received.copy(into, static_cast<std::size_t>(size));
    received.remove_prefix(copied);
    return static_cast<int>(copied);
  }

  static int Write(BIO* bio, const char* bytes, int size) {
    BIO_clear_retry_flags(bio);
    StreamOf(bio).outgoing_.append(bytes, static_cast<std::size_t>(size));
    return size;
  }

  static long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }
};

TlsStream::TlsStream(asio::ip::tcp::socket socket, std::shared_ptr<WriteGuard> guard,
                     asio::ssl::context& context)
    : ByteStream(std::move(guard)),
      socket_(std::move(socket)),
      ssl_(SSL_new(context.native_handle())),
      input_(kMostAtOnce / 2) {
  BIO* const channel = Channel::Make(*this);
  SSL_set_bio(ssl_.get(), channel, channel);
  // HTTP/2 forbids it, and client-go does not do it either. So a write never waits for an answer.
  SSL_set_options(ssl_.get(), SSL_OP_NO_RENEGOTIATION);
  // It would be all the memory of a silent connection but for ours, and costs each answer.
  SSL_clear_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
  error_code ignored;
  std::ignore = socket_.non_blocking(true, ignored);
}

std::string TlsStream::Protocol() const { return NegotiatedProtocol(ssl_.get()); }

asio::awaitable<error_code> TlsStream::Handshake() {
  for (;;) {
    ERR_clear_error();
    const int result =
        SSL_is_server(ssl_.get()) != 0 ? SSL_accept(ssl_.get()) : SSL_connect(ssl_.get());
    const bool wants_more = SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
    error_code failed;
    if (result != 1 && !wants_more) failed = LastFailure();
    // If it has failed, the peer is told.
    error_code not_sent;
    co_await asio::async_write(socket_, asio::buffer(outgoing_),
                               asio::redirect_error(asio::use_awaitable, not_sent));
    outgoing_.clear();
    if (result == 1 || failed) co_return failed;
    if (not_sent) co_return not_sent;
    const std::size_t size = co_await socket_.async_read_some(
        asio::buffer(input_), asio::redirect_error(asio::use_awaitable, failed));
    if (failed) co_return WithoutGoodbye(failed);
    received_ = {input_.data(), size};
  }
}

void TlsStream::ReadSome(asio::mutable_buffer into, Done done) {
  const std::size_t size = more_ ? Decrypt(into) : 0;
  if (size > 0) return EndLater(std::move(done), {}, size);
  if (no_more_) return EndLater(std::move(done), no_more_);
  Receive(into, std::move(done));
}

void TlsStream::Receive(asio::mutable_buffer into, Done done) {
  socket_.async_read_some(
      asio::buffer(input_),
      [this, into, done = std::move(done)](error_code failed, std::size_t received) mutable {
        if (failed) {
          no_more_ = WithoutGoodbye(failed);
          return done(no_more_, 0);
        }
        received_ = {input_.data(), received};
        const std::size_t size = Decrypt(into);
        // TLS may have something to say itself, or have held up a write until this came.
        if (!outgoing_.empty() || unencrypted_.size() > 0) GoOnWriting();
        if (size > 0) return done({}, size);
        if (no_more_) return done(no_more_, 0);
        Receive(into, std::move(done));
      });
}

/// As much of what has been received as there is room for.
std::size_t TlsStream::Decrypt(asio::mutable_buffer into) {
  ERR_clear_error();
  std::size_t total = 0;
  while (total < into.size()) {
    std::size_t size = 0;
    const asio::mutable_buffer rest = into + total;
    if (const int ok = SSL_read_ex(ssl_.get(), rest.data(), rest.size(), &size); ok != 1) {
      const int why = SSL_get_error(ssl_.get(), ok);
      if (why == SSL_ERROR_ZERO_RETURN) {
        no_more_ = asio::error::eof;
      } else if (why != SSL_ERROR_WANT_READ) {
        no_more_ = LastFailure();
      }
      break;
    }
    total += size;
  }
  more_ = total == into.size();
  return total;
}

bool TlsStream::WriteAll(asio::const_buffer bytes, Done done) {
  unencrypted_ = bytes;
  // A write that has ended may have left something of TLS's own behind: it goes out with this one.
  const error_code failed = Send();
  if (!failed && unencrypted_.size() == 0) return true;
  if (failed && failed != asio::error::would_block) {
    EndLater(std::move(done), failed);
    return false;
  }
  written_ = std::move(done);
  if (failed) AwaitRoom();
  return false;
}

/// Encrypts and sends as much as can be by now. If it is not an error that something is left
/// unencrypted, OpenSSL has begun to read something that it must know the rest of first.
error_code TlsStream::Send() {
  if (unencrypted_.size() > 0) {
    std::size_t size = 0;
    ERR_clear_error();
    const int ok = SSL_write_ex(ssl_.get(), unencrypted_.data(), unencrypted_.size(), &size);
    if (ok != 1 && SSL_get_error(ssl_.get(), ok) != SSL_ERROR_WANT_READ) return LastFailure();
    unencrypted_ += size;
  }
  while (sent_ < outgoing_.size()) {
    if (!MayWrite()) return asio::error::operation_aborted;
    error_code failed;
    sent_ += socket_.write_some(asio::buffer(outgoing_) + sent_, failed);
    if (failed) return failed;
  }
  outgoing_.clear();
  sent_ = 0;
  return {};
}

void TlsStream::GoOnWriting() {
  if (waiting_) return;
  const error_code failed = Send();
  if (!written_) return;  // it was nothing but TLS's own, of which the next write takes care
  if (failed == asio::error::would_block) return AwaitRoom();
  if (failed || unencrypted_.size() == 0) std::exchange(written_, nullptr)(failed, 0);
}

void TlsStream::AwaitRoom() {
  waiting_ = true;
  socket_.async_wait(asio::socket_base::wait_write, [this](error_code failed) {
    waiting_ = false;
    if (failed) return std::exchange(written_, nullptr)(failed, 0);
    GoOnWriting();
  });
}

void TlsStream::EndLater(Done done, error_code how, std::size_t size) {
  asio::post(socket_.get_executor(),
             [done = std::move(done), how, size]() mutable { done(how, size); });
}

void TlsStream::SayGoodbye() {
  if (written_) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  std::ignore = Send();
}

void TlsStream::Close() {
  // Without TLS's farewell: whoever is at the other end may be dead, and HTTP says by itself where
  // a response ends.
  error_code ignored;
  // What waits in the kernel must not leave where it may not: a reset throws it away.
  if (!MayWrite()) std::ignore = socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  std::ignore = socket_.close(ignored);
  if (written_ && !waiting_) {
    EndLater(std::exchange(written_, nullptr), asio::error::operation_aborted);
  }
}

}  // namespace flyball::transport
