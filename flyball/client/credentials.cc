#include "flyball/client/credentials.h"

#include <optional>

#include "flyball/base/mutex.h"
#include "flyball/client/internal/credential_files.h"
#include "flyball/client/internal/header_text.h"
#include "flyball/client/internal/renewed_credential.h"

namespace flyball::client {
namespace {

using transport::Headers;

/// Upstream has 50 seconds for tokens and 5 minutes for certificates. Reading them costs some
/// microseconds, and what has been rotated is sometimes revoked at once.
constexpr auto kFilesAreReadEvery = std::chrono::seconds(10);

Headers ImpersonationHeaders(const Impersonation& as) {
  Headers headers;
  if (as.user.empty()) return headers;
  headers.emplace_back("impersonate-user", as.user);
  if (!as.uid.empty()) headers.emplace_back("impersonate-uid", as.uid);
  for (const std::string& group : as.groups) headers.emplace_back("impersonate-group", group);
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values) {
      headers.emplace_back("impersonate-extra-" + EscapeHeaderName(key), value);
    }
  }
  return headers;
}

}  // namespace

class Credentials::Core {
 public:
  Core(const AccessConfig& access, CredentialFiles files, IssueCredential issue, Deps deps)
      : deps_(std::move(deps)),
        server_name_(access.tls_server_name),
        skip_server_check_(access.insecure_skip_tls_verify),
        impersonation_(ImpersonationHeaders(access.impersonation)),
        files_(std::move(files)),
        next_check_(deps_.clock.DeadlineAfter(kFilesAreReadEvery)) {
    if (issue) issued_.emplace(std::move(issue), deps_.clock, deps_.log, deps_.metrics);
  }

  void WhenTlsChanges(std::function<void()> changed) {
    if (issued_) issued_->WhenCertificateChanges(changed);
    tls_changed_ = std::move(changed);
  }

  Result<std::uint64_t> AddTo(Headers& headers) {
    CheckFiles(false);
    auto [token, version] = Current();
    if (transport::FindHeader(headers, "impersonate-user").empty()) {
      headers.insert(headers.end(), impersonation_.begin(), impersonation_.end());
    }
    if (!transport::FindHeader(headers, "authorization").empty()) return version;
    if (issued_) {
      FLYBALL_TRY(const auto answer, issued_->Get());
      token = answer.credential->token;
      version = answer.version;
    }
    if (!token.empty()) headers.emplace_back("authorization", "Bearer " + token);
    return version;
  }

  bool Rejected(std::uint64_t version) {
    if (issued_) return issued_->Renew(version);
    if (Current().version != version) return true;
    CheckFiles(true);
    return Current().version != version;
  }

  transport::TlsOptions Tls() {
    CheckFiles(false);
    transport::TlsOptions options;
    options.server_name = server_name_;
    options.skip_server_check = skip_server_check_;
    {
      const MutexLock lock(mutex_);
      const Secrets& secrets = files_.secrets();
      options.roots = secrets.roots;
      options.certificate = secrets.certificate;
      options.key = secrets.key;
    }
    if (const auto credential = issued_ ? issued_->Last() : nullptr) {
      options.certificate = credential->certificate;
      options.key = credential->key;
    }
    return options;
  }

 private:
  struct Token {
    std::string token;
    std::uint64_t version;
  };

  Token Current() {
    const MutexLock lock(mutex_);
    return {files_.secrets().token, version_};
  }

  /// Reads the files again, if it is time to or if it must be `now`.
  void CheckFiles(bool now) {
    bool tls_changed = false;
    {
      const MutexLock lock(mutex_);
      if (!now && deps_.clock.SteadyNow() < next_check_) return;
      next_check_ = deps_.clock.DeadlineAfter(kFilesAreReadEvery);
      const Secrets before = files_.secrets();
      files_.Refresh(deps_.log, deps_.metrics);
      Secrets after = files_.secrets();
      if (after != before) ++version_;
      after.token = before.token;
      tls_changed = after != before;
    }
    if (tls_changed && tls_changed_) tls_changed_();
  }

  // Constant once requests are made.
  const Deps deps_;
  const std::string server_name_;
  const bool skip_server_check_;
  const Headers impersonation_;
  std::optional<RenewedCredential> issued_;
  std::function<void()> tls_changed_;

  Mutex mutex_;
  CredentialFiles files_ FLYBALL_GUARDED_BY(mutex_);
  std::uint64_t version_ FLYBALL_GUARDED_BY(mutex_) = 1;  ///< counts the changes of files_
  SteadyTime next_check_ FLYBALL_GUARDED_BY(mutex_);
};

Credentials::Credentials(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Credentials::~Credentials() = default;

Result<std::unique_ptr<Credentials>> Credentials::Create(const AccessConfig& access, Deps deps) {
  FLYBALL_TRY(CredentialFiles files, CredentialFiles::Load(access, deps.clock.WallNow(), deps.log));
  IssueCredential issue = deps.issue;
  if (access.exec && !issue) {
    FLYBALL_TRY(const ExecPlugin plugin,
                ExecPlugin::Create(access, {deps.clock, deps.log, deps.metrics}, deps.plugin));
    issue = [plugin] { return plugin.Run(); };
  }
  auto core = std::make_unique<Core>(access, std::move(files), std::move(issue), std::move(deps));
  return std::unique_ptr<Credentials>(new Credentials(std::move(core)));
}

Result<std::uint64_t> Credentials::AddTo(Headers& headers) { return core_->AddTo(headers); }
bool Credentials::Rejected(std::uint64_t version) { return core_->Rejected(version); }
transport::TlsOptions Credentials::Tls() { return core_->Tls(); }
void Credentials::WhenTlsChanges(std::function<void()> changed) {
  core_->WhenTlsChanges(std::move(changed));
}

}  // namespace flyball::client
