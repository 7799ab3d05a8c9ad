#include "flyball/endpoints/authentication/authenticator.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/base/saturating.h"

namespace flyball::endpoints {
namespace {

using serving::ClientCertificate;

constexpr std::string_view kCredentialId = "authentication.kubernetes.io/credential-id";

User Anonymous() {
  return {.name = std::string(kAnonymous), .groups = {std::string(kUnauthenticatedGroup)}};
}

/// Those who are known are a group.
User Known(User user) {
  if (user.name == kAnonymous) return user;
  const bool said = std::ranges::any_of(user.groups, [](const std::string& group) {
    return group == kAuthenticatedGroup || group == kUnauthenticatedGroup;
  });
  if (!said) user.groups.emplace_back(kAuthenticatedGroup);
  return user;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The token of "Bearer abc"; empty if there is none.
std::string BearerToken(const transport::Headers& headers) {
  constexpr std::string_view kScheme = "bearer";
  const std::string_view text = Trimmed(transport::FindHeader(headers, "authorization"));
  const std::size_t blank = text.find(' ');
  if (blank != kScheme.size()) return "";
  const bool bearer = std::ranges::equal(text.substr(0, blank), kScheme, {}, [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  if (!bearer) return "";
  // PARITY: behind two blanks stands no token.
  const std::string_view rest = text.substr(blank + 1);
  return std::string(rest.substr(0, rest.find(' ')));
}

/// One attribute at most, and one that says something.
Result<std::string> UidOf(const ClientCertificate& certificate) {
  if (certificate.uids.empty()) return "";
  if (certificate.uids.size() > 1) {
    return Fail(ErrorCode::kUnauthorized, "expected 1 UID, but found multiple");
  }
  if (certificate.uids.front().empty()) {
    return Fail(ErrorCode::kUnauthorized, "UID cannot be an empty string");
  }
  return certificate.uids.front();
}

}  // namespace

Authenticator::Found Authenticator::ByFrontProxy(
    const transport::Request& request, const ClusterAuthenticationInfo& authentication_info) const {
  if (!request.peer_certificates || !authentication_info.proxies) return std::nullopt;
  FLYBALL_TRY(
      authentication_info.proxies->roots.Verify(*request.peer_certificates, deps_.clock.WallNow()));
  FLYBALL_TRY(const auto proxy, ClientCertificate::Read(request.peer_certificates->front()));
  const auto& allowed = authentication_info.proxy_names;
  if (!allowed.empty() && std::ranges::find(allowed, proxy.common_name) == allowed.end()) {
    return Fail(ErrorCode::kUnauthorized,
                "x509: subject with cn=" + proxy.common_name + " is not in the allowed list");
  }
  return ReadFrontProxyHeaders(authentication_info.proxy_headers, request.headers);
}

Authenticator::Found Authenticator::ByCertificate(
    const transport::Request& request, const ClusterAuthenticationInfo& authentication_info) const {
  if (!request.peer_certificates || !authentication_info.clients) return std::nullopt;
  const WallTime now = deps_.clock.WallNow();
  FLYBALL_TRY(auto certificate, ClientCertificate::Read(request.peer_certificates->front()));
  deps_.metrics.certificate_seconds.Observe(
      std::chrono::duration<double>(SaturatingSubtract(certificate.not_after, now)).count());
  if (const auto good = authentication_info.clients->roots.Verify(*request.peer_certificates, now);
      !good) {
    return std::unexpected(
        good.error().Wrap("verifying certificate " + certificate.identifier + " failed"));
  }
  if (certificate.common_name.empty()) return std::nullopt;
  FLYBALL_TRY(std::string uid, UidOf(certificate));
  User user{.name = std::move(certificate.common_name),
            .uid = std::move(uid),
            .groups = std::move(certificate.organizations)};
  user.extra[std::string(kCredentialId)] = {"X509SHA256=" + certificate.sha256};
  return user;
}

Authenticator::Found Authenticator::ByToken(
    const transport::Request& request,
    const ClusterAuthenticationInfo& /*authentication_info*/) const {
  if (deps_.tokens == nullptr) return std::nullopt;
  const std::string token = BearerToken(request.headers);
  if (token.empty()) return std::nullopt;
  FLYBALL_TRY(User user, deps_.tokens->Authenticate(token));
  return user;
}

Result<User> Authenticator::Authenticate(const transport::Request& request) const {
  const std::shared_ptr<const ClusterAuthenticationInfo> authentication_info =
      deps_.authentication_info();
  std::optional<Error> failure;
  for (const auto way :
       {&Authenticator::ByFrontProxy, &Authenticator::ByCertificate, &Authenticator::ByToken}) {
    auto found = (this->*way)(request, *authentication_info);
    if (found && *found) return Known(**std::move(found));
    if (!found) failure = failure ? found.error().Wrap(failure->message()) : found.error();
  }
  if (failure) return std::unexpected(*std::move(failure));
  return Anonymous();
}

}  // namespace flyball::endpoints
