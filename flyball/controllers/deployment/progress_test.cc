#include "flyball/controllers/deployment/progress.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "flyball/controllers/deployment/conditions.h"
#include "flyball/controllers/deployment/internal/deployment_fake.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::DeploymentCondition;
using apps::v1::DeploymentStatus;
using apps::v1::ReplicaSet;
using std::chrono::seconds;

/// Progressing for a reason, since a minute, and last updated then.
DeploymentCondition Since(std::string_view status, std::string_view reason,
                          seconds ago = seconds(60)) {
  return MakeCondition(kProgressing, status, reason, "before", kNow - ago);
}
DeploymentCondition Now(std::string_view status, std::string_view reason, std::string message) {
  return MakeCondition(kProgressing, status, reason, std::move(message), kNow);
}
DeploymentCondition KeepingTransition(DeploymentCondition condition) {
  condition.lastTransitionTime = api::Time(kNow - seconds(60));
  return condition;
}

DeploymentStatus Counts(std::int32_t replicas, std::int32_t updated, std::int32_t ready,
                        std::int32_t available, std::vector<DeploymentCondition> conditions = {}) {
  DeploymentStatus status;
  status.observedGeneration = 7;
  status.replicas = replicas;
  status.updatedReplicas = updated;
  status.readyReplicas = ready;
  status.availableReplicas = available;
  status.conditions = std::move(conditions);
  return status;
}

/// The conditions that a status of these counts gets after that one.
std::vector<DeploymentCondition> Noted(const Deployment& deployment, const DeploymentStatus& before,
                                       DeploymentStatus status,
                                       SetRef current = FakeSet("new", {})) {
  status.conditions = before.conditions;
  NoteProgress({.deployment = deployment, .current = std::move(current)}, before, status, kNow);
  return status.conditions;
}

TEST(Progress, EachStepIsProgress) {
  const Deployment deployment = FakeDeployment(10);
  const std::vector expected{
      KeepingTransition(Now("True", kSetUpdated, R"(ReplicaSet "new" is progressing.)"))};
  const DeploymentStatus before = Counts(10, 3, 8, 8, {Since("True", kSetUpdated)});
  EXPECT_EQ(Noted(deployment, before, Counts(11, 4, 8, 8)), expected) << "a new pod";
  EXPECT_EQ(Noted(deployment, before, Counts(9, 3, 8, 8)), expected) << "an old pod less";
  EXPECT_EQ(Noted(deployment, before, Counts(10, 3, 9, 8)), expected) << "one is ready";
  EXPECT_EQ(Noted(deployment, before, Counts(10, 3, 8, 9)), expected) << "one is available";
  EXPECT_EQ(Noted(deployment, before, Counts(10, 3, 8, 8)), before.conditions) << "nothing";
  EXPECT_EQ(Noted(deployment, before, Counts(11, 3, 7, 7)), before.conditions) << "a step back";
}

TEST(Progress, TheFirstStepAfterNoneIsATransition) {
  const Deployment deployment = FakeDeployment(10);
  const std::vector expected{Now("True", kSetUpdated, R"(Deployment "web" is progressing.)")};
  const DeploymentStatus after = Counts(1, 1, 0, 0);
  const std::vector<std::vector<DeploymentCondition>> befores{
      {}, {Since("False", kTimedOut)}, {Since("Unknown", kResumed)}};
  for (const auto& before : befores) {
    EXPECT_EQ(Noted(deployment, Counts(0, 0, 0, 0, before), after, nullptr), expected);
  }
}

TEST(Progress, ARolloutThatIsCompleteHasProgressed) {
  const Deployment deployment = FakeDeployment(10);
  const DeploymentStatus after = Counts(10, 10, 10, 10);
  EXPECT_EQ(Noted(deployment, Counts(10, 10, 9, 9, {Since("True", kSetUpdated)}), after),
            std::vector{KeepingTransition(
                Now("True", kSetAvailable, R"(ReplicaSet "new" has successfully progressed.)"))});
  EXPECT_EQ(
      Noted(deployment, Counts(10, 10, 9, 9, {Since("False", kTimedOut)}), after, nullptr),
      std::vector{Now("True", kSetAvailable, R"(Deployment "web" has successfully progressed.)")});
}

