#include <string>
#include <utility>

#include "flyball/api/authentication/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/api/uid.h"
#include "flyball/sandbox/body.h"
#include "flyball/sandbox/kinds/subresources.h"
#include "flyball/sandbox/kinds/tokens.h"

namespace flyball::sandbox {
namespace {

using authentication::v1::TokenRequest;

constexpr std::int64_t kShortest = 600;
constexpr std::int64_t kDefault = 3600;
/// What pods' volumes ask for when nobody chose; such tokens live for a year behind that.
constexpr std::int64_t kByDefaultOfPods = 3607;
constexpr std::int64_t kYear = std::int64_t{365} * 24 * 3600;

StatusOr<> CheckRequest(const TokenRequest& request) {
  FieldErrors errors;
  const std::int64_t seconds = request.spec.expirationSeconds.value_or(kDefault);
  if (seconds < kShortest) {
    errors.push_back(FieldError::InvalidNumber("spec.expirationSeconds", seconds,
                                               "may not specify a duration less than 10 minutes"));
  }
  if (seconds > (std::int64_t{1} << 32)) {
    errors.push_back(FieldError::InvalidNumber(
        "spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds"));
  }
  if (errors.empty()) return {};
  return std::unexpected(Invalid("authentication.k8s.io", "TokenRequest", "", errors));
}

/// The object that the token ends with.
StatusOr<std::optional<TokenIssuer::BoundObject>> Bind(const ResourceRequest& call,
                                                       const TokenRequest& request,
                                                       const Objects& objects) {
  if (!request.spec.boundObjectRef) return std::nullopt;
  const auto& wanted = *request.spec.boundObjectRef;
  const bool node = wanted.kind == "Node";
  if (wanted.kind != "Pod" && wanted.kind != "Secret" && !node) {
    return std::unexpected(BadRequest("cannot bind token for object of type /" + wanted.apiVersion +
                                      ", Kind=" + wanted.kind));
  }
  const std::string plural = node ? "nodes" : wanted.kind == "Pod" ? "pods" : "secrets";
  const RecordPtr record = objects.Find(plural, node ? "" : call.target().namespace_, wanted.name);
  if (!record) return std::unexpected(NotFound({"", plural}, wanted.name));
  if (wanted.kind == "Pod" && record->Field("spec.serviceAccountName") != call.target().name) {
    return std::unexpected(BadRequest("cannot bind token for serviceaccount " +
                                      api::Json(call.target().name).ToString() +
                                      " to pod running with different serviceaccount name."));
  }
  if (!wanted.uid.empty() && wanted.uid != record->uid()) {
    return std::unexpected(Conflict({"", plural}, wanted.name,
                                    "the UID in the bound object reference (" + wanted.uid +
                                        ") does not match the UID in record. The object might "
                                        "have been deleted and then recreated"));
  }
  return TokenIssuer::BoundObject{wanted.kind, wanted.name, record->uid()};
}

StatusOr<Reply> Issue(const ResourceRequest& call, SubresourceDeps deps) {
  TokenRequest request;
  FLYBALL_TRY(ReadOptions(call.request, TokenRequest::kType, &request));
  FLYBALL_TRY(deps.writes.CheckNamespace(call, call.target().name));
  const auto account = deps.objects.Get<core::v1::ServiceAccount>(
      "serviceaccounts", call.target().namespace_, call.target().name);
  if (!account) return std::unexpected(NotFound({"", "serviceaccounts"}, call.target().name));
  auto& spec = request.spec;
  if (spec.audiences.empty()) spec.audiences.emplace_back(kServerAudience);
  if (!spec.expirationSeconds) spec.expirationSeconds = kDefault;
  FLYBALL_TRY(CheckRequest(request));
  request.metadata.name = account->metadata.name;
  request.metadata.namespace_ = account->metadata.namespace_;
  request.metadata.uid = account->metadata.uid;
  const api::Time now = api::Time(deps.objects.Now()).WholeSeconds();
  request.metadata.creationTimestamp = now;

  TokenIssuer::Claims claims;
  FLYBALL_TRY(claims.bound, Bind(call, request, deps.objects));
  claims.namespace_ = account->metadata.namespace_;
  claims.account = account->metadata.name;
  claims.account_uid = account->metadata.uid;
  claims.audiences = spec.audiences;
  claims.issued = now.unix_seconds();
  const bool by_default = claims.bound && spec.expirationSeconds == kByDefaultOfPods;
  claims.expires = claims.issued + (by_default ? kYear : *spec.expirationSeconds);
  claims.id = api::NewUid(deps.objects.random());
  request.status = {};
  request.status.token = deps.tokens.Sign(claims);
  request.status.expirationTimestamp = api::Time::FromUnix(claims.issued + *spec.expirationSeconds);
  return Reply::Of(std::move(request), 201);
}

}  // namespace

void IssueToken(const ResourceRequest& call, std::string_view /*verb*/, SubresourceDeps deps,
                OnReply done) {
  done(Issue(call, deps));
}

}  // namespace flyball::sandbox
