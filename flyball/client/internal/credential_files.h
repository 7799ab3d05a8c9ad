#pragma once

#include <string>

#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/access_config.h"
#include "flyball/client/credential_metrics.h"

namespace flyball::client {

/// What a configuration and its files hold. Never to be logged.
struct Secrets {
  std::string token;
  std::string roots;
  std::string certificate;
  std::string key;

  friend bool operator==(const Secrets&, const Secrets&) = default;
};

/// Reads token, certificate authority, certificate and key from where the configuration has them,
/// and again when the files may have changed. What is there is always usable: a new certificate
/// counts once its key is there too. One thread at a time.
class CredentialFiles {
 public:
  /// Everything must be there and make sense; a certificate that has expired by `now` does not.
  static Result<CredentialFiles> Load(const AccessConfig& access, WallTime now, const Logger& log);

  /// Reads the files again.
  void Refresh(const Logger& log, const CredentialMetrics& metrics);

  const Secrets& secrets() const { return secrets_; }

 private:
  explicit CredentialFiles(const AccessConfig& access)
      : authority_(access.certificate_authority),
        certificate_(access.client_certificate),
        key_(access.client_key),
        token_(access.token) {}

  Result<std::string> ReadToken() const;
  Result<> CheckRoots(const std::string& roots) const;
  Result<> RefreshRoots(const CredentialMetrics& metrics);
  Result<> ReadIdentity(Secrets& into) const;

  ConfigBytes authority_;
  ConfigBytes certificate_;
  ConfigBytes key_;
  ConfigBytes token_;
  Secrets secrets_;
  // What the log says already: a file that is gone is one line, not one every ten seconds.
  std::string token_complaint_;
  std::string roots_complaint_;
  std::string identity_complaint_;
};

}  // namespace flyball::client