TEST(Progress, PodsThatComeAndGoAfterARolloutAreNone) {
  const Deployment deployment = FakeDeployment(10);
  const std::vector over{Since("True", kSetAvailable, seconds(9999))};
  EXPECT_EQ(Noted(deployment, Counts(10, 10, 9, 9, over), Counts(10, 10, 10, 10)), over);
  EXPECT_EQ(Noted(deployment, Counts(10, 10, 10, 10, over), Counts(9, 9, 9, 9)), over);
  // A new rollout, whose begin has not been noted: it is not too late for it.
  EXPECT_EQ(Noted(deployment, Counts(10, 10, 10, 10, over), Counts(10, 0, 10, 10)), over);
}

TEST(Progress, IsMissedWhenTheDeadlineIsOverAndNotBefore) {
  const Deployment deployment = FakeDeployment(10);
  const DeploymentStatus counts = Counts(10, 3, 8, 8);
  const auto noted = [&](const DeploymentCondition& condition, SetRef current = nullptr) {
    return Noted(deployment, Counts(10, 3, 8, 8, {condition}), counts, std::move(current)).at(0);
  };
  const DeploymentCondition late =
      Now("False", kTimedOut, R"(Deployment "web" has timed out progressing.)");
  EXPECT_EQ(noted(Since("True", kSetUpdated, seconds(601))), late);
  EXPECT_EQ(noted(Since("True", kSetCreated, seconds(601)), FakeSet("new", {})),
            Now("False", kTimedOut, R"(ReplicaSet "new" has timed out progressing.)"));
  EXPECT_EQ(noted(Since("Unknown", kResumed, seconds(601))), late);
  const DeploymentCondition in_time = Since("True", kSetUpdated, seconds(600));
  EXPECT_EQ(noted(in_time), in_time);
  const DeploymentCondition noted_before = Since("False", kTimedOut, seconds(1));
  EXPECT_EQ(noted(noted_before), noted_before);
  EXPECT_TRUE(Noted(deployment, counts, counts).empty()) << "nobody knows since when";
}

TEST(Progress, WithoutADeadlineNobodyAsks) {
  for (const std::optional<std::int32_t> deadline :
       {std::optional<std::int32_t>(),
        std::optional<std::int32_t>(std::numeric_limits<std::int32_t>::max())}) {
    const Deployment deployment =
        FakeDeployment(10, [&](Deployment& its) { its.spec.progressDeadlineSeconds = deadline; });
    const DeploymentStatus before = Counts(10, 3, 8, 8, {Since("True", kSetUpdated)});
    EXPECT_TRUE(Noted(deployment, before, Counts(11, 4, 9, 9)).empty());
    EXPECT_EQ(NextProgressCheck(deployment, before, kNow), std::nullopt);
    DeploymentStatus status = before;
    NotePause(FakeDeployment(10,
                             [&](Deployment& its) {
                               its.spec.paused = true;
                               its.spec.progressDeadlineSeconds = deadline;
                             }),
              status, kNow);
    EXPECT_EQ(status, before);
  }
}

TEST(Progress, FailuresOfSetsAreThoseOfTheDeploymentTheCurrentOnesFirst) {
  const Deployment deployment =
      FakeDeployment(10, [](Deployment& its) { its.spec.progressDeadlineSeconds.reset(); });
  const auto failing = [](const std::string& name, const std::string& why) {
    return FakeSet(name, {}, [&](ReplicaSet& set) {
      set.status.conditions.resize(2);
      set.status.conditions[0].type = "Other";
      auto& condition = set.status.conditions[1];
      condition.type = "ReplicaFailure";
      condition.status = "True";
      condition.reason = "FailedCreate";
      condition.message = why;
      condition.lastTransitionTime = api::Time(kNow - seconds(5));
    });
  };
  const auto expected = [](const std::string& why) {
    return std::vector{
        MakeCondition(kReplicaFailure, "True", "FailedCreate", why, kNow - seconds(5))};
  };
  const auto noted = [&](SetRef current, std::vector<SetRef> old,
                         std::vector<DeploymentCondition> before = {}) {
    DeploymentStatus status;
    status.conditions = std::move(before);
    NoteProgress({.deployment = deployment, .current = std::move(current), .old = std::move(old)},
                 {}, status, kNow);
    return status.conditions;
  };
  const SetRef well = FakeSet("well", {});
  EXPECT_EQ(noted(failing("new", "quota"), {failing("a", "other")}), expected("quota"));
  EXPECT_EQ(noted(well, {well, failing("a", "other"), failing("b", "b")}), expected("other"));
  EXPECT_EQ(noted(nullptr, {failing("a", "other")}), expected("other"));
  EXPECT_EQ(noted(failing("new", "another"), {}, expected("quota")), expected("quota"));
  EXPECT_TRUE(noted(well, {well}, expected("quota")).empty());
}

