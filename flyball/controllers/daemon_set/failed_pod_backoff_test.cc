#include "flyball/controllers/daemon_set/failed_pod_backoff.h"

#include <gtest/gtest.h>

#include "flyball/base/fake_clock.h"
#include "flyball/controllers/daemon_set/internal/daemon_set_fake.h"

namespace flyball::controllers::daemon_set {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class FailedPodBackoffTest : public testing::Test {
 protected:
  FakeClock clock_;
  FailedPodBackoff backoff_{clock_};
  apps::v1::DaemonSet set_ = Agent();
};

TEST_F(FailedPodBackoffTest, DoublesFromASecondToAQuarterOfAnHour) {
  EXPECT_EQ(backoff_.Wait(set_, "a"), std::nullopt);
  std::chrono::nanoseconds wait = seconds(1);
  for (int i = 0; i < 12; ++i) {
    backoff_.Removed(set_, "a");
    EXPECT_EQ(backoff_.Wait(set_, "a"), wait) << i;
    clock_.Advance(wait - milliseconds(1));
    EXPECT_EQ(backoff_.Wait(set_, "a"), milliseconds(1));
    clock_.Advance(milliseconds(1));
    EXPECT_EQ(backoff_.Wait(set_, "a"), std::nullopt);
    wait = std::min<std::chrono::nanoseconds>(2 * wait, minutes(15));
  }
  EXPECT_EQ(wait, minutes(15));
}

TEST_F(FailedPodBackoffTest, CountsForANodeASetAndAGeneration) {
  backoff_.Removed(set_, "a");
  EXPECT_TRUE(backoff_.Wait(set_, "a"));
  EXPECT_FALSE(backoff_.Wait(set_, "b"));
  apps::v1::DaemonSet other = set_;
  other.status.observedGeneration = 9;
  EXPECT_FALSE(backoff_.Wait(other, "a"));
  other = set_;
  other.metadata.uid = "another";
  EXPECT_FALSE(backoff_.Wait(other, "a"));
}

TEST_F(FailedPodBackoffTest, ForgetsAfterHalfAnHour) {
  for (int i = 0; i < 5; ++i) backoff_.Removed(set_, "a");
  EXPECT_EQ(backoff_.Wait(set_, "a"), seconds(16));
  clock_.Advance(minutes(30));
  backoff_.Forget();
  backoff_.Removed(set_, "a");
  EXPECT_EQ(backoff_.Wait(set_, "a"), seconds(32));
  clock_.Advance(minutes(31));
  backoff_.Removed(set_, "a");
  EXPECT_EQ(backoff_.Wait(set_, "a"), seconds(1));
  clock_.Advance(minutes(31));
  backoff_.Forget();
  backoff_.Removed(set_, "a");
  EXPECT_EQ(backoff_.Wait(set_, "a"), seconds(1));
}

}  // namespace
}  // namespace flyball::controllers::daemon_set
