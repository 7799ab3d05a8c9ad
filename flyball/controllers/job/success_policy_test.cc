#include "flyball/controllers/job/success_policy.h"

#include <gtest/gtest.h>

#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;

struct Rule {
  std::optional<std::string> indexes;
  std::optional<std::int32_t> count;
};

std::optional<std::string> By(const std::vector<Rule>& rules, const std::string& succeeded) {
  const Job job = FakeIndexedJob(10, [&](Job& its) {
    auto& policy = its.spec.successPolicy.emplace();
    for (const Rule& rule : rules) {
      auto& added = policy.rules.emplace_back();
      added.succeededIndexes = rule.indexes;
      added.succeededCount = rule.count;
    }
  });
  return SuccessBy(job, Indexes::Parse(succeeded, 10));
}

const auto kNotYet = std::nullopt;
const std::string kFirst = "Matched rules at index 0";
const std::string kSecond = "Matched rules at index 1";

TEST(SuccessPolicy, WithoutOneNothingIsMet) {
  EXPECT_EQ(SuccessBy(FakeIndexedJob(3), Indexes({0, 1, 2})), kNotYet);
}

TEST(SuccessPolicy, ARuleWantsIndexesOrSoManyOrSoManyOfThem) {
  EXPECT_EQ(By({{"0,2-3", {}}}, "0,2,3,7"), kFirst);
  EXPECT_EQ(By({{"0,2-3", {}}}, "0,2,7"), kNotYet);
  EXPECT_EQ(By({{{}, 3}}, "1,5,9"), kFirst);
  EXPECT_EQ(By({{{}, 3}}, "1,5"), kNotYet);
  EXPECT_EQ(By({{"0-4", 2}}, "1,4,8"), kFirst);
  EXPECT_EQ(By({{"0-4", 2}}, "1,8"), kNotYet);
}

TEST(SuccessPolicy, IndexesThatTheJobHasNotAreNotWantedAndARuleForNoneIsNeverMet) {
  EXPECT_EQ(By({{"8-20", {}}}, "8,9"), kFirst);
  EXPECT_EQ(By({{"10-20", {}}}, "0-9"), kNotYet);
  EXPECT_EQ(By({{"x", 1}}, "0-9"), kNotYet);
  EXPECT_EQ(By({{{}, {}}}, "0-9"), kNotYet);
  EXPECT_EQ(By({{{}, 0}}, ""), kNotYet);
}

TEST(SuccessPolicy, TheFirstRuleThatIsMetIsNamed) {
  EXPECT_EQ(By({{"0", {}}, {"1", {}}}, "1"), kSecond);
  EXPECT_EQ(By({{"0", {}}, {"1", {}}}, "0,1"), kFirst);
}

}  // namespace
}  // namespace flyball::controllers::job
