#include "flyball/runtime/leadership_fence.h"

#include "flyball/base/fake_clock.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using namespace std::chrono_literals;

class LeadershipFenceTest : public testing::Test {
 protected:
  FakeClock clock_;
  LeadershipFence fence_{clock_};
};

TEST_F(LeadershipFenceTest, IsClosedAtFirst) {
  EXPECT_EQ(fence_.Left(), 0s);
  EXPECT_FALSE(fence_.IsOpen());
}

TEST_F(LeadershipFenceTest, IsOpenForNineTenthsOfTheLeaseFromTheStartOfTheRequest) {
  const SteadyTime start = clock_.SteadyNow();
  clock_.Advance(2s);  // until the answer
  fence_.Renewed(start, 15s);
  EXPECT_EQ(fence_.Left(), 11500ms);
  clock_.Advance(11500ms - 1ns);
  EXPECT_TRUE(fence_.IsOpen());
  clock_.Advance(1ns);
  EXPECT_FALSE(fence_.IsOpen());
}

TEST_F(LeadershipFenceTest, AnAnswerThatComesAfterTheLeaseHasRunOutOpensNothing) {
  const SteadyTime start = clock_.SteadyNow();
  clock_.Advance(20s);
  fence_.Renewed(start, 15s);
  EXPECT_FALSE(fence_.IsOpen());
  fence_.Renewed(clock_.SteadyNow(), 15s);
  EXPECT_TRUE(fence_.IsOpen());
}

TEST_F(LeadershipFenceTest, DoesNotCareForTheDate) {
  fence_.Renewed(clock_.SteadyNow(), 10s);
  clock_.JumpWallTime(1h);
  EXPECT_EQ(fence_.Left(), 9s);
  clock_.JumpWallTime(-2h);
  EXPECT_EQ(fence_.Left(), 9s);
}

TEST_F(LeadershipFenceTest, OnceClosedItStaysClosed) {
  fence_.Renewed(clock_.SteadyNow(), 15s);
  fence_.Close();
  EXPECT_EQ(fence_.Left(), 0s);
  fence_.Renewed(clock_.SteadyNow(), 15s);
  EXPECT_EQ(fence_.Left(), 0s);
  EXPECT_EQ(fence_.WhyClosed(), "no longer the leader");
}

}  // namespace
}  // namespace flyball::runtime
