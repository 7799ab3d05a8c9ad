#include "flyball/controllers/common/pod_condition.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::common {
namespace {

using core::v1::Pod;
using std::chrono::seconds;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 16)};

Pod InPhase(const std::string& phase, bool deleted = false) {
  Pod pod;
  pod.status.phase = phase;
  if (deleted) pod.metadata.deletionTimestamp = api::Time(kNow);
  return pod;
}

Pod ReadyFor(seconds time, const std::string& status = "True") {
  Pod pod = InPhase("Running");
  pod.status.conditions.emplace_back().type = "ContainersReady";
  pod.status.conditions.push_back(ReadyCondition(api::Time(kNow - time), status));
  return pod;
}

TEST(PodCondition, APodIsActiveUntilItHasFinishedOrIsToldToEnd) {
  for (const char* const phase : {"", "Pending", "Running", "Unknown"}) {
    EXPECT_TRUE(IsActive(*ViewOf(InPhase(phase)))) << phase;
    EXPECT_FALSE(IsTerminating(*ViewOf(InPhase(phase)))) << phase;
    EXPECT_FALSE(IsActive(*ViewOf(InPhase(phase, true)))) << phase;
    EXPECT_TRUE(IsTerminating(*ViewOf(InPhase(phase, true)))) << phase;
  }
  for (const char* const phase : {"Succeeded", "Failed"}) {
    for (const bool deleted : {false, true}) {
      EXPECT_FALSE(IsActive(*ViewOf(InPhase(phase, deleted)))) << phase;
      EXPECT_FALSE(IsTerminating(*ViewOf(InPhase(phase, deleted)))) << phase;
    }
  }
}

TEST(PodCondition, APodIsReadyIfItsConditionSaysSo) {
  EXPECT_FALSE(IsReady(*ViewOf(InPhase("Running"))));
  EXPECT_FALSE(IsReady(*ViewOf(ReadyFor(seconds(5), "False"))));
  EXPECT_FALSE(IsReady(*ViewOf(ReadyFor(seconds(5), "Unknown"))));
  EXPECT_TRUE(IsReady(*ViewOf(ReadyFor(seconds(5)))));
  EXPECT_EQ(ReadySince(*ViewOf(ReadyFor(seconds(5))))->ToTime(), api::Time(kNow - seconds(5)));
}

TEST(PodCondition, APodIsAvailableWhenItHasBeenReadyForLongEnough) {
  EXPECT_FALSE(IsAvailable(*ViewOf(InPhase("Running")), 0, kNow));
  EXPECT_TRUE(IsAvailable(*ViewOf(ReadyFor(seconds(-5))), 0, kNow));
  EXPECT_FALSE(IsAvailable(*ViewOf(ReadyFor(seconds(9))), 10, kNow));
  EXPECT_TRUE(IsAvailable(*ViewOf(ReadyFor(seconds(10))), 10, kNow));
  EXPECT_EQ(AvailableIn(*ViewOf(ReadyFor(seconds(9))), 10, kNow), seconds(1));
  EXPECT_EQ(AvailableIn(*ViewOf(ReadyFor(seconds(10))), 10, kNow), std::nullopt);
  EXPECT_EQ(AvailableIn(*ViewOf(ReadyFor(seconds(9), "False")), 10, kNow), std::nullopt);
  EXPECT_EQ(AvailableIn(*ViewOf(ReadyFor(seconds(9))), 0, kNow), std::nullopt);
}

TEST(PodCondition, APodThatDoesNotSaySinceWhenItIsReadyIsAvailableOnlyAtOnce) {
  Pod pod = ReadyFor(seconds(0));
  pod.status.conditions[1].lastTransitionTime = {};
  EXPECT_TRUE(IsReady(*ViewOf(pod)));
  EXPECT_TRUE(IsAvailable(*ViewOf(pod), 0, kNow));
  EXPECT_FALSE(IsAvailable(*ViewOf(pod), 1, kNow));
  EXPECT_EQ(AvailableIn(*ViewOf(pod), 1, kNow), std::nullopt);
}

TEST(PodCondition, APodThatIsReadySinceTheEndOfTimeIsNotAvailable) {
  Pod pod = ReadyFor(seconds(0));
  pod.status.conditions[1].lastTransitionTime = *api::Time::Parse("9999-12-31T23:59:59Z");
  constexpr std::int32_t kLongest = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t min_ready_seconds : {1, kLongest}) {
    EXPECT_FALSE(IsAvailable(*ViewOf(pod), min_ready_seconds, kNow));
    EXPECT_EQ(AvailableIn(*ViewOf(pod), min_ready_seconds, kNow), std::chrono::nanoseconds::max());
  }
  pod.status.conditions[1].lastTransitionTime = api::Time::FromUnix(-62'135'596'799);  // year 1
  EXPECT_TRUE(IsAvailable(*ViewOf(pod), kLongest, kNow));
}

TEST(PodCondition, TheNextToBeAvailableIsWhoHasBeenReadyTheLongest) {
  const auto ready_for = [](auto time) { return ViewOf(ReadyFor(time)); };
  const std::vector pods = {ready_for(seconds(3)), ready_for(seconds(8)), ready_for(seconds(20)),
                            ViewOf(InPhase("Running")), ViewOf(ReadyFor(seconds(9), "False"))};
  EXPECT_EQ(NextAvailable(pods, 10, kNow), seconds(2));
  EXPECT_EQ(NextAvailable(pods, 3, kNow), std::nullopt);
  EXPECT_EQ(NextAvailable(pods, 0, kNow), std::nullopt);
  EXPECT_EQ(NextAvailable({}, 10, kNow), std::nullopt);

  Pod timeless = ReadyFor(seconds(0));
  timeless.status.conditions[1].lastTransitionTime = {};
  EXPECT_EQ(NextAvailable(std::vector{ViewOf(timeless)}, 10, kNow), seconds(10));
}

}  // namespace
}  // namespace flyball::controllers::common
