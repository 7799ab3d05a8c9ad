#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "flyball/api/authentication/v1.h"
#include "flyball/api/authorization/v1.h"
#include "flyball/sandbox/authorization.h"
#include "flyball/sandbox/body.h"
#include "flyball/sandbox/kinds/subresources.h"
#include "flyball/sandbox/kinds/tokens.h"

namespace flyball::sandbox {
namespace {

using authentication::v1::TokenReview;

authentication::v1::UserInfo InfoOf(const User& user) {
  authentication::v1::UserInfo info;
  info.username = user.name;
  info.uid = user.uid;
  info.groups = user.groups;
  for (const auto& [key, values] : user.extra) info.extra[key] = values;
  return info;
}

StatusOr<Reply> AnswerTokenReview(const ResourceRequest& call, SubresourceDeps deps) {
  TokenReview review;
  FLYBALL_TRY(ReadOptions(call.request, TokenReview::kType, &review));
  if (review.spec.token.empty()) {
    return std::unexpected(BadRequest("token is required for TokenReview in authentication"));
  }
  auto audiences = review.spec.audiences;
  if (audiences.empty()) audiences.emplace_back(kServerAudience);
  review.status = {};
  if (const auto user = deps.authenticate(review.spec.token, audiences)) {
    review.status.authenticated = true;
    review.status.user = InfoOf(*user);
    review.status.audiences = std::move(audiences);
  } else {
    review.status.error = "invalid bearer token";
  }
  return Reply::Of(std::move(review), 201);
}

bool IsAllowed(const authorization::v1::SelfSubjectAccessReview& review, const User& user) {
  const auto& asked = review.spec.resourceAttributes;
  return MayDoEverything(user.groups) || (asked && IsForEverybody(asked->resource));
}
template <typename Review>
bool IsAllowed(const Review& review, const User& /*user*/) {
  return MayDoEverything(review.spec.groups);
}

template <typename Review>
StatusOr<Reply> ReviewAccess(const ResourceRequest& call) {
  Review review;
  FLYBALL_TRY(ReadOptions(call.request, Review::kType, &review));
  review.status = {};
  review.status.allowed = IsAllowed(review, call.request.user);
  return Reply::Of(std::move(review), 201);
}

// What upstream's roles give to everybody whom it knows, in the order of the roles.
constexpr std::string_view kOwnReviews[][2] = {
    {"authentication.k8s.io", "selfsubjectreviews"},
    {"authorization.k8s.io", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectrulesreviews"},
};
constexpr std::string_view kDiscoveryPaths[] = {"/api",     "/api/*",   "/apis",    "/apis/*",
                                                "/healthz", "/livez",   "/openapi", "/openapi/*",
                                                "/readyz",  "/version", "/version/"};
constexpr std::string_view kPublicPaths[] = {"/healthz", "/livez", "/readyz", "/version",
                                             "/version/"};
constexpr std::string_view kAllPaths[] = {"*"};

StatusOr<Reply> ListRules(const ResourceRequest& call) {
  authorization::v1::SelfSubjectRulesReview review;
  FLYBALL_TRY(ReadOptions(call.request, authorization::v1::SelfSubjectRulesReview::kType, &review));
  review.status = {};
  const auto add_resource = [&](std::string_view group, std::string_view plural,
                                std::string_view verb) {
    auto& rule = review.status.resourceRules.emplace_back();
    rule.verbs.emplace_back(verb);
    rule.apiGroups.emplace_back(group);
    rule.resources.emplace_back(plural);
  };
  const auto add_paths = [&](std::span<const std::string_view> paths, std::string_view verb) {
    auto& rule = review.status.nonResourceRules.emplace_back();
    rule.verbs.emplace_back(verb);
    rule.nonResourceURLs.assign(paths.begin(), paths.end());
  };
  if (MayDoEverything(call.request.user.groups)) {
    add_resource("*", "*", "*");
    add_paths(kAllPaths, "*");
  }
  for (const auto& [group, plural] : kOwnReviews) add_resource(group, plural, "create");
  add_paths(kDiscoveryPaths, "get");
  add_paths(kPublicPaths, "get");
  return Reply::Of(std::move(review), 201);
}

StatusOr<Reply> WhoAmI(const ResourceRequest& call, SubresourceDeps deps) {
  authentication::v1::SelfSubjectReview review;
  FLYBALL_TRY(ReadOptions(call.request, authentication::v1::SelfSubjectReview::kType, &review));
  review.metadata.creationTimestamp = api::Time(deps.objects.Now()).WholeSeconds();
  review.status = {};
  review.status.userInfo = InfoOf(call.request.user);
  auto& groups = review.status.userInfo.groups;
  if (std::ranges::find(groups, "system:authenticated") == groups.end()) {
    groups.emplace_back("system:authenticated");
  }
  return Reply::Of(std::move(review), 201);
}

StatusOr<Reply> Answer(const ResourceRequest& call, SubresourceDeps deps) {
  const std::string& plural = call.resource->plural;
  if (plural == "tokenreviews") return AnswerTokenReview(call, deps);
  if (plural == "selfsubjectreviews") return WhoAmI(call, deps);
  if (plural == "selfsubjectrulesreviews") return ListRules(call);
  if (plural == "subjectaccessreviews") {
    return ReviewAccess<authorization::v1::SubjectAccessReview>(call);
  }
  if (plural == "selfsubjectaccessreviews") {
    return ReviewAccess<authorization::v1::SelfSubjectAccessReview>(call);
  }
  return ReviewAccess<authorization::v1::LocalSubjectAccessReview>(call);
}

}  // namespace

void AnswerReview(const ResourceRequest& call, std::string_view /*verb*/, SubresourceDeps deps,
                  OnReply done) {
  done(Answer(call, deps));
}

}  // namespace flyball::sandbox
