#include "flyball/controllers/job/success_policy.h"

#include "flyball/controllers/job/job_spec.h"

namespace flyball::controllers::job {
namespace {

bool IsMet(const batch::v1::SuccessPolicyRule& rule, std::int64_t count, const Indexes& succeeded) {
  if (!rule.succeededIndexes) {
    return rule.succeededCount && succeeded.total() >= *rule.succeededCount;
  }
  const Indexes wanted = Indexes::Parse(*rule.succeededIndexes, count);
  if (wanted.empty()) return false;
  const std::int64_t met = wanted.InCommonWith(succeeded);
  return met == wanted.total() || (rule.succeededCount && met >= *rule.succeededCount);
}

}  // namespace

std::optional<std::string> SuccessBy(const batch::v1::Job& job, const Indexes& succeeded) {
  if (!job.spec.successPolicy || succeeded.empty()) return std::nullopt;
  const auto& rules = job.spec.successPolicy->rules;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (IsMet(rules[i], IndexCountOf(job), succeeded)) {
      return "Matched rules at index " + std::to_string(i);
    }
  }
  return std::nullopt;
}

}  // namespace flyball::controllers::job
