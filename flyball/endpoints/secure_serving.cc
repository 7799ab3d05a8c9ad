#include "flyball/endpoints/secure_serving.h"

#include <utility>

namespace flyball::endpoints {
namespace {

using serving::HttpServer;

constexpr std::chrono::seconds kInterval(10);
/// As many as a client sends before it is told how many it may.
constexpr std::uint32_t kStreams = 100;

}  // namespace

Result<serving::TlsVersion> ParseTlsVersion(std::string_view text) {
  if (text == "VersionTLS13") return serving::TlsVersion::k13;
  if (text.empty() || text == "VersionTLS10" || text == "VersionTLS11" || text == "VersionTLS12") {
    return serving::TlsVersion::k12;
  }
  return Fail(ErrorCode::kInvalid, "unknown tls version \"" + std::string(text) + "\"");
}

SecureServing::SecureServing(Deps deps, SecureServingOptions options,
                             ServingCertificate certificate)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      certificate_(std::move(certificate)),
      timer_(deps_.timers, [this] { RefreshSoon(); }) {}

Result<std::unique_ptr<SecureServing>> SecureServing::Start(Deps deps,
                                                            SecureServingOptions options) {
  options.certificate.bind_address = options.bind_address;
  FLYBALL_TRY(auto certificate,
              ServingCertificate::Create(options.certificate, deps.timers.clock().WallNow()));
  std::unique_ptr<SecureServing> serving(
      new SecureServing(std::move(deps), std::move(options), std::move(certificate)));
  FLYBALL_TRY(serving->Listen());
  return serving;
}

SecureServing::~SecureServing() {
  deps_.authentication_info.OnChange(nullptr);
  timer_.Cancel();
  MutexLock lock(mutex_);
  stopping_ = true;
  deps_.timers.clock().Wait(lock, refreshed_,
                            [this]() FLYBALL_REQUIRES(mutex_) { return !refreshing_; });
}

Result<serving::TlsOptions> SecureServing::CurrentTls() const {
  serving::TlsOptions tls{.client_roots = deps_.authentication_info.Current()->AllRoots(),
                          .minimum_version = options_.minimum_version,
                          .cipher_suites = options_.cipher_suites,
                          .key_exchanges = options_.key_exchanges};
  FLYBALL_TRY(certificate_.ReadInto(tls));
  return tls;
}

Result<> SecureServing::Listen() {
  FLYBALL_TRY(serving::TlsOptions tls, CurrentTls());
  HttpServer::Options options{.address = options_.bind_address,
                              .port = options_.port,
                              .share_port = options_.share_port,
                              .tls = tls,
                              .http2 = options_.http2};
  options.limits.streams = options_.most_streams == 0 ? kStreams : options_.most_streams;
  const bool all = options.address.empty() || options.address == "0.0.0.0";
  if (all) options.address = "::";
  auto server = HttpServer::Listen(deps_.network, deps_.answers, options, deps_.log);
  if (!server && all) {
    // A machine without IPv6.
    options.address = "0.0.0.0";
    server = HttpServer::Listen(deps_.network, deps_.answers, options, deps_.log);
  }
  if (!server) return std::unexpected(server.error().Wrap("failed to create listener"));
  server_ = *std::move(server);
  {
    MutexLock lock(mutex_);
    tls_ = std::move(tls);
  }
  deps_.log.Info("Serving securely on", {{"address", server_->url()}});
  deps_.authentication_info.OnChange([this] { timer_.FireBy(deps_.timers.clock().SteadyNow()); });
  timer_.FireBy(deps_.timers.clock().DeadlineAfter(kInterval));
  return {};
}

void SecureServing::RefreshSoon() {
  {
    MutexLock lock(mutex_);
    if (stopping_) return;
    // What is being looked at may be what was there before the change.
    if (std::exchange(refreshing_, true)) {
      again_ = true;
      return;
    }
  }
  deps_.network.executor().Start("endpoints/refresh", [this] { RefreshAll(); });
}

void SecureServing::RefreshAll() {
  for (;;) {
    deps_.authentication_info.RereadFiles();
    Refresh();
    timer_.FireBy(deps_.timers.clock().DeadlineAfter(kInterval));
    MutexLock lock(mutex_);
    if (std::exchange(again_, false)) continue;
    refreshing_ = false;
    refreshed_.NotifyAll();
    return;
  }
}

void SecureServing::Refresh() {
  auto tls = CurrentTls();
  if (!tls) return Complain(tls.error());
  {
    MutexLock lock(mutex_);
    if (*tls == tls_) return;
    tls_ = *tls;  // also if it is no good: that is said once
  }
  if (const auto used = server_->UseTls(*tls); !used) return Complain(used.error());
  deps_.log.Info("Reloaded serving certificate and client CA bundle");
}

void SecureServing::Complain(const Error& error) {
  {
    MutexLock lock(mutex_);
    if (std::exchange(complaint_, error.message()) == error.message()) return;
  }
  deps_.log.Error(error, "Unable to reload serving certificate, keeping the last one");
}

}  // namespace flyball::endpoints
