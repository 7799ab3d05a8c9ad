#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/endpoints/authentication/authentication_info_source.h"
#include "flyball/endpoints/serving_certificate.h"
#include "flyball/serving/http_server.h"

namespace flyball::endpoints {

/// How a component serves; the flags of the same meaning are upstream's.
struct SecureServingOptions {
  /// --bind-address; unspecified, "0.0.0.0" or "::", it is all addresses of both families.
  std::string bind_address = "0.0.0.0";
  /// --secure-port. Zero: any that is free; that a flag's zero means not to serve at all is for
  /// whoever reads the flag.
  std::uint16_t port = 10257;
  ServingCertificateOptions certificate = {};  ///< its bind_address is set from the one here
  serving::TlsVersion minimum_version = serving::TlsVersion::k12;
  std::vector<std::string> cipher_suites = {};
  std::vector<std::int32_t> key_exchanges = {};  ///< --tls-curve-preferences
  bool share_port = false;                       ///< --permit-port-sharing
  bool http2 = true;                             ///< --disable-http2-serving
  std::uint32_t most_streams = 0;                ///< --http2-max-streams-per-connection; zero: 100
};

/// What --tls-min-version says: "VersionTLS12"; empty is the default.
// DIVERGES: 1.0 and 1.1 are taken for 1.2, since OpenSSL speaks them to nobody.
Result<serving::TlsVersion> ParseTlsVersion(std::string_view text);

/// A component's port: TLS with a certificate that is given or made, and with the authorities of
/// clients as they are known. Both are looked at again while it serves: files every ten seconds,
/// the cluster's authorities when they change. What does not parse is logged, and what was before
/// goes on; connections that are there already are not touched.
///
/// Any thread.
// DIVERGES: upstream is told of changes by inotify, and looks every minute besides.
class SecureServing {
 public:
  struct Deps {
    transport::Network& network;
    Timers& timers;
    transport::Transport& answers;
    AuthenticationInfoSource& authentication_info;
    Logger log = {};
  };

  static Result<std::unique_ptr<SecureServing>> Start(Deps deps, SecureServingOptions options);
  /// Stops without grace.
  ~SecureServing();

  std::uint16_t port() const { return server_->port(); }
  std::string url() const { return server_->url(); }

  /// Looks whether files or authorities have changed.
  void Refresh();
  /// See HttpServer::Stop().
  void Stop(std::chrono::nanoseconds grace) { server_->Stop(grace); }

 private:
  SecureServing(Deps deps, SecureServingOptions options, ServingCertificate certificate);

  Result<serving::TlsOptions> CurrentTls() const;
  Result<> Listen();
  void RefreshSoon();
  void RefreshAll();
  void Complain(const Error& error);

  const Deps deps_;
  const SecureServingOptions options_;
  const ServingCertificate certificate_;
  std::unique_ptr<serving::HttpServer> server_;

  Mutex mutex_;
  CondVar refreshed_;
  serving::TlsOptions tls_ FLYBALL_GUARDED_BY(mutex_);  // the last that was tried
  std::string complaint_ FLYBALL_GUARDED_BY(mutex_);    // the last: each is logged once
  bool again_ FLYBALL_GUARDED_BY(mutex_) = false;       // something has changed meanwhile
  bool refreshing_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool stopping_ FLYBALL_GUARDED_BY(mutex_) = false;
  Timer timer_;  // last: it calls
};

}  // namespace flyball::endpoints
