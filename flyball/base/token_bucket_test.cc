#include "flyball/base/token_bucket.h"

#include "gtest/gtest.h"

namespace flyball {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr SteadyTime kNow{std::chrono::hours(1)};

TEST(TokenBucket, GivesItsBurstAtOnceAndThenMakesCallersQueueUp) {
  TokenBucket bucket(10, 3, kNow);
  EXPECT_EQ(bucket.Take(kNow), nanoseconds(0));
  EXPECT_EQ(bucket.Take(kNow), nanoseconds(0));
  EXPECT_EQ(bucket.Take(kNow), nanoseconds(0));
  EXPECT_EQ(bucket.Take(kNow), milliseconds(100));
  EXPECT_EQ(bucket.Take(kNow), milliseconds(200));
  EXPECT_EQ(bucket.Take(kNow + milliseconds(100)), milliseconds(200));
}

TEST(TokenBucket, IsFilledByTimeButNotBeyondItsBurst) {
  TokenBucket bucket(10, 2, kNow);
  EXPECT_EQ(bucket.Take(kNow), nanoseconds(0));
  const SteadyTime later = kNow + std::chrono::hours(1);
  EXPECT_EQ(bucket.Take(later), nanoseconds(0));
  EXPECT_EQ(bucket.Take(later), nanoseconds(0));
  EXPECT_EQ(bucket.Take(later), milliseconds(100));
}

TEST(TokenBucket, OwesNothingToWhoeverWillNotWait) {
  TokenBucket bucket(10, 2, kNow);
  EXPECT_TRUE(bucket.TryTake(kNow));
  EXPECT_TRUE(bucket.TryTake(kNow));
  EXPECT_FALSE(bucket.TryTake(kNow));
  EXPECT_FALSE(bucket.TryTake(kNow + milliseconds(99)));
  EXPECT_TRUE(bucket.TryTake(kNow + milliseconds(100)));
  EXPECT_FALSE(bucket.TryTake(kNow + milliseconds(100)));
}

}  // namespace
}  // namespace flyball
