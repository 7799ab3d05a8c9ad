#include "flyball/endpoints/authorization/access_reviews.h"

#include <utility>

#include "flyball/api/authorization/v1.h"
#include "flyball/api/json_encode.h"

namespace flyball::endpoints {
namespace {

using authorization::v1::SubjectAccessReview;

SubjectAccessReview QuestionAbout(const Attributes& attributes) {
  SubjectAccessReview review;
  review.spec.user = attributes.user.name;
  review.spec.uid = attributes.user.uid;
  review.spec.groups = attributes.user.groups;
  for (const auto& [key, values] : attributes.user.extra) review.spec.extra[key] = values;
  auto& what = review.spec.nonResourceAttributes.emplace();
  what.path = attributes.path;
  what.verb = attributes.verb;
  return review;
}

Result<Verdict> VerdictOf(authorization::v1::SubjectAccessReviewStatus status) {
  if (status.denied && status.allowed) {
    return Fail(ErrorCode::kMalformed,
                "webhook subject access review returned both allow and deny response");
  }
  const Decision decision = status.denied    ? Decision::kDenied
                            : status.allowed ? Decision::kAllowed
                                             : Decision::kNoOpinion;
  return Verdict{decision, std::move(status.reason)};
}

}  // namespace

Result<Verdict> AccessReviews::Authorize(const Attributes& attributes) {
  const SubjectAccessReview question = QuestionAbout(attributes);
  FLYBALL_TRY(const std::string key, api::EncodeJson(question.spec));
  const bool keep = attributes.verb.size() + attributes.path.size() < kLongestKept;
  if (keep) {
    if (auto known = Find(key)) return *std::move(known);
  }
  auto answer = Review(deps_, question, deps_.clock.DeadlineAfter(options_.timeout));
  if (!answer) {
    deps_.log.Error(answer.error(), "Failed to make webhook authorizer request",
                    {{"user", attributes.user.name}, {"path", attributes.path}});
    return std::unexpected(std::move(answer).error());
  }
  FLYBALL_TRY(Verdict verdict, VerdictOf(std::move(answer->status)));
  if (keep) Keep(key, verdict);
  return verdict;
}

std::optional<Verdict> AccessReviews::Find(const std::string& key) {
  const SteadyTime now = deps_.clock.SteadyNow();
  MutexLock lock(mutex_);
  const auto& kept = kept_.Use(key).value;
  if (!kept || kept->until <= now) return std::nullopt;
  return kept->verdict;
}

void AccessReviews::Keep(const std::string& key, const Verdict& verdict) {
  const bool allowed = verdict.decision == Decision::kAllowed;
  const SteadyTime until =
      deps_.clock.DeadlineAfter(allowed ? options_.allowed_ttl : options_.refused_ttl);
  MutexLock lock(mutex_);
  kept_.Use(key).value = Kept{verdict, until};
}

}  // namespace flyball::endpoints
