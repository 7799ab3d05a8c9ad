#include "flyball/controllers/disruption/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/disruption/internal/disruption_fixture.h"

/// What a budget says of its pods. Whose pods they are: scales_test.cc.
namespace flyball::controllers::disruption {
namespace {

using sandbox::Fault;
using sandbox::Requests;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST_F(DisruptionTest, SaysHowManyPodsMayGo) {
  PlayIt([&] {
    CreatePod("a");
    CreatePod("b");
    CreateMinAvailable("1");
    Settle();
    const Budget budget = Get();
    EXPECT_EQ(budget.status.observedGeneration, 1);
    EXPECT_EQ(budget.status.currentHealthy, 2);
    EXPECT_EQ(budget.status.desiredHealthy, 1);
    EXPECT_EQ(budget.status.expectedPods, 2);
    EXPECT_EQ(budget.status.disruptionsAllowed, 1);
    ASSERT_EQ(budget.status.conditions.size(), 1);
    const auto& condition = budget.status.conditions.front();
    EXPECT_EQ(condition.type, "DisruptionAllowed");
    EXPECT_EQ(condition.status, "True");
    EXPECT_EQ(condition.reason, "SufficientPods");
    EXPECT_EQ(condition.message, "");
    EXPECT_EQ(condition.observedGeneration, 1);
    EXPECT_EQ(condition.lastTransitionTime, api::Time(executor_.clock().WallNow()).WholeSeconds());
    EXPECT_THAT(TakeRequests(), ElementsAre(kWriteStatus));
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(DisruptionTest, FollowsItsPods) {
  PlayIt([&] {
    CreatePod("a");
    CreatePod("b");
    CreateMinAvailable("1");
    Settle();
    EXPECT_EQ(Status(), "2/1/2 1");
    SetReady("a", false);
    Settle();
    EXPECT_EQ(Status(), "1/1/2 0");
    EXPECT_EQ(Get().status.conditions.front().reason, "InsufficientPods");
    SetReady("a", true);
    Settle();
    EXPECT_EQ(Status(), "2/1/2 1");
    CreatePod("c");
    Settle();
    EXPECT_EQ(Status(), "3/1/3 2");
    DeletePod("a");
    DeletePod("c");
    Settle();
    EXPECT_EQ(Status(), "1/1/1 0");
    // It has left, which upstream's would not notice.
    ChangePod("b", [](Pod& pod) { pod.metadata.labels = {{"app", "db"}}; });
    Settle();
    EXPECT_EQ(Status(), "0/1/0 0");
  });
}

TEST_F(DisruptionTest, FollowsWhatItsOwnerSays) {
  PlayIt([&] {
    CreatePod("a");
    CreatePod("b");
    CreateMinAvailable("1");
    Settle();
    Budget budget = Get();
    budget.spec.minAvailable = api::IntOrString(2);
    Must(All<Budget>().Update(budget));
    Settle();
    EXPECT_EQ(Status(), "2/2/2 0");
    EXPECT_EQ(Get().status.observedGeneration, 2);
    budget = Get();
    budget.spec.selector->matchLabels = {{"app", "none"}};
    Must(All<Budget>().Update(budget));
    Settle();
    EXPECT_EQ(Status(), "0/2/0 0");
  });
  EXPECT_THAT(events_.lines(), Each("Normal NoPods: No matching pods found"));
  EXPECT_THAT(events_.lines(), Not(IsEmpty()));
}

TEST_F(DisruptionTest, KnowsWhatWasThereBeforeIt) {
  CreatePod("a");
  CreateMinAvailable("0");
  PlayIt([&] {
    Settle();
    EXPECT_EQ(Status(), "1/0/1 1");
  });
}

TEST_F(DisruptionTest, WritesNothingWhileNothingChanges) {
  PlayIt([&] {
    CreatePod("a");
    CreateMinAvailable("1");
    Settle();
    TakeSent();
    ChangePod("a", [](Pod& pod) { pod.metadata.annotations["note"] = "none of its business"; });
    Pass(std::chrono::hours(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(DisruptionTest, ABudgetThatSelectsNothingIsToldSo) {
  PlayIt([&] {
    CreatePod("a");
    CreateBudget([](Budget& budget) {
      budget.spec.selector.reset();
      budget.spec.minAvailable = api::IntOrString("50%");
    });
    Settle();
    EXPECT_EQ(Status(), "0/0/0 0");
    EXPECT_EQ(Get().status.conditions.front().reason, "InsufficientPods");
  });
  EXPECT_THAT(events_.lines(), Contains("Normal NoPods: No matching pods found"));
}

TEST_F(DisruptionTest, PodsWithSeveralBudgetsAreToldSoAndCountInEach) {
  PlayIt([&] {
    CreateMinAvailable("1");
    CreateBudget([](Budget& budget) {
      budget.metadata.name = "another";
      budget.spec.minAvailable = api::IntOrString(0);
    });
    CreatePod("a");
    Settle();
    EXPECT_EQ(Status(), "1/1/1 0");
    EXPECT_EQ(Must(All<Budget>().Get({"team", "another"})).status.disruptionsAllowed, 1);
  });
  EXPECT_THAT(events_.lines(),
              Contains("Warning MultiplePodDisruptionBudgets: Pod \"team\"/\"a\" matches multiple "
                       "PodDisruptionBudgets.  Chose \"another\" arbitrarily."));
  const auto told = events_.recorded();
  const auto warning =
      std::ranges::find(told, "MultiplePodDisruptionBudgets", &runtime::Occurrence::reason);
  ASSERT_NE(warning, told.end());
  EXPECT_EQ(warning->about.kind, "Pod");
}

// Evictions.

TEST_F(DisruptionTest, APodThatIsEvictedCountsOutUntilItIsGone) {
  PlayIt([&] {
    CreatePod("a");
    CreatePod("b");
    CreatePod("c");
    CreateMinAvailable("2");
    Settle();
    EXPECT_EQ(Status(), "3/2/3 1");
    EXPECT_TRUE(Evict("a"));
    EXPECT_EQ(Evict("b").error().code(), ErrorCode::kTooManyRequests);
    Settle();
    // Its node takes its time.
    EXPECT_EQ(Status(), "2/2/3 0");
    EXPECT_THAT(Get().status.disruptedPods, IsEmpty());
    EXPECT_EQ(Evict("b").error().code(), ErrorCode::kTooManyRequests);
    CreatePod("d");
    Settle();
    EXPECT_TRUE(Evict("b"));
  });
}

TEST_F(DisruptionTest, APodThatIsNotSeenToGoCountsOutForTwoMinutes) {
  PlayIt([&] {
    CreatePod("a");
    CreatePod("b");
    CreateMinAvailable("1");
    Settle();
    Budget budget = Get();
    budget.status.disruptedPods = {{"a", api::Time(executor_.clock().WallNow()).WholeSeconds()}};
    budget.status.disruptionsAllowed = 0;
    Must(All<Budget>().UpdateStatus(budget));
    Settle();
    EXPECT_EQ(Status(), "1/1/2 0");
    EXPECT_EQ(Get().status.disruptedPods.size(), 1);
    Pass(seconds(119));
    EXPECT_EQ(Status(), "1/1/2 0");
    EXPECT_THAT(events_.lines(), IsEmpty());
    Pass(seconds(2));
    EXPECT_EQ(Status(), "2/1/2 1");
    EXPECT_THAT(Get().status.disruptedPods, IsEmpty());
  });
  EXPECT_THAT(events_.lines(),
              ElementsAre("Warning NotDeleted: Pod was expected by PDB team/team to be deleted "
                          "but it wasn't"));
  EXPECT_EQ(events_.recorded().front().about.name, "a");
}

TEST_F(DisruptionTest, AnEvictionThatComesBetweenIsNotLost) {
  PlayIt([&] {
    CreatePod("a");
    CreatePod("b");
    CreateMinAvailable("0");
    Settle();
    EXPECT_EQ(Status(), "2/0/2 2");
    // What it is about to write knows of no eviction.
    before_next_request_ = [&] {
      Budget budget = Get();
      budget.status.disruptedPods = {{"a", api::Time(executor_.clock().WallNow()).WholeSeconds()}};
      budget.status.disruptionsAllowed = 1;
      Must(All<Budget>().UpdateStatus(budget));
    };
    CreatePod("c");
    Pass(seconds(1));
    EXPECT_EQ(Status(), "2/0/3 2");
    EXPECT_EQ(Get().status.disruptedPods.size(), 1);
    EXPECT_EQ(Get().status.conditions.front().reason, "SufficientPods") << "no word of a failure";
  });
}

// The pods' own word of it.

TEST_F(DisruptionTest, APodThatIsNotDisruptedAfterAllSaysSo) {
  PlayIt([&] {
    CreatePod("a");
    ChangePodStatus("a", [&](Pod& pod) {
      pod.status.conditions.push_back(
          FakeCondition("DisruptionTarget", "True", executor_.clock().WallNow()));
      pod.status.conditions.back().reason = "EvictionByEvictionAPI";
      pod.status.conditions.back().message = "Eviction API: evicting";
    });
    Pass(seconds(119));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Pass(seconds(2));
    EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/namespaces/team/pods/a/status"));
    const auto conditions = Must(All<Pod>().Get({"team", "a"})).status.conditions;
    ASSERT_EQ(conditions.size(), 2);
    EXPECT_EQ(conditions[0].type, "Ready");
    core::v1::PodCondition wanted = FakeCondition("DisruptionTarget", "False");
    wanted.observedGeneration = 1;
    wanted.lastTransitionTime = conditions[1].lastTransitionTime;
    EXPECT_EQ(conditions[1], wanted);
    Pass(minutes(10));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(DisruptionTest, APodThatIsDisruptedAnewIsGivenItsTime) {
  PlayIt([&] {
    CreatePod("a");
    const auto target = [&] {
      ChangePodStatus("a", [&](Pod& pod) {
        pod.status.conditions = {
            FakeCondition("Ready", "True"),
            FakeCondition("DisruptionTarget", "True", executor_.clock().WallNow())};
      });
    };
    target();
    Pass(seconds(119));
    // Too late for the cache to know of it when the first is stale, but the server does.
    const Fault late = faults_.OnEvents(Requests::Watches().Of("pods")).Delay(seconds(3));
    target();
    Pass(seconds(60));
    EXPECT_EQ(Must(All<Pod>().Get({"team", "a"})).status.conditions[1].status, "True");
    Pass(seconds(65));
    EXPECT_EQ(Must(All<Pod>().Get({"team", "a"})).status.conditions[1].status, "False");
  });
}

TEST_F(DisruptionTest, APodThatGoesIsLeftAlone) {
  PlayIt([&] {
    CreatePod("a");
    EXPECT_TRUE(Evict("a"));
    Pass(minutes(10));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

// What goes wrong.

TEST_F(DisruptionTest, AStatusThatCannotBeWrittenIsTriedAgain) {
  PlayIt([&] {
    int refused = 0;
    answer_instead_ = [&](const transport::Request& request) -> std::optional<transport::Response> {
      if (request.method != "PUT" || ++refused > 4) return std::nullopt;
      return transport::Response{{500, {}}, ""};
    };
    CreatePod("a");
    CreateMinAvailable("0");
    Pass(seconds(5));
    EXPECT_EQ(Status(), "1/0/1 1");
    EXPECT_GT(refused, 4);
  });
}

TEST_F(DisruptionTest, AStatusThatTheServerDoesNotLikeLetsNoneGo) {
  PlayIt([&] {
    CreatePod("a");
    CreateMinAvailable("0");
    Settle();
    TakeSent();
    // One that counts well and is refused all the same.
    answer_instead_ = [&](const transport::Request& request) -> std::optional<transport::Response> {
      if (request.method != "PUT") return std::nullopt;
      answer_instead_ = nullptr;
      return transport::Response{
          {422, {{"content-type", "application/json"}}},
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid",)"
          R"("message":"no good","code":422})"};
    };
    SetReady("a", false);
    Settle();
    // It was told of the failure, and the next look set that right.
    EXPECT_THAT(TakeRequests(), ElementsAre(kWriteStatus, kWriteStatus, kWriteStatus));
    EXPECT_EQ(Status(), "0/0/1 0");
  });
}

TEST_F(DisruptionTest, ABudgetThatGoesMeanwhileIsNoError) {
  PlayIt([&] {
    CreatePod("a");
    CreateMinAvailable("0");
    Settle();
    TakeSent();
    before_next_request_ = [&] { EXPECT_TRUE(All<Budget>().Delete({"team", "web"})); };
    SetReady("a", false);
    Settle();
    EXPECT_THAT(TakeRequests(), ElementsAre(kWriteStatus));
  });
}

}  // namespace
}  // namespace flyball::controllers::disruption
