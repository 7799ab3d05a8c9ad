#include "flyball/base/clock.h"

#include <atomic>
#include <stop_token>
#include <thread>
#include <vector>

#include "flyball/base/fake_clock.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(RealClock, SteadyTimeNeverGoesBack) {
  const RealClock clock;
  SteadyTime last = clock.SteadyNow();
  for (int i = 0; i < 1000; ++i) {
    const SteadyTime now = clock.SteadyNow();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(RealClock, WallTimeIsAfterThisWasWritten) {
  EXPECT_GT(RealClock().WallNow(),
            WallTime(std::chrono::sys_days{std::chrono::year(2024) / 1 / 1}));
}

TEST(RealClock, AWaitTimesOutAtItsDeadlineAndNotBefore) {
  RealClock clock;
  Mutex mutex;
  CondVar cv;
  MutexLock lock(mutex);
  const SteadyTime deadline = clock.DeadlineAfter(milliseconds(2));
  EXPECT_EQ(clock.WaitUntil(lock, cv, deadline), WaitResult::kTimedOut);
  EXPECT_GE(clock.SteadyNow(), deadline);
  EXPECT_TRUE(lock.held());
  EXPECT_EQ(clock.WaitUntil(lock, cv, SteadyTime::min()), WaitResult::kTimedOut);
}

TEST(RealClock, ADeadlineBeyondTheEndOfTimeIsTheEndOfTime) {
  EXPECT_EQ(RealClock().DeadlineAfter(nanoseconds::max()), SteadyTime::max());
}

TEST(RealClock, AStopEndsASleepThatWouldLastForEver) {
  RealClock clock;
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(clock.SleepFor(nanoseconds::max(), stop.get_token()));
  EXPECT_FALSE(clock.SleepUntil(SteadyTime::max(), stop.get_token())) << "already stopped";
  EXPECT_TRUE(clock.SleepFor(nanoseconds::zero()));
}

/// A bounded buffer between threads: were a notification lost, this would hang.
void PassNumbers(Clock& clock, int count) {
  Mutex mutex;
  CondVar changed;
  std::vector<int> slot;
  long sum = 0;
  {
    const auto take = [&] {
      for (int i = 0; i < count; ++i) {
        MutexLock lock(mutex);
        clock.Wait(lock, changed, [&] { return !slot.empty(); });
        sum += slot.back();
        slot.pop_back();
        changed.NotifyAll();
      }
    };
    const std::jthread first(take);
    const std::jthread second(take);
    for (int i = 1; i <= 2 * count; ++i) {
      MutexLock lock(mutex);
      clock.Wait(lock, changed, [&] { return slot.empty(); });
      slot.push_back(i);
      lock.Unlock();
      changed.NotifyAll();
    }
  }
  EXPECT_EQ(sum, static_cast<long>(count) * (2 * count + 1));
}

TEST(RealClock, LosesNoNotificationBetweenThreads) {
  RealClock clock;
  PassNumbers(clock, 2000);
}

TEST(FakeClock, LosesNoNotificationBetweenThreads) {
  FakeClock clock;
  PassNumbers(clock, 2000);
}

TEST(CondVar, NotifyOneWakesOneWaiterAndTheOneThatCameFirst) {
  FakeClock clock;
  Mutex mutex;
  CondVar cv;
  std::vector<int> woken;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      MutexLock lock(mutex);
      clock.Wait(lock, cv);
      woken.push_back(i);
      cv.NotifyOne();
    });
    clock.WaitForWaiters(static_cast<std::size_t>(i) + 1);
  }
  cv.NotifyOne();
  threads.clear();
  EXPECT_EQ(woken, (std::vector{0, 1, 2}));
}

TEST(CondVar, ANotificationPassesOverAWaiterThatHasTimedOut) {
  // Over and over a deadline and a NotifyOne() meet two waiters. Whichever the deadline takes, the
  // notification must reach the other, or this hangs.
  for (int round = 0; round < 200; ++round) {
    FakeClock clock;
    Mutex mutex;
    CondVar cv;
    const std::jthread with_deadline([&] {
      MutexLock lock(mutex);
      if (clock.WaitUntil(lock, cv, clock.DeadlineAfter(seconds(1))) == WaitResult::kNotified) {
        cv.NotifyOne();
      }
    });
    clock.WaitForWaiters(1);
    const std::jthread without([&] {
      MutexLock lock(mutex);
      clock.Wait(lock, cv);
    });
    clock.WaitForWaiters(2);
    const std::jthread advance([&] { clock.Advance(seconds(1)); });
    cv.NotifyOne();
  }
}

TEST(CondVarDeathTest, DestroyedWhileAThreadWaitsAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        FakeClock clock;
        Mutex mutex;
        auto cv = std::make_unique<CondVar>();
        std::jthread waiter([&] {
          MutexLock lock(mutex);
          clock.Wait(lock, *cv);
        });
        clock.WaitForWaiters(1);
        cv.reset();
      },
      "destroyed while a thread waits");
}

