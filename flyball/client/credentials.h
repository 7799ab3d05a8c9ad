#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/access_config.h"
#include "flyball/client/credential_metrics.h"
#include "flyball/client/exec_plugin.h"
#include "flyball/client/issued_credential.h"
#include "flyball/transport/http.h"
#include "flyball/transport/tls.h"

namespace flyball::client {

/// Proves to the server who we are, request by request, and keeps up as tokens and certificates
/// change: files are read again every ten seconds and when the server refuses us, plugins are run
/// again when what they gave has expired or is refused. What cannot be read, or makes no sense, is
/// logged, and the old goes on being used.
///
///   FLYBALL_TRY(const auto version, credentials.AddTo(request.headers));
///   ... 401 ...
///   if (credentials.Rejected(version)) // there is something newer: try again, once
///
/// Any thread may call it. No lock is held while a plugin runs, and one runs at a time: those who
/// need its answer wait for it together.
class Credentials {
 public:
  struct Deps {
    Clock& clock;
    Logger log = {};
    ExecPlugin::Options plugin = {};
    IssueCredential issue = {};  ///< in place of the plugin
    CredentialMetrics metrics = {};
  };

  /// Fails if there is something that a connection could not be made with: the error names the
  /// field of the kubeconfig.
  static Result<std::unique_ptr<Credentials>> Create(const AccessConfig& access, Deps deps);
  ~Credentials();

  /// Adds the Authorization header and those of impersonation, unless the request has its own.
  /// May run the plugin, and so block. Returns what to call Rejected() with.
  Result<std::uint64_t> AddTo(transport::Headers& headers);

  /// To be called when the server says 401: looks for something newer than what the request had,
  /// and says whether there is. May run the plugin, and so block.
  bool Rejected(std::uint64_t version);

  /// For new connections, so for HttpTransport::Options::tls. Does not run the plugin: its
  /// certificate is there once AddTo() has returned.
  transport::TlsOptions Tls();

  /// `changed` is called, on any thread, when Tls() has become different and connections should be
  /// made anew: HttpTransport::Renew(). To be set before requests are made.
  void WhenTlsChanges(std::function<void()> changed);

 private:
  class Core;
  explicit Credentials(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace flyball::client
