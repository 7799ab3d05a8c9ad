#include <algorithm>
#include <utility>

#include "flyball/api/authentication/v1.h"
#include "flyball/api/authorization/v1.h"
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

Answered<Reply> AnswerTokenReview(const Call& call, Desk desk) {
  TokenReview review;
  FLYBALL_TRY(ReadOptions(call.request, TokenReview::kType, &review));
  if (review.spec.token.empty()) {
    return std::unexpected(BadRequest("token is required for TokenReview in authentication"));
  }
  auto audiences = review.spec.audiences;
  if (audiences.empty()) audiences.emplace_back(kServerAudience);
  review.status = {};
  if (const auto user = desk.authenticate(review.spec.token, audiences)) {
    review.status.authenticated = true;
    review.status.user = InfoOf(*user);
    review.status.audiences = std::move(audiences);
  } else {
    review.status.error = "invalid bearer token";
  }
  return Reply::Of(std::move(review), 201);
}

/// Who is known may do everything.
template <typename Review>
Answered<Reply> AllowAll(const Call& call) {
  Review review;
  FLYBALL_TRY(ReadOptions(call.request, Review::kType, &review));
  review.status = {};
  review.status.allowed = true;
  return Reply::Of(std::move(review), 201);
}

Answered<Reply> ListRules(const Call& call) {
  authorization::v1::SelfSubjectRulesReview review;
  FLYBALL_TRY(ReadOptions(call.request, authorization::v1::SelfSubjectRulesReview::kType, &review));
  review.status = {};
  auto& rule = review.status.resourceRules.emplace_back();
  rule.verbs = {"*"};
  rule.apiGroups = {"*"};
  rule.resources = {"*"};
  auto& other = review.status.nonResourceRules.emplace_back();
  other.verbs = {"*"};
  other.nonResourceURLs = {"*"};
  return Reply::Of(std::move(review), 201);
}

Answered<Reply> WhoAmI(const Call& call) {
  authentication::v1::SelfSubjectReview review;
  FLYBALL_TRY(ReadOptions(call.request, authentication::v1::SelfSubjectReview::kType, &review));
  review.status = {};
  review.status.userInfo = InfoOf(call.request.user);
  auto& groups = review.status.userInfo.groups;
  if (std::ranges::find(groups, "system:authenticated") == groups.end()) {
    groups.emplace_back("system:authenticated");
  }
  return Reply::Of(std::move(review), 201);
}

Answered<Reply> Answer(const Call& call, Desk desk) {
  const std::string& plural = call.resource->plural;
  if (plural == "tokenreviews") return AnswerTokenReview(call, desk);
  if (plural == "selfsubjectreviews") return WhoAmI(call);
  if (plural == "selfsubjectrulesreviews") return ListRules(call);
  if (plural == "subjectaccessreviews") {
    return AllowAll<authorization::v1::SubjectAccessReview>(call);
  }
  if (plural == "selfsubjectaccessreviews") {
    return AllowAll<authorization::v1::SelfSubjectAccessReview>(call);
  }
  return AllowAll<authorization::v1::LocalSubjectAccessReview>(call);
}

}  // namespace

void AnswerReview(const Call& call, std::string_view /*verb*/, Desk desk, OnReply done) {
  done(Answer(call, desk));
}

}  // namespace flyball::sandbox