TEST(FakeClock, SkipsWaitsThatWouldEndByThemselvesIfToldSo) {
  FakeClock clock;
  clock.SkipWaits();
  const SteadyTime start = clock.SteadyNow();
  EXPECT_TRUE(clock.SleepFor(std::chrono::hours(1)));
  EXPECT_EQ(clock.SteadyNow() - start, std::chrono::hours(1));
  EXPECT_EQ(clock.WallNow() - FakeClock::kStart, std::chrono::hours(1));
}

TEST(FakeClock, MovesOnlyWhenTold) {
  FakeClock clock;
  const SteadyTime start = clock.SteadyNow();
  EXPECT_EQ(clock.WallNow(), FakeClock::kStart);
  clock.Advance(seconds(90));
  EXPECT_EQ(clock.WallNow(), FakeClock::kStart + seconds(90));
  EXPECT_EQ(clock.SteadyNow(), start + seconds(90));
}

TEST(FakeClock, AWallTimeJumpLeavesDeadlinesAlone) {
  FakeClock clock;
  const std::jthread sleeper([&] { EXPECT_TRUE(clock.SleepFor(hours(1))); });
  clock.WaitForWaiters(1);
  clock.JumpWallTime(hours(5));
  clock.JumpWallTime(-hours(9));
  EXPECT_EQ(clock.WallNow(), FakeClock::kStart - hours(4));
  EXPECT_EQ(clock.waiters(), 1U);
  clock.Advance(hours(1));
  EXPECT_EQ(clock.waiters(), 0U);
}

TEST(FakeClock, AdvanceWakesTheWaitsWhoseDeadlineItReachesAndNoOthers) {
  FakeClock clock;
  const SteadyTime start = clock.SteadyNow();
  std::vector<std::jthread> threads;
  for (const int delay : {3, 1, 2}) {
    threads.emplace_back([&, delay] { EXPECT_TRUE(clock.SleepUntil(start + seconds(delay))); });
  }
  for (const int now : {1, 2, 3}) {
    const auto left = static_cast<std::size_t>(4 - now);
    clock.WaitForWaiters(left);
    EXPECT_EQ(clock.waiters(), left);
    EXPECT_EQ(clock.NextDeadline(), start + seconds(now));
    clock.Advance(seconds(1));
  }
  EXPECT_EQ(clock.waiters(), 0U);
  EXPECT_EQ(clock.NextDeadline(), std::nullopt);
}

TEST(FakeClock, AWaitThatBeginsAfterItsDeadlineReturnsAtOnce) {
  FakeClock clock;
  const SteadyTime deadline = clock.DeadlineAfter(seconds(5));
  clock.Advance(seconds(10));
  EXPECT_TRUE(clock.SleepUntil(deadline));
}

TEST(FakeClock, AnAdvanceThatRacesWithTheStartOfAWaitIsNotLost) {
  for (int round = 0; round < 500; ++round) {
    FakeClock clock;
    const SteadyTime deadline = clock.DeadlineAfter(seconds(1));
    const std::jthread sleeper([&] { EXPECT_TRUE(clock.SleepUntil(deadline)); });
    clock.Advance(seconds(1));
  }
}

TEST(FakeClock, ANotifiedWaiterNoLongerCountsSoThatTheNextWaitCanBeWaitedFor) {
  FakeClock clock;
  Mutex mutex;
  CondVar cv;
  int laps = 0;
  const std::jthread looper([&] {
    MutexLock lock(mutex);
    for (; laps < 500; ++laps) clock.Wait(lock, cv);
  });
  for (int lap = 0; lap < 500; ++lap) {
    clock.WaitForWaiters(1);
    const MutexLock lock(mutex);
    ASSERT_EQ(laps, lap);
    cv.NotifyAll();
  }
}

TEST(FakeClock, AStopWakesASleeper) {
  FakeClock clock;
  std::stop_source stop;
  std::atomic<bool> slept = true;
  {
    const std::jthread sleeper([&] { slept = clock.SleepFor(hours(1), stop.get_token()); });
    clock.WaitForWaiters(1);
    stop.request_stop();
  }
  EXPECT_FALSE(slept);
}

TEST(FakeClock, WaitUntilSaysWhetherTheConditionHolds) {
  FakeClock clock;
  Mutex mutex;
  CondVar cv;
  MutexLock lock(mutex);
  EXPECT_TRUE(clock.WaitUntil(lock, cv, SteadyTime::min(), [] { return true; }));
  EXPECT_FALSE(clock.WaitUntil(lock, cv, SteadyTime::min(), [] { return false; }));
}

TEST(Mutex, CountsWhatAThreadHolds) {
  Mutex one;
  Mutex two;
  EXPECT_EQ(Mutex::HeldByThisThread(), 0);
  MutexLock first(one);
  {
    const MutexLock second(two);
    EXPECT_EQ(Mutex::HeldByThisThread(), 2);
    std::jthread([] { EXPECT_EQ(Mutex::HeldByThisThread(), 0); });
  }
  first.Unlock();
  EXPECT_EQ(Mutex::HeldByThisThread(), 0);
}

}  // namespace
}  // namespace flyball
