#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/authentication/v1.h"
#include "flyball/api/authorization/v1.h"
#include "flyball/api/json_encode.h"
#include "flyball/client/object_codec.h"
#include "flyball/transport/transport_fake.h"

namespace flyball::endpoints {

/// Stands in for an API server that is asked whose a token is and who may do what. A test says
/// that, looks at what was asked, and breaks it.
class FakeReviewServer {
 public:
  using TokenReview = authentication::v1::TokenReview;
  using AccessReview = authorization::v1::SubjectAccessReview;
  using Answer = transport::FakeTransport::Answer;

  std::map<std::string, authentication::v1::UserInfo> tokens = {};
  std::string why_not = {};                                    ///< of other tokens, if it says so
  std::set<std::pair<std::string, std::string>> allowed = {};  ///< user and path
  std::string reason = {};                                     ///< of who is not
  bool denies = false;                                         ///< rather than have no opinion
  std::vector<Answer> failures = {};                           ///< what comes first, instead

  std::vector<TokenReview> token_reviews = {};
  std::vector<AccessReview> access_reviews = {};

  transport::Transport& transport() { return transport_; }

 private:
  Answer Reply(const transport::Request& request) {
    const bool token = transport::WithoutTimeout(request.target).ends_with("/tokenreviews");
    if (token) token_reviews.push_back(*client::DecodeBody<TokenReview>(request.body));
    if (!token) access_reviews.push_back(*client::DecodeBody<AccessReview>(request.body));
    if (!failures.empty()) {
      Answer failure = failures.front();
      failures.erase(failures.begin());
      return failure;
    }
    return token ? ReplyToken(token_reviews.back()) : ReplyAccess(access_reviews.back());
  }

  Answer ReplyToken(TokenReview review) const {
    const auto found = tokens.find(review.spec.token);
    review.status.authenticated = found != tokens.end();
    if (found != tokens.end()) review.status.user = found->second;
    if (found == tokens.end()) review.status.error = why_not;
    review.kind = "TokenReview";
    review.apiVersion = "authentication.k8s.io/v1";
    return Answer::Of(201, *api::EncodeJson(review));
  }

  Answer ReplyAccess(AccessReview review) const {
    const auto& spec = review.spec;
    review.status.allowed = allowed.contains({spec.user, spec.nonResourceAttributes->path});
    review.status.denied = !review.status.allowed && denies;
    if (!review.status.allowed) review.status.reason = reason;
    review.kind = "SubjectAccessReview";
    review.apiVersion = "authorization.k8s.io/v1";
    return Answer::Of(201, *api::EncodeJson(review));
  }

  transport::FakeTransport transport_{
      [this](const transport::Request& request) { return Reply(request); }};
};

}  // namespace flyball::endpoints
