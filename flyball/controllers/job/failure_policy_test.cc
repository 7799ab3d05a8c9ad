#include "flyball/controllers/job/failure_policy.h"

#include <gtest/gtest.h>

#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;
using batch::v1::PodFailurePolicyRule;
using std::chrono::seconds;

FailureHandling By(const std::vector<PodFailurePolicyRule>& rules, const ChangePod& pod) {
  const Job job = FakeJob(1, [&](Job& its) { its.spec.podFailurePolicy.emplace().rules = rules; });
  return HandlingOf(FakePod("p", "Failed", pod).pod(), job);
}

ChangePod ExitsWith(std::int32_t code) { return EndedAgo(seconds(1), code); }
ChangePod HasCondition(const std::string& type, const std::string& status = "True") {
  return [=](core::v1::Pod& pod) {
    auto& condition = pod.status.conditions.emplace_back();
    condition.type = type;
    condition.status = status;
  };
}

const FailureHandling kCounts{};

TEST(FailurePolicy, WithoutOneEveryFailureCounts) {
  EXPECT_EQ(HandlingOf(FakePod("p", "Failed", ExitsWith(1)).pod(), FakeJob(1)), kCounts);
}

TEST(FailurePolicy, ARuleForExitCodesDecides) {
  EXPECT_EQ(By({ExitCodeRule("Ignore", "In", {3, 5})}, ExitsWith(5)),
            (FailureHandling{.counts = false, .action = "Ignore"}));
  EXPECT_EQ(By({ExitCodeRule("Ignore", "In", {3, 5})}, ExitsWith(4)), kCounts);
  EXPECT_EQ(By({ExitCodeRule("Count", "NotIn", {3, 5})}, ExitsWith(4)),
            (FailureHandling{.action = "Count"}));
  EXPECT_EQ(By({ExitCodeRule("Count", "NotIn", {3, 5})}, ExitsWith(3)), kCounts);
  EXPECT_EQ(By({ExitCodeRule("FailIndex", "In", {3})}, ExitsWith(3)),
            (FailureHandling{.action = "FailIndex"}));
  EXPECT_EQ(By({ExitCodeRule("Count", "Between", {3})}, ExitsWith(3)), kCounts);
}

TEST(FailurePolicy, ACodeThatMeansSuccessFitsNoRule) {
  EXPECT_EQ(By({ExitCodeRule("FailJob", "NotIn", {3})}, ExitsWith(0)), kCounts);
}

TEST(FailurePolicy, AContainerThatHasNotEndedHasNoCode) {
  EXPECT_EQ(By({ExitCodeRule("FailJob", "NotIn", {3})},
               [](core::v1::Pod& pod) { pod.status.containerStatuses.emplace_back().name = "a"; }),
            kCounts);
}

TEST(FailurePolicy, ARuleThatFailsTheJobSaysWhy) {
  EXPECT_EQ(
      By({ExitCodeRule("Ignore", "In", {1}), ExitCodeRule("FailJob", "In", {42})}, ExitsWith(42)),
      (FailureHandling{.fails_job = "Container main for pod ns/p failed with exit code 42 "
                                    "matching FailJob rule at index 1",
                       .action = "FailJob"}));
  EXPECT_EQ(By({ConditionRule("FailJob", "ConfigIssue")}, HasCondition("ConfigIssue")),
            (FailureHandling{
                .fails_job = "Pod ns/p has condition ConfigIssue matching FailJob rule at index 0",
                .action = "FailJob"}));
}

TEST(FailurePolicy, InitContainersAreLookedAtAfterTheOthers) {
  const auto change = [](core::v1::Pod& pod) {
    auto& status = pod.status.initContainerStatuses.emplace_back();
    status.name = "init";
    status.state.terminated.emplace().exitCode = 9;
  };
  EXPECT_EQ(By({ExitCodeRule("Ignore", "In", {9})}, change).action, "Ignore");
}

TEST(FailurePolicy, ARuleMayBeForOneContainer) {
  PodFailurePolicyRule rule = ExitCodeRule("Ignore", "In", {9});
  rule.onExitCodes->containerName = "other";
  EXPECT_EQ(By({rule}, ExitsWith(9)), kCounts);
  rule.onExitCodes->containerName = "main";
  EXPECT_EQ(By({rule}, ExitsWith(9)).action, "Ignore");
}

TEST(FailurePolicy, ARuleForConditionsDecides) {
  const auto rule = ConditionRule("Ignore", "DisruptionTarget");
  EXPECT_EQ(By({rule}, HasCondition("DisruptionTarget")).action, "Ignore");
  EXPECT_EQ(By({rule}, HasCondition("DisruptionTarget", "False")), kCounts);
  EXPECT_EQ(By({rule}, HasCondition("Other")), kCounts);
}

TEST(FailurePolicy, TheFirstRuleThatFitsDecidesAndUnknownActionsArePassedOver) {
  EXPECT_EQ(By({ExitCodeRule("Restart", "In", {1}), ExitCodeRule("Count", "In", {1}),
                ExitCodeRule("Ignore", "In", {1})},
               ExitsWith(1)),
            (FailureHandling{.action = "Count"}));
}

}  // namespace
}  // namespace flyball::controllers::job
