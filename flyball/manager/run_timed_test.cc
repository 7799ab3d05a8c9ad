// The same as run_test.cc with upstream's lease times, for longer than a lease holds.

#include <chrono>

#include "flyball/manager/internal/run_fixture.h"
#include "gtest/gtest.h"

namespace flyball::manager {
namespace {

class ManagerRunTimedTest : public ManagerRunFixture {
 protected:
  ManagerRunTimedTest() : ManagerRunFixture({}) {}

  /// Longer than the renew deadline and the lease: a leader that did not renew is none any more.
  void StaysLeaderForTwentySeconds() {
    server_.clock().SleepFor(std::chrono::seconds(20));
    EXPECT_TRUE(server_.AwaitRenewals(1)) << log_->text();
  }
};

TEST_F(ManagerRunTimedTest, KeepsTheLeaseWhileTheThreadOfTheWatchesIsBlockedForTwentySeconds) {
  EXPECT_EQ(BlockWatches(), threads::kThreadOfWatches);
  StaysLeaderForTwentySeconds();
  EXPECT_EQ(Healthz(), 200);
}

TEST_F(ManagerRunTimedTest, KeepsTheLeaseWhileTheThreadOfThePortIsBlockedForTwentySeconds) {
  ASSERT_NE(BlockPort(), "");
  StaysLeaderForTwentySeconds();
}

}  // namespace
}  // namespace flyball::manager
