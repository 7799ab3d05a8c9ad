// That a process which is blocked in one place goes on in the others. The threads are real; what
// blocks one of them is the line that it logs.

#include "flyball/manager/run.h"

#include "flyball/manager/internal/run_fixture.h"
#include "gtest/gtest.h"

namespace flyball::manager {
namespace {

using threads::kRenewalsOfTwentySeconds;

class ManagerRunTest : public ManagerRunFixture {
 protected:
  ManagerRunTest() : ManagerRunFixture({"--leader-elect-retry-period=50ms"}) {}
};

/// The rows of tests/contract/logs.tsv that need a process.
TEST_F(ManagerRunTest, LogsItsStart) {
  const std::string text = log_->text();
  EXPECT_THAT(text, testing::HasSubstr("\"Starting\" version=\""));
  EXPECT_THAT(text, testing::HasSubstr("\"Warning: controller is disabled\" "
                                       "controller=\"deployment-controller\"\n"));
  EXPECT_THAT(text, testing::HasSubstr("\"Serving securely on\" address=\"https://127.0.0.1:"));
}

TEST_F(ManagerRunTest, RenewsTheLeaseWhileTheThreadOfTheWatchesIsBlocked) {
  EXPECT_EQ(BlockWatches(), threads::kThreadOfWatches);
  EXPECT_TRUE(server_.AwaitRenewals(kRenewalsOfTwentySeconds));
}

TEST_F(ManagerRunTest, AnswersHealthzWhileTheThreadOfTheWatchesIsBlocked) {
  EXPECT_EQ(BlockWatches(), threads::kThreadOfWatches);
  EXPECT_EQ(Healthz(), 200);
}

TEST_F(ManagerRunTest, RenewsTheLeaseWhileTheThreadOfThePortIsBlocked) {
  ASSERT_NE(BlockPort(), "");
  EXPECT_TRUE(server_.AwaitRenewals(kRenewalsOfTwentySeconds));
}

}  // namespace
}  // namespace flyball::manager
