#include "flyball/client/internal/credential_files.h"

#include "flyball/client/internal/client_certificate.h"
#include "flyball/client/internal/header_text.h"
#include "flyball/client/internal/read_file.h"
#include "flyball/transport/tls.h"

namespace flyball::client {
namespace {

/// "users[0].user.client-key: /etc/key.pem", or the field alone where it holds the data.
std::string PlaceOf(const ConfigBytes& bytes) {
  return bytes.data.empty() ? bytes.where + ": " + bytes.file : bytes.where;
}

Result<std::string> Read(const ConfigBytes& bytes) {
  if (!bytes.data.empty() || bytes.file.empty()) return bytes.data;
  auto text = ReadFile(bytes.file);
  if (!text) return Fail(text.error().code(), bytes.where, text.error().message());
  return text;
}

/// Logs what is wrong, once.
void Complain(const Logger& log, const Error& error, std::string_view message,
              std::string& complaint) {
  std::string text = error.Describe();
  if (text == complaint) return;
  log.Error(error, message);  // lint: allow log-message: a literal of each caller
  complaint = std::move(text);
}

}  // namespace

Result<std::string> CredentialFiles::ReadToken() const {
  if (token_.file.empty()) return token_.data;
  const auto text = ReadFile(token_.file);
  if (!text) return Fail(text.error().code(), token_.where, text.error().message());
  const std::string_view token = TrimSpace(*text);
  const std::string place = token_.where + ": " + token_.file;
  if (token.empty()) return Fail(ErrorCode::kMalformed, place, "file is empty");
  if (!IsHeaderText(token))
    return Fail(ErrorCode::kMalformed, place, "contains control characters");
  return std::string(token);
}

Result<> CredentialFiles::CheckRoots(const std::string& roots) const {
  if (authority_.empty()) return {};
  // Empty would mean whoever the system trusts, which is not what was asked for.
  if (roots.empty()) return Fail(ErrorCode::kMalformed, PlaceOf(authority_), "is empty");
  const auto usable = transport::CheckTlsOptions({.roots = roots});
  if (!usable) return Fail(ErrorCode::kMalformed, PlaceOf(authority_), usable.error().message());
  return {};
}

Result<> CredentialFiles::RefreshRoots(const CredentialMetrics& metrics) {
  using enum CredentialMetrics::AuthorityRead;
  if (!authority_.data.empty() || authority_.file.empty()) return {};
  auto roots = Read(authority_);
  if (!roots) {
    metrics.AuthorityReadAgain(kUnreadable);
    return std::unexpected(roots.error());
  }
  if (const auto usable = CheckRoots(*roots); !usable) {
    metrics.AuthorityReadAgain(roots->empty() ? kEmpty : kMalformed);
    return usable;
  }
  metrics.AuthorityReadAgain(*roots == secrets_.roots ? kUnchanged : kUpdated);
  secrets_.roots = *std::move(roots);
  return {};
}

Result<> CredentialFiles::ReadIdentity(Secrets& into) const {
  if (certificate_.empty()) return {};
  FLYBALL_TRY(std::string certificate, Read(certificate_));
  FLYBALL_TRY(std::string key, Read(key_));
  if (certificate == into.certificate && key == into.key) return {};
  FLYBALL_TRY(CheckClientCertificate(certificate, key, PlaceOf(certificate_), PlaceOf(key_)));
  into.certificate = std::move(certificate);
  into.key = std::move(key);
  return {};
}

Result<CredentialFiles> CredentialFiles::Load(const AccessConfig& access, WallTime now,
                                              const Logger& log) {
  CredentialFiles files(access);
  auto token = files.ReadToken();
  // PARITY: with a token of its own beside it, the file may come later.
  if (!token && files.token_.data.empty()) return std::unexpected(token.error());
  if (!token) {
    Complain(log, token.error(), "Unable to rotate token", files.token_complaint_);
  }
  files.secrets_.token = token ? *std::move(token) : files.token_.data;
  FLYBALL_TRY(files.secrets_.roots, Read(files.authority_));
  FLYBALL_TRY(files.CheckRoots(files.secrets_.roots));
  FLYBALL_TRY(files.ReadIdentity(files.secrets_));
  if (!files.certificate_.empty()) {
    FLYBALL_TRY(const auto life, ReadCertificateLife(files.secrets_.certificate));
    if (now > life.end) {
      // DIVERGES: upstream goes on, and what follows are refusals that say nothing of it.
      return Fail(ErrorCode::kUnauthorized, PlaceOf(files.certificate_),
                  "the client certificate has expired");
    }
  }
  return files;
}

void CredentialFiles::Refresh(const Logger& log, const CredentialMetrics& metrics) {
  if (auto token = ReadToken()) {
    if (*token != secrets_.token) log.V(2).Info("Token changed", {{"file", token_.file}});
    secrets_.token = *std::move(token);
    token_complaint_.clear();
  } else {
    Complain(log, token.error(), "Unable to rotate token", token_complaint_);
  }
  const Secrets before = secrets_;
  if (const auto read = RefreshRoots(metrics)) {
    if (before.roots != secrets_.roots) {
      log.V(4).Info("CA content changed, updating transport", {{"caFile", authority_.file}});
    }
    roots_complaint_.clear();
  } else {
    Complain(log, read.error(), "Failed to read CA data from file", roots_complaint_);
  }
  if (const auto read = ReadIdentity(secrets_)) {
    if (before.certificate != secrets_.certificate) {
      log.V(1).Info(
          "Certificate rotation detected, shutting down client connections to start using new "
          "credentials",
          {{"file", certificate_.file}});
    }
    identity_complaint_.clear();
  } else {
    Complain(log, read.error(), "Loading client cert failed", identity_complaint_);
  }
}

}  // namespace flyball::client
