#include "flyball/controllers/disruption/stale_target_plan.h"

#include <gtest/gtest.h>

#include <functional>

#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/disruption/internal/disruption_fake.h"

namespace flyball::controllers::disruption {
namespace {

using core::v1::Pod;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// One that says that it is about to be disrupted, and has for so long.
Pod Target(seconds age) {
  Pod pod = FakePod("a");
  pod.metadata.uid = "uid-of-a";
  pod.metadata.resourceVersion = "7";
  pod.metadata.generation = 3;
  pod.status.conditions.push_back(FakeCondition("DisruptionTarget", "True", kNow - age));
  pod.status.conditions.back().reason = "EvictionByEvictionAPI";
  return pod;
}

std::optional<nanoseconds> StaleIn(const Pod& pod) {
  return disruption::StaleIn(*ViewOf(pod), kNow);
}

TEST(StaleTargetPlan, WaitsTwoMinutes) {
  EXPECT_EQ(StaleIn(Target(seconds(0))), seconds(120));
  EXPECT_EQ(StaleIn(Target(seconds(119))), seconds(1));
  EXPECT_EQ(StaleIn(Target(seconds(120))), nanoseconds(0));
  EXPECT_EQ(StaleIn(Target(seconds(1000))), nanoseconds(0));
}

TEST(StaleTargetPlan, DoesNotWaitForWhatWasSaidAtNoTime) {
  Pod pod = Target(seconds(0));
  pod.status.conditions.back().lastTransitionTime = {};
  EXPECT_EQ(StaleIn(pod), nanoseconds(0));
}

TEST(StaleTargetPlan, WaitsForATargetOfTheEndOfTime) {
  Pod pod = Target(seconds(0));
  pod.status.conditions.back().lastTransitionTime = *api::Time::Parse("9999-12-31T23:59:59Z");
  EXPECT_EQ(StaleIn(pod), nanoseconds::max());
}

TEST(StaleTargetPlan, LeavesOthersAlone) {
  const std::pair<const char*, std::function<void(Pod&)>> cases[] = {
      {"says nothing", [](Pod& pod) { pod.status.conditions.pop_back(); }},
      {"says that it is not", [](Pod& pod) { pod.status.conditions.back().status = "False"; }},
      {"its node says so",
       [](Pod& pod) { pod.status.conditions.back().reason = "TerminationByKubelet"; }},
      {"goes", [](Pod& pod) { pod.metadata.deletionTimestamp = api::Time(kNow); }},
      {"has ended well", [](Pod& pod) { pod.status.phase = "Succeeded"; }},
      {"has ended badly", [](Pod& pod) { pod.status.phase = "Failed"; }},
  };
  for (const auto& [what, change] : cases) {
    Pod pod = Target(seconds(1000));
    change(pod);
    EXPECT_EQ(StaleIn(pod), std::nullopt) << what;
  }
}

TEST(StaleTargetPlan, TakesBackAllThatWasSaidOfThisVeryPod) {
  EXPECT_EQ(TakeBackPatch(*ViewOf(Target(seconds(200))), kNow).ToString(),
            R"({"metadata":{"resourceVersion":"7","uid":"uid-of-a"},)"
            R"("status":{"conditions":[{"lastProbeTime":null,)"
            R"("lastTransitionTime":"2026-11-15T00:00:00Z","message":null,)"
            R"("observedGeneration":3,"reason":null,"status":"False",)"
            R"("type":"DisruptionTarget"}]}})");
}

}  // namespace
}  // namespace flyball::controllers::disruption
