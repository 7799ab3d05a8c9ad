#include "flyball/transport/internal/tls_stream.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "flyball/transport/internal/tls_context.h"
#include "gtest/gtest.h"
#include "tests/scripted/certificates.h"

namespace flyball::transport {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

/// A stream and a peer that are connected, on one loop that runs while someone waits.
class TlsStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    const scripted::Identity identity = authority_.Issue("server", "DNS:localhost");
    peer_context_.use_certificate_chain(asio::buffer(identity.certificate));
    peer_context_.use_private_key(asio::buffer(identity.key), ssl::context::pem);
    tcp::acceptor acceptor(loop_, {asio::ip::address_v4::loopback(), 0});
    tcp::socket socket(loop_);
    socket.connect(acceptor.local_endpoint());
    peer_.emplace(acceptor.accept(), peer_context_);

    auto context = MakeTlsContext({.roots = authority_.certificate()});
    ASSERT_TRUE(context.has_value());
    stream_.emplace(std::move(socket), *context);
    ASSERT_TRUE(SetServerName(stream_->native_handle(), "localhost", true).has_value());
    bool peer_shaken = false;
    std::optional<error_code> shaken;
    peer_->async_handshake(ssl::stream_base::server, [&](error_code failed) {
      EXPECT_FALSE(failed) << failed.message();
      peer_shaken = true;
    });
    asio::co_spawn(loop_, stream_->Handshake(),
                   [&](const std::exception_ptr&, error_code how) { shaken = how; });
    RunUntil([&] { return peer_shaken && shaken.has_value(); });
    ASSERT_FALSE(*shaken) << shaken->message();
  }

  void RunUntil(const std::function<bool()>& done) {
    loop_.restart();  // it stops when there is nothing to wait for
    while (!done() && loop_.run_one() > 0) {
    }
    ASSERT_TRUE(done()) << "nothing left to happen";
  }

  struct Outcome {
    error_code error;
    std::string bytes;
  };

  Outcome Read(std::size_t room = 100) {
    std::string into(room, '\0');
    std::optional<Outcome> outcome;
    stream_->ReadSome(asio::buffer(into), [&](error_code failed, std::size_t size) {
      outcome = {failed, into.substr(0, size)};
    });
    EXPECT_FALSE(outcome.has_value()) << "ended before it was waited for";
    RunUntil([&] { return outcome.has_value(); });
    return *outcome;
  }

  void PeerWrites(const std::string& bytes) { asio::write(*peer_, asio::buffer(bytes)); }

  std::string PeerReads(std::size_t size) {
    std::string bytes(size, '\0');
    asio::read(*peer_, asio::buffer(bytes));
    return bytes;
  }

  static void IsNotCalled(error_code, std::size_t) { ADD_FAILURE() << "it was all out at once"; }

  asio::io_context loop_;
  scripted::Authority authority_;
  ssl::context peer_context_{ssl::context::tls_server};
  std::optional<ssl::stream<tcp::socket>> peer_;
  std::optional<TlsStream> stream_;
};

TEST_F(TlsStreamTest, CarriesBytesBothWays) {
  EXPECT_TRUE(stream_->WriteAll(asio::buffer("question", 8), IsNotCalled));
  EXPECT_EQ(PeerReads(8), "question");
  PeerWrites("answer");
  EXPECT_EQ(Read().bytes, "answer");
}

TEST_F(TlsStreamTest, WhatThereWasNoRoomForComesWithTheNextRead) {
  PeerWrites("abcdef");
  PeerWrites("gh");
  EXPECT_EQ(Read(4).bytes, "abcd");
  EXPECT_EQ(Read(4).bytes, "efgh");
  PeerWrites("i");
  EXPECT_EQ(Read(4).bytes, "i");
}

TEST_F(TlsStreamTest, WhatTheSocketDoesNotTakeGoesWhenThePeerHasRead) {
  std::string large(32 << 20, 'x');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>('a' + i % 26);
  std::optional<error_code> written;
  ASSERT_FALSE(stream_->WriteAll(asio::buffer(large),
                                 [&](error_code failed, std::size_t) { written = failed; }));
  std::string read(large.size(), '\0');
  bool peer_has_all = false;
  asio::async_read(*peer_, asio::buffer(read),
                   [&](error_code, std::size_t) { peer_has_all = true; });
  RunUntil([&] { return peer_has_all && written.has_value(); });
  EXPECT_FALSE(*written) << written->message();
  EXPECT_TRUE(read == large);
}

TEST_F(TlsStreamTest, APeerMayAskForNewKeys) {
  ASSERT_EQ(SSL_key_update(peer_->native_handle(), SSL_KEY_UPDATE_REQUESTED), 1);
  PeerWrites("under new keys");
  EXPECT_EQ(Read().bytes, "under new keys");
  EXPECT_TRUE(stream_->WriteAll(asio::buffer("under ours", 10), IsNotCalled));
  EXPECT_EQ(PeerReads(10), "under ours");
  EXPECT_EQ(SSL_get_key_update_type(peer_->native_handle()), SSL_KEY_UPDATE_NONE);
}

TEST_F(TlsStreamTest, AFarewellIsTheEndAfterWhatCameBeforeIt) {
  PeerWrites("last words");
  peer_->async_shutdown([](error_code) {});
  EXPECT_EQ(Read().bytes, "last words");
  EXPECT_EQ(Read().error, asio::error::eof);
  EXPECT_EQ(Read().error, asio::error::eof);
}

TEST_F(TlsStreamTest, AnEndWithoutAFarewellIsATruncation) {
  PeerWrites("last words");
  peer_->lowest_layer().close();
  EXPECT_EQ(Read().bytes, "last words");
  EXPECT_EQ(Read().error, ssl::error::stream_truncated);
}

TEST_F(TlsStreamTest, BytesThatAreNotTlsAreAnError) {
  asio::write(peer_->next_layer(), asio::buffer("HTTP/1.1 400 Bad Request\r\n\r\n", 28));
  const Outcome outcome = Read();
  EXPECT_EQ(outcome.error.category(), asio::error::get_ssl_category()) << outcome.error.message();
}

TEST_F(TlsStreamTest, ClosingEndsAReadAndAWriteWithAnError) {
  const std::string large(32 << 20, 'x');
  std::optional<error_code> written;
  std::optional<error_code> read;
  char room[10];
  stream_->ReadSome(asio::buffer(room), [&](error_code failed, std::size_t) { read = failed; });
  ASSERT_FALSE(stream_->WriteAll(asio::buffer(large),
                                 [&](error_code failed, std::size_t) { written = failed; }));
  stream_->Close();
  RunUntil([&] { return read.has_value() && written.has_value(); });
  EXPECT_TRUE(*read);
  EXPECT_TRUE(*written);
}

}  // namespace
}  // namespace flyball::transport
