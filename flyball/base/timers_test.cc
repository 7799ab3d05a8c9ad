#include "flyball/base/timers.h"

#include <chrono>
#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using Outcome = DeterministicExecutor::Report::Outcome;

class TimersTest : public testing::Test {
 protected:
  auto Note(const std::string& name) {
    return [this, name] { fired_.push_back(name + "@" + std::to_string(Elapsed().count())); };
  }
  milliseconds Elapsed() const {
    return std::chrono::duration_cast<milliseconds>(executor_.clock().SteadyNow() - start_);
  }

  mutable DeterministicExecutor executor_{1};
  const SteadyTime start_ = executor_.clock().SteadyNow();
  std::vector<std::string> fired_;
  Timers timers_{executor_};
};

TEST_F(TimersTest, FiresAtItsTimeEarliestFirst) {
  Timer late(timers_, Note("late"));
  Timer early(timers_, Note("early"));
  late.FireBy(start_ + seconds(2));
  early.FireBy(start_ + seconds(1));
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(fired_, ElementsAre("early@1000", "late@2000"));
}

TEST_F(TimersTest, FiresThoseOfOneTimeInTheOrderInWhichTheyWereSet) {
  Timer a(timers_, Note("a"));
  Timer b(timers_, Note("b"));
  b.FireBy(start_ + seconds(1));
  a.FireBy(start_ + seconds(1));
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(fired_, ElementsAre("b@1000", "a@1000"));
}

TEST_F(TimersTest, KeepsTheEarliestOfTheTimesItWasSetTo) {
  Timer timer(timers_, Note("timer"));
  timer.FireBy(start_ + seconds(2));
  timer.FireBy(start_ + seconds(1));
  timer.FireBy(start_ + seconds(3));
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(fired_, ElementsAre("timer@1000"));
}

TEST_F(TimersTest, WakesForATimeEarlierThanTheOneItWaitsFor) {
  Timer late(timers_, Note("late"));
  Timer early(timers_, Note("early"));
  late.FireBy(start_ + hours(1));
  EXPECT_EQ(executor_.RunFor(seconds(1)).outcome, Outcome::kTimeIsUp);
  early.FireBy(start_ + seconds(2));
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(fired_, ElementsAre("early@2000", "late@3600000"));
}

TEST_F(TimersTest, MayBeSetAgainByWhatItCalls) {
  int left = 3;
  Timer timer(timers_, [&] {
    Note("tick")();
    if (--left > 0) timer.FireBy(executor_.clock().DeadlineAfter(seconds(1)));
  });
  timer.FireBy(start_);
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(fired_, ElementsAre("tick@0", "tick@1000", "tick@2000"));
}

TEST_F(TimersTest, NeedsNoTaskWhileNoneIsSet) {
  Timer timer(timers_, Note("timer"));
  timer.FireBy(SteadyTime::max());
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_EQ(executor_.trace().size(), 0U);

  timer.FireBy(start_ + hours(1));
  EXPECT_EQ(executor_.RunFor(seconds(1)).outcome, Outcome::kTimeIsUp);
  timer.Cancel();
  EXPECT_EQ(executor_.RunFor(seconds(1)).outcome, Outcome::kAllDone);
  timer.FireBy(start_ + seconds(3));
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(fired_, ElementsAre("timer@3000"));
}

TEST_F(TimersTest, DoesNotFireWhatIsGone) {
  {
    Timer timer(timers_, Note("timer"));
    timer.FireBy(start_ + seconds(1));
  }
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(fired_, ElementsAre());
}

TEST_F(TimersTest, IsNotDestroyedWhileItIsBeingCalled) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    DeterministicExecutor executor(seed);
    Timers timers(executor);
    bool over = false;
    auto timer = std::make_unique<Timer>(timers, [&] {
      executor.clock().SleepFor(seconds(1));
      over = true;
    });
    timer->FireBy(executor.clock().SteadyNow());
    executor.Start("owner", [&] {
      executor.clock().SleepFor(milliseconds(1));
      timer.reset();
      EXPECT_TRUE(over);
    });
    executor.Drain();
  }
}

TEST_F(TimersTest, SurvivesARunThatIsAbandonedInTheMiddleOfACall) {
  {
    Timer timer(timers_, [&] { executor_.clock().SleepFor(hours(1)); });
    timer.FireBy(start_);
    EXPECT_EQ(executor_.RunFor(seconds(1)).outcome, Outcome::kTimeIsUp);
    executor_.Abandon();
  }
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
}

}  // namespace
}  // namespace flyball
