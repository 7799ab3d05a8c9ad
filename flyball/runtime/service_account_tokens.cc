#include "flyball/runtime/service_account_tokens.h"

#include <algorithm>

#include "flyball/base/saturating.h"

namespace flyball::runtime {
namespace {

using namespace std::chrono_literals;
using authentication::v1::TokenRequest;
using client::IssuedCredential;
using core::v1::Namespace;
using core::v1::ServiceAccount;

constexpr auto kLife = std::chrono::seconds(1h);
/// A token that seems to live shorter comes from a server whose clock is not ours.
constexpr std::chrono::nanoseconds kShortestLife = 10min;
constexpr int kTries = 4;
constexpr auto kFirstPause = 500ms;

bool Is(const Error& error, ErrorCode code) { return error.code() == code; }

}  // namespace

Result<> ServiceAccountTokens::MakeSureOfAccount() const {
  const auto accounts = deps_.client.Of<ServiceAccount>();
  const auto found = accounts.Get(account_);
  if (found) return {};
  if (!Is(found.error(), ErrorCode::kNotFound)) return std::unexpected(found.error());

  const auto namespaces = deps_.client.Of<Namespace>();
  const auto home = namespaces.Get({"", account_.namespace_});
  if (!home && Is(home.error(), ErrorCode::kNotFound)) {
    Namespace fresh;
    fresh.metadata.name = account_.namespace_;
    // Who may not do this may still make the account, if somebody else makes the namespace.
    const auto made = namespaces.Create(fresh);
    if (!made && !Is(made.error(), ErrorCode::kAlreadyExists)) {
      deps_.log.Error(made.error(), "create non-exist namespace failed",
                      {{"namespace", account_.namespace_}});
    }
  }
  ServiceAccount fresh;
  fresh.metadata.namespace_ = account_.namespace_;
  fresh.metadata.name = account_.name;
  const auto made = accounts.Create(fresh);
  // By another manager, meanwhile.
  if (!made && !Is(made.error(), ErrorCode::kAlreadyExists)) return std::unexpected(made.error());
  return {};
}

Result<IssuedCredential> ServiceAccountTokens::Ask() const {
  FLYBALL_TRY(MakeSureOfAccount());
  TokenRequest request;
  request.spec.expirationSeconds = kLife.count();
  FLYBALL_TRY(auto answer, deps_.client.CreateToken(account_, request));
  const WallTime now = deps_.clock.WallNow();
  const auto life = std::max(answer.status.expirationTimestamp - api::Time(now), kShortestLife);
  return IssuedCredential{.token = std::move(answer.status.token),
                          .renew_from = SaturatingAdd(now, life - life / 5)};
}

Result<IssuedCredential> ServiceAccountTokens::operator()() const {
  std::chrono::nanoseconds pause = kFirstPause;
  for (int tries = 1;; ++tries, pause *= 2) {
    auto token = Ask();
    if (token || tries == kTries) return token;
    deps_.log.Error(token.error(), "get token failed", {{"serviceAccount", account_}});
    deps_.clock.SleepFor(pause);
  }
}

}  // namespace flyball::runtime
