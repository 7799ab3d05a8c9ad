#include "flyball/controllers/disruption/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/disruption/internal/disruption_fake.h"

namespace flyball::controllers::disruption {
namespace {

using api::IntOrString;
using api::Time;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::chrono::minutes kAgo(10);

// What a budget asks for.

struct DemandCase {
  std::string min_available;  ///< a number or a share; empty: not there
  std::string max_unavailable;
  std::int32_t size;
  std::string wanted;  ///< "healthy of expected", or the error
};

std::string Wanted(const DemandCase& its) {
  PodDisruptionBudget budget = FakeBudget("web");
  if (!its.min_available.empty()) budget.spec.minAvailable = IntOrString::Parse(its.min_available);
  if (!its.max_unavailable.empty()) {
    budget.spec.maxUnavailable = IntOrString::Parse(its.max_unavailable);
  }
  const auto demand = DemandOf(budget, its.size);
  if (!demand) return demand.error().message();
  return std::to_string(demand->healthy) + " of " + std::to_string(demand->expected);
}

TEST(DisruptionPlan, ReadsNumbersAndShares) {
  const DemandCase cases[] = {
      {"2", "", 3, "2 of 3"},
      {"0", "", 3, "0 of 3"},
      {"5", "", 3, "5 of 3"},
      {"50%", "", 4, "2 of 4"},
      // What must be there is rounded up, and so is what may be missing.
      {"50%", "", 5, "3 of 5"},
      {"100%", "", 5, "5 of 5"},
      {"", "50%", 5, "2 of 5"},
      {"", "1%", 5, "4 of 5"},
      {"", "1", 5, "4 of 5"},
      {"", "0", 5, "5 of 5"},
      {"", "7", 5, "0 of 5"},
      {"", "100%", 5, "0 of 5"},
      {"", "1", 0, "0 of 0"},
      // The server refuses both at once.
      {"4", "2", 5, "3 of 5"},
      {"", "", 5, "0 of 0"},
  };
  for (const DemandCase& each : cases) {
    EXPECT_EQ(Wanted(each), each.wanted) << each.min_available << " " << each.max_unavailable;
  }
}

TEST(DisruptionPlan, SaysInUpstreamsWordsWhatIsWrongWithAShare) {
  const std::string why = "invalid value for IntOrString: ";
  const DemandCase cases[] = {
      {"", "half", 3, why + "invalid type: string is not a percentage"},
      {"half", "", 3, why + "invalid type: string is not a percentage"},
      {"", "x%", 3, why + R"(invalid value "x%": strconv.Atoi: parsing "x": invalid syntax)"},
      {"", "%", 3, why + R"(invalid value "%": strconv.Atoi: parsing "": invalid syntax)"},
      {"99999999999999999999%", "", 3,
       why + R"(invalid value "99999999999999999999%": )" +
           R"(strconv.Atoi: parsing "99999999999999999999": value out of range)"},
  };
  for (const DemandCase& each : cases) EXPECT_EQ(Wanted(each), each.wanted);
}

TEST(DisruptionPlan, GoesByScaleUnlessItIsANumberThatMustBeAvailable) {
  PodDisruptionBudget budget = FakeBudget("web");
  EXPECT_FALSE(GoesByScale(budget));
  budget.spec.minAvailable = IntOrString(2);
  EXPECT_FALSE(GoesByScale(budget));
  budget.spec.minAvailable = IntOrString("50%");
  EXPECT_TRUE(GoesByScale(budget));
  budget.spec.minAvailable.reset();
  budget.spec.maxUnavailable = IntOrString(1);
  EXPECT_TRUE(GoesByScale(budget));
}

// What is decided.

PodRef Ready(const std::string& name) { return ViewOf(FakePod(name)); }
PodRef Unready(const std::string& name) {
  core::v1::Pod pod = FakePod(name);
  pod.status.conditions = {FakeCondition("Ready", "False")};
  return ViewOf(pod);
}
PodRef Going(const std::string& name) {
  core::v1::Pod pod = FakePod(name);
  pod.metadata.deletionTimestamp = Time(kNow);
  return ViewOf(pod);
}

meta::v1::Condition Allowed(const std::string& status, const std::string& reason,
                            WallTime since = kNow, const std::string& message = "") {
  meta::v1::Condition condition;
  condition.type = "DisruptionAllowed";
  condition.status = status;
  condition.reason = reason;
  condition.message = message;
  condition.observedGeneration = 1;
  condition.lastTransitionTime = Time(since);
  return condition;
}

/// A budget that says what PlanFor() would have it say of two pods that are ready, one of which may
/// go.
PodDisruptionBudget UpToDate() {
  PodDisruptionBudget budget = FakeBudget("web");
  budget.status.observedGeneration = 1;
  budget.status.disruptionsAllowed = 1;
  budget.status.currentHealthy = 2;
  budget.status.desiredHealthy = 1;
  budget.status.expectedPods = 2;
  budget.status.conditions = {Allowed("True", "SufficientPods", kNow - kAgo)};
  return budget;
}

TEST(DisruptionPlan, SaysHowManyMayGo) {
  const PodDisruptionBudget budget = FakeBudget("web");
  const Plan plan = PlanFor(budget, {Ready("a"), Ready("b"), Unready("c"), Going("d")},
                            {.expected = 4, .healthy = 1}, kNow);
  PodDisruptionBudget wanted = budget;
  wanted.status.observedGeneration = 1;
  wanted.status.disruptionsAllowed = 1;
  wanted.status.currentHealthy = 2;
  wanted.status.desiredHealthy = 1;
  wanted.status.expectedPods = 4;
  wanted.status.conditions = {Allowed("True", "SufficientPods")};
  EXPECT_EQ(plan, Plan{.update = wanted});
  EXPECT_EQ(plan.ToString(), "of 4 pods 2 are healthy, 1 must be: 1 may go");
}

TEST(DisruptionPlan, SaysThatNoneMayGo) {
  const Plan plan =
      PlanFor(UpToDate(), {Ready("a"), Unready("b")}, {.expected = 2, .healthy = 2}, kNow);
  PodDisruptionBudget wanted = UpToDate();
  wanted.status.disruptionsAllowed = 0;
  wanted.status.currentHealthy = 1;
  wanted.status.desiredHealthy = 2;
  wanted.status.conditions = {Allowed("False", "InsufficientPods")};
  EXPECT_EQ(plan, Plan{.update = wanted});
}

TEST(DisruptionPlan, LetsNoneGoOfPodsThatNobodyExpects) {
  const Plan plan = PlanFor(FakeBudget("web"), {Ready("a")}, {.expected = 0, .healthy = 0}, kNow);
  ASSERT_TRUE(plan.update);
  EXPECT_EQ(plan.update->status.currentHealthy, 1);
  EXPECT_EQ(plan.update->status.disruptionsAllowed, 0);
  EXPECT_THAT(plan.update->status.conditions, ElementsAre(Allowed("False", "InsufficientPods")));
}

TEST(DisruptionPlan, WritesNothingThatIsThereAlready) {
  const Plan plan =
      PlanFor(UpToDate(), {Ready("a"), Ready("b")}, {.expected = 2, .healthy = 1}, kNow);
  EXPECT_EQ(plan, Plan());
  EXPECT_EQ(plan.ToString(), "nothing to do");
}

TEST(DisruptionPlan, SaysWhichGenerationItHasSeen) {
  PodDisruptionBudget budget = UpToDate();
  budget.metadata.generation = 2;
  const Plan plan = PlanFor(budget, {Ready("a"), Ready("b")}, {.expected = 2, .healthy = 1}, kNow);
  PodDisruptionBudget wanted = budget;
  wanted.status.observedGeneration = 2;
  wanted.status.conditions.front().observedGeneration = 2;
  EXPECT_EQ(plan, Plan{.update = wanted});
}

TEST(DisruptionPlan, KeepsWhatOthersSayOfABudget) {
  PodDisruptionBudget budget = UpToDate();
  meta::v1::Condition other = Allowed("True", "Because");
  other.type = "Other";
  budget.status.conditions.insert(budget.status.conditions.begin(), other);
  const Plan plan = PlanFor(budget, {Ready("a")}, {.expected = 2, .healthy = 1}, kNow);
  ASSERT_TRUE(plan.update);
  EXPECT_THAT(plan.update->status.conditions,
              ElementsAre(other, Allowed("False", "InsufficientPods")));
}

// Those whom the server has let go.

TEST(DisruptionPlan, CountsAPodOutThatIsAboutToGo) {
  PodDisruptionBudget budget = UpToDate();
  budget.status.disruptedPods = {{"a", Time(kNow - seconds(100))}};
  const Plan plan = PlanFor(budget, {Ready("a"), Ready("b")}, {.expected = 2, .healthy = 1}, kNow);
  PodDisruptionBudget wanted = budget;
  wanted.status.disruptionsAllowed = 0;
  wanted.status.currentHealthy = 1;
  wanted.status.conditions = {Allowed("False", "InsufficientPods")};
  EXPECT_EQ(plan, (Plan{.update = wanted, .check_after = seconds(20) + nanoseconds(1)}));
}

TEST(DisruptionPlan, ForgetsPodsThatGoAreGoneOrAreNotItsOwn) {
  PodDisruptionBudget budget = UpToDate();
  budget.status.disruptedPods = {{"going", Time(kNow)}, {"gone", Time(kNow)}};
  const Plan plan = PlanFor(budget, {Ready("a"), Ready("b"), Going("going")},
                            {.expected = 2, .healthy = 1}, kNow);
  EXPECT_EQ(plan, Plan{.update = UpToDate()});
}

TEST(DisruptionPlan, CountsAPodAgainThatDoesNotGo) {
  PodDisruptionBudget budget = UpToDate();
  budget.status.disruptedPods = {{"a", Time(kNow - seconds(121))}};
  const PodRef stays = Ready("a");
  const Plan plan = PlanFor(budget, {stays, Ready("b")}, {.expected = 2, .healthy = 1}, kNow);
  EXPECT_EQ(plan, (Plan{.update = UpToDate(), .overdue = {stays}}));
  EXPECT_EQ(plan.ToString(),
            "of 2 pods 2 are healthy, 1 must be: 1 may go; 1 did not go that were to be evicted");
}

TEST(DisruptionPlan, ChecksAgainAfterTheMomentAtWhichAPodIsDueAndNotAtIt) {
  PodDisruptionBudget budget = UpToDate();
  budget.status.disruptedPods = {{"a", Time(kNow - kDeletionTimeout)}};
  const Plan plan = PlanFor(budget, {Ready("a"), Ready("b")}, {.expected = 2, .healthy = 1}, kNow);
  // Still waited for, and counted again.
  EXPECT_EQ(plan, Plan{.check_after = nanoseconds(1)});
}

TEST(DisruptionPlan, ChecksAgainAfterTheLongestTimeWhereAPodWasLetGoInYear9999) {
  PodDisruptionBudget budget = UpToDate();
  budget.status.disruptedPods["a"] = *Time::Parse("9999-12-31T23:59:59Z");
  EXPECT_EQ(PlanFor(budget, {Ready("a")}, {.expected = 1, .healthy = 0}, kNow).check_after,
            nanoseconds::max());
}

TEST(DisruptionPlan, ChecksAgainWhenTheFirstIsDue) {
  PodDisruptionBudget budget = FakeBudget("web");
  budget.status.disruptedPods = {{"a", Time(kNow - seconds(5))},
                                 {"b", Time(kNow - seconds(50))},
                                 {"c", Time(kNow - seconds(20))}};
  const Plan plan =
      PlanFor(budget, {Ready("a"), Ready("b"), Ready("c")}, {.expected = 3, .healthy = 1}, kNow);
  EXPECT_EQ(plan.check_after, seconds(70) + nanoseconds(1));
  EXPECT_THAT(plan.overdue, IsEmpty());
}

// Where nobody can tell.

TEST(DisruptionPlan, LetsNoneGoWhereNobodyCanTellHowManyMay) {
  const auto update = FailSafe(UpToDate(), "found no controllers", kNow);
  PodDisruptionBudget wanted = UpToDate();
  wanted.status.disruptionsAllowed = 0;
  wanted.status.conditions = {Allowed("False", "SyncFailed", kNow, "found no controllers")};
  EXPECT_EQ(update, wanted);
  EXPECT_EQ(FailSafe(wanted, "found no controllers", kNow + seconds(1)), std::nullopt);
}

TEST(DisruptionPlan, SaysSinceWhenNoneMayGoNotSinceWhenForThisReason) {
  PodDisruptionBudget budget = UpToDate();
  budget.status.disruptionsAllowed = 0;
  budget.status.conditions = {Allowed("False", "InsufficientPods", kNow - kAgo)};
  const auto failed = FailSafe(budget, "why", kNow);
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->status.conditions,
              ElementsAre(Allowed("False", "SyncFailed", kNow - kAgo, "why")));
  const Plan plan = PlanFor(*failed, {}, {.expected = 0, .healthy = 0}, kNow);
  ASSERT_TRUE(plan.update);
  EXPECT_THAT(plan.update->status.conditions,
              ElementsAre(Allowed("False", "InsufficientPods", kNow - kAgo)));
}

}  // namespace
}  // namespace flyball::controllers::disruption