TEST(Progress, APauseStopsTheTime) {
  const auto noted = [](bool paused, std::vector<DeploymentCondition> before) {
    const Deployment deployment =
        FakeDeployment(10, [&](Deployment& its) { its.spec.paused = paused; });
    DeploymentStatus status;
    status.conditions = std::move(before);
    NotePause(deployment, status, kNow);
    return status.conditions;
  };
  const std::vector paused{Now("Unknown", kPaused, "Deployment is paused")};
  EXPECT_EQ(noted(true, {}), paused);
  EXPECT_EQ(noted(true, {Since("True", kSetUpdated)}), paused);
  EXPECT_EQ(noted(true, {Since("Unknown", kPaused)}), std::vector{Since("Unknown", kPaused)});
  EXPECT_EQ(noted(false, {Since("Unknown", kPaused)}),
            std::vector{KeepingTransition(Now("Unknown", kResumed, "Deployment is resumed"))});
  for (const bool is_paused : {true, false}) {
    EXPECT_EQ(noted(is_paused, {Since("False", kTimedOut)}),
              std::vector{Since("False", kTimedOut)});
  }
  EXPECT_EQ(noted(false, {Since("True", kSetUpdated)}), std::vector{Since("True", kSetUpdated)});
  EXPECT_TRUE(noted(false, {}).empty());
}

TEST(Progress, IsCheckedAgainWhenTheDeadlineIsOver) {
  const Deployment deployment = FakeDeployment(10);
  const auto check = [&](const DeploymentCondition& condition) {
    return NextProgressCheck(deployment, Counts(10, 3, 8, 8, {condition}), kNow);
  };
  EXPECT_EQ(check(Since("True", kSetUpdated, seconds(180))), seconds(421));
  EXPECT_EQ(check(Since("True", kSetCreated, seconds(600))), seconds(1));
  EXPECT_EQ(check(Since("Unknown", kResumed, seconds(9999))), seconds(1));
  EXPECT_EQ(check(Since("False", kTimedOut, seconds(1))), std::nullopt);
  EXPECT_EQ(check(Since("True", kSetAvailable, seconds(1))), std::nullopt);
  EXPECT_EQ(NextProgressCheck(deployment, Counts(10, 3, 8, 8), kNow), std::nullopt);
  EXPECT_EQ(NextProgressCheck(deployment, Counts(10, 10, 10, 10, {Since("True", kSetFound)}), kNow),
            std::nullopt);
}

TEST(Progress, IsNotCheckedAtOnceWhereTheLastUpdateIsInYear9999) {
  DeploymentCondition condition = Since("True", kSetUpdated);
  condition.lastUpdateTime = *api::Time::Parse("9999-12-31T23:59:59Z");
  EXPECT_EQ(NextProgressCheck(FakeDeployment(10), Counts(10, 3, 8, 8, {condition}), kNow),
            std::chrono::nanoseconds::max());
}

TEST(Progress, DifferencesOfReplicasWrapAsInGo) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  // The number of pods that are not updated was the largest there is, and is 3.
  const DeploymentStatus before = Counts(kLeast, 1, 8, 8, {Since("True", kSetUpdated)});
  EXPECT_EQ(Noted(FakeDeployment(10), before, Counts(4, 1, 8, 8)),
            std::vector{KeepingTransition(
                Now("True", kSetUpdated, R"(ReplicaSet "new" is progressing.)"))});
}

}  // namespace
}  // namespace flyball::controllers::deployment
