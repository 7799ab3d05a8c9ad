#include "flyball/operator/conditions.h"

#include <gtest/gtest.h>

#include "flyball/api/meta/v1.h"

namespace flyball {
namespace {

using Conditions = std::vector<meta::v1::Condition>;
using std::chrono::seconds;

const WallTime kThen(seconds(1'000'000));
const WallTime kLater = kThen + seconds(60);

TEST(SetCondition, AddsOneThatIsNotThere) {
  Conditions conditions;
  EXPECT_TRUE(SetCondition(conditions, {"Ready", false, "Waiting", "for pods"}, 3, kThen));
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0].type, "Ready");
  EXPECT_EQ(conditions[0].status, "False");
  EXPECT_EQ(conditions[0].reason, "Waiting");
  EXPECT_EQ(conditions[0].message, "for pods");
  EXPECT_EQ(conditions[0].observedGeneration, 3);
  EXPECT_EQ(conditions[0].lastTransitionTime, api::Time(kThen));
  EXPECT_FALSE(IsTrue(conditions, "Ready"));
}

TEST(SetCondition, KeepsTheTimeWhileTheStatusIsTheSame) {
  Conditions conditions;
  SetCondition(conditions, {"Ready", false, "Waiting"}, 1, kThen);
  EXPECT_FALSE(SetCondition(conditions, {"Ready", false, "StillWaiting"}, 2, kLater));
  EXPECT_EQ(conditions[0].reason, "StillWaiting");
  EXPECT_EQ(conditions[0].lastTransitionTime, api::Time(kThen));
}

TEST(SetCondition, MovesTheTimeWithTheStatusAndLeavesOthersAlone) {
  Conditions conditions;
  SetCondition(conditions, {"Healthy", true, "Asked"}, 1, kThen);
  SetCondition(conditions, {"Ready", false, "Waiting"}, 1, kThen);
  const meta::v1::Condition healthy = conditions[0];
  EXPECT_TRUE(SetCondition(conditions, {"Ready", true, "Served"}, 1, kLater));
  EXPECT_EQ(conditions[1].lastTransitionTime, api::Time(kLater));
  EXPECT_EQ(conditions[0], healthy);
  EXPECT_TRUE(IsTrue(conditions, "Ready"));
  EXPECT_FALSE(IsTrue(conditions, "Known"));
}

}  // namespace
}  // namespace flyball
