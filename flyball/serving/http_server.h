#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/serving/certificates.h"
#include "flyball/transport/network.h"
#include "flyball/transport/transport.h"

namespace flyball::serving {

enum class TlsVersion : std::uint8_t { k12, k13 };

/// What a server proves itself with to clients that ask for one of some names.
struct NamedCertificate {
  Certificate certificate = {};
  /// "example.com", or "*.example.com" for what is one label longer. None: those that stand in the
  /// certificate; of two certificates for a name, the one that is given it here counts.
  std::vector<std::string> names = {};

  friend bool operator==(const NamedCertificate&, const NamedCertificate&) = default;
};

/// With what a server proves itself, and whom it believes.
struct TlsOptions {
  Certificate certificate = {};
  /// PEM. Who has a certificate that chains to one of these is named in Request::peer. Nobody has
  /// to have one; and who has another is served too, as a stranger: there may be a token.
  std::string client_roots = {};
  TlsVersion minimum_version = TlsVersion::k12;
  /// Of TLS 1.2, by their names in RFCs: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256". None: those that
  /// OpenSSL thinks right. Those of 1.3 are all good, and are not chosen among.
  std::vector<std::string> cipher_suites = {};
  /// By their numbers in TLS: 23, 24 and 25 are P-256, P-384 and P-521, 29 is X25519. None: as
  /// OpenSSL thinks right.
  std::vector<std::int32_t> key_exchanges = {};
  /// Instead of the certificate, for clients that say the server's name.
  std::vector<NamedCertificate> named = {};

  friend bool operator==(const TlsOptions&, const TlsOptions&) = default;
};

/// What a server bears from its clients.
struct Limits {
  std::size_t request_body = std::size_t{3} << 20;    ///< above: 413
  std::size_t request_head = std::size_t{256} << 10;  ///< above: 431
  std::uint32_t streams = 250;                        ///< of an HTTP/2 connection at once
  std::size_t connections = 10'000;                   ///< above: they wait in the kernel
  std::chrono::nanoseconds handshake = std::chrono::seconds(10);
  /// From a request's first byte to its last. In HTTP/2 it may take twice as long.
  std::chrono::nanoseconds request = std::chrono::seconds(32);
  /// Without a request. In HTTP/2 it may take twice as long.
  std::chrono::nanoseconds idle = std::chrono::seconds(90);
  /// Without taking anything of what is there for the client: then the answer is given up, or the
  /// connection, so that who stops reading holds memory for so long and no longer. An answer that
  /// has nothing to say for the time being, as a watch, is not meant. In HTTP/2 it may take half a
  /// minute longer.
  std::chrono::nanoseconds write = std::chrono::seconds(60);
};

/// Puts a Transport on a socket: what answers requests is the same seam as what sends them. Speaks
/// HTTP/2, over TLS or to those who begin with it in plain text, and HTTP/1.1.
///
/// A request is handed over when all of it is here, without what belongs to the connection: host,
/// content-length, expect, and what HTTP/1.1 has of that kind. Its target is the path and the query
/// as they came. Who sent it, if a certificate says so, is in `peer`; no header can pretend that.
///
/// Of the answer's headers those that belong to the connection are dropped; content-length is added
/// when the whole body comes at once, and date unless it is there. An answer that fails before its
/// head becomes a 5xx without the reason, one that fails later is cut. Bytes are acknowledged
/// (Exchange::Consumed) when they have gone out to the socket, so that the answering side sees by
/// what is not acknowledged how far behind a reader is. When a client goes, or gives up a request,
/// its exchange is cancelled.
///
/// Everything happens on the network thread, on which Send() is called too: it must not block.
/// Any other thread may call the methods.
class HttpServer {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;   ///< zero: any that is free
    bool share_port = false;  ///< others may have the port too (SO_REUSEPORT)
    std::optional<TlsOptions> tls = {};
    bool http2 = true;  ///< false: it is not offered
    Limits limits = {};
  };

  /// The network, and what answers, must outlive the server.
  static Result<std::unique_ptr<HttpServer>> Listen(transport::Network& network,
                                                    transport::Transport& answers, Options options,
                                                    Logger log = {});
  /// Stop() without grace.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// "https://127.0.0.1:41234".
  std::string url() const;
  /// How many connections there are.
  std::size_t connections() const;

  /// Connections that are made from now on are met with these. Only for a server with TLS.
  Result<> UseTls(const TlsOptions& options);

  /// Takes no more connections and requests, waits for the answers that are under way, and cuts
  /// what is left when `grace` is over. When it returns, nobody is asked any more.
  void Stop(std::chrono::nanoseconds grace = {});

 private:
  class Core;
  explicit HttpServer(std::shared_ptr<Core> core);
  const std::shared_ptr<Core> core_;
};

}  // namespace flyball::serving
