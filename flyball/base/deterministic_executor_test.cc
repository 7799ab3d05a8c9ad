#include "flyball/base/deterministic_executor.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using Outcome = DeterministicExecutor::Report::Outcome;
using Step = DeterministicExecutor::Step;

/// A queue as the product would write one.
class Numbers {
 public:
  explicit Numbers(Clock& clock) : clock_(clock) {}

  void Put(int number) {
    const MutexLock lock(mutex_);
    numbers_.push_back(number);
    changed_.NotifyOne();
  }
  std::optional<int> TakeWithin(nanoseconds patience) {
    const SteadyTime deadline = clock_.DeadlineAfter(patience);
    MutexLock lock(mutex_);
    if (!clock_.WaitUntil(lock, changed_, deadline, [&] { return !numbers_.empty(); })) {
      return std::nullopt;
    }
    const int number = numbers_.front();
    numbers_.pop_front();
    return number;
  }
  int Take() {
    MutexLock lock(mutex_);
    clock_.Wait(lock, changed_, [&] { return !numbers_.empty(); });
    const int number = numbers_.front();
    numbers_.pop_front();
    return number;
  }

 private:
  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<int> numbers_;
};

struct Record {
  std::vector<Step> trace;
  std::vector<std::pair<std::string, int>> taken;
  int timeouts = 0;
};

/// Two producers that pause and three consumers that lose patience.
Record ProduceAndConsume(std::uint64_t seed) {
  DeterministicExecutor executor(seed);
  Clock& clock = executor.clock();
  Numbers numbers(clock);
  Record run;
  for (int p = 0; p < 2; ++p) {
    executor.Start("producer-" + std::to_string(p), [&, p] {
      for (int i = 0; i < 10; ++i) {
        numbers.Put(p * 100 + i);
        clock.SleepFor(milliseconds(i % 3 == 0 ? 50 : 5));
      }
    });
  }
  for (int c = 0; c < 3; ++c) {
    executor.Start("consumer-" + std::to_string(c), [&, c] {
      for (int misses = 0; misses < 15;) {
        if (const auto number = numbers.TakeWithin(milliseconds(20))) {
          run.taken.emplace_back("consumer-" + std::to_string(c), *number);
        } else {
          ++misses;
          ++run.timeouts;
        }
      }
    });
  }
  EXPECT_EQ(executor.RunUntilIdle().outcome, Outcome::kAllDone);
  run.trace = executor.trace();
  return run;
}

TEST(DeterministicExecutor, TheSameSeedGivesTheSameRunToTheLastSwitch) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Record first = ProduceAndConsume(seed);
    const Record second = ProduceAndConsume(seed);
    EXPECT_EQ(first.trace, second.trace) << FormatTrace(first.trace) << "---\n"
                                         << FormatTrace(second.trace);
    EXPECT_EQ(first.taken, second.taken);
    EXPECT_EQ(first.taken.size(), 20U);
    EXPECT_EQ(first.timeouts, 45);
  }
}

TEST(DeterministicExecutor, OtherSeedsGiveOtherInterleavings) {
  std::set<std::string> traces;
  std::set<std::vector<std::pair<std::string, int>>> outcomes;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Record run = ProduceAndConsume(seed);
    traces.insert(FormatTrace(run.trace));
    outcomes.insert(run.taken);
  }
  EXPECT_EQ(traces.size(), 20U);
  EXPECT_GT(outcomes.size(), 10U);
}

/// Two tasks add one each to a counter, but wait between reading and writing it.
int IncrementTwiceWithoutCare(std::uint64_t seed) {
  DeterministicExecutor executor(seed);
  int counter = 0;
  for (const char* name : {"first", "second"}) {
    executor.Start(name, [&] {
      const int read = counter;
      executor.clock().SleepFor(nanoseconds::zero());  // stands for a request to the server
      counter = read + 1;
    });
  }
  executor.Drain();
  return counter;
}

TEST(DeterministicExecutor, SomeSeedsFindALostUpdateAcrossABlockingPointAndOthersDoNot) {
  std::set<int> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) seen.insert(IncrementTwiceWithoutCare(seed));
  EXPECT_THAT(seen, testing::ElementsAre(1, 2));
}

TEST(DeterministicExecutor, TimeJumpsToTheNextDeadlineWhenNobodyCanRun) {
  DeterministicExecutor executor(1);
  Clock& clock = executor.clock();
  const WallTime start = clock.WallNow();
  executor.Start("slow", [&] { clock.SleepFor(hours(1000)); });
  executor.Start("slower", [&] {
    clock.SleepFor(hours(999));
    clock.SleepFor(hours(2));
  });
  EXPECT_EQ(executor.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_EQ(clock.WallNow() - start, hours(1001));
  const std::vector<Step> trace = executor.trace();
  ASSERT_EQ(trace.size(), 5U);
  EXPECT_EQ(trace[2], (Step{hours(999), "slower"}));
  EXPECT_EQ(trace[3], (Step{hours(1000), "slow"}));
  EXPECT_EQ(trace[4], (Step{hours(1001), "slower"}));
  EXPECT_THAT(FormatTrace(trace), testing::HasSubstr("+3596400.000000000s slower\n"));
}

TEST(DeterministicExecutor, ReportsADeadlockWithTheTasksAndWhatTheyWaitIn) {
  DeterministicExecutor executor(1);
  Numbers left(executor.clock());
  Numbers right(executor.clock());
  executor.Start("one", [&] { right.Put(left.Take()); });
  executor.Start("two", [&] { left.Put(right.Take()); });

  const auto report = executor.RunUntilIdle();
  EXPECT_EQ(report.outcome, Outcome::kDeadlock);
  ASSERT_EQ(report.blocked.size(), 2U);
  EXPECT_EQ(report.blocked[0].task, "one");
  EXPECT_EQ(report.blocked[1].task, "two");
  EXPECT_EQ(report.blocked[0].deadline, std::nullopt);
  EXPECT_THAT(report.Describe(),
              testing::MatchesRegex("deadlock: one waits in deterministic_executor_test.cc:[0-9]+ "
                                    "in .*Take.*; two waits in .*"));

  // The test may break it, and go on.
  left.Put(7);
  EXPECT_EQ(executor.RunUntilIdle().outcome, Outcome::kAllDone);
}

TEST(DeterministicExecutor, RunForStopsTasksThatTickForEverAtItsEnd) {
  DeterministicExecutor executor(1);
  Clock& clock = executor.clock();
  int ticks = 0;
  executor.Start("ticker", [&] {
    while (clock.SleepFor(seconds(10))) ++ticks;
  });
  const SteadyTime start = clock.SteadyNow();
  const auto report = executor.RunFor(seconds(25));
  EXPECT_EQ(report.outcome, Outcome::kTimeIsUp);
  ASSERT_EQ(report.blocked.size(), 1U);
  EXPECT_EQ(report.blocked[0].deadline, seconds(30));
  EXPECT_EQ(ticks, 2);
  EXPECT_EQ(clock.SteadyNow() - start, seconds(25));
  EXPECT_EQ(executor.RunFor(seconds(5)).outcome, Outcome::kTimeIsUp);
  EXPECT_EQ(ticks, 3);
}

TEST(DeterministicExecutor, AStopEndsASleepInARun) {
  DeterministicExecutor executor(1);
  Clock& clock = executor.clock();
  std::stop_source stop;
  bool slept = true;
  executor.Start("sleeper", [&] { slept = clock.SleepFor(nanoseconds::max(), stop.get_token()); });
  executor.Start("stopper", [&] {
    clock.SleepFor(seconds(3));
    stop.request_stop();
  });
  executor.Drain();
  EXPECT_FALSE(slept);
}

TEST(DeterministicExecutor, TasksThatHandOverWithoutEndHitTheStepLimit) {
  DeterministicExecutor executor(1, {.max_steps = 1000});
  executor.Start("spinner", [&] {
    while (executor.clock().SleepFor(nanoseconds::zero())) {
    }
  });
  EXPECT_EQ(executor.RunUntilIdle().outcome, Outcome::kStepLimit);
  EXPECT_EQ(executor.trace().size(), 1000U);
}

TEST(DeterministicExecutor, ATaskStartedByATaskMayRunBeforeOrAfterItsStarterGoesOn) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    DeterministicExecutor executor(seed);
    std::string order;
    executor.Start("starter", [&] {
      executor.Start("started", [&] { order += "started "; });
      order += "starter ";
    });
    executor.Drain();
    orders.insert(order);
  }
  EXPECT_THAT(orders, testing::ElementsAre("started starter ", "starter started "));
}

TEST(DeterministicExecutor, AStartWithAMutexHeldDoesNotHandOver) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    DeterministicExecutor executor(seed);
    Mutex mutex;
    std::string order;
    executor.Start("starter", [&] {
      const MutexLock lock(mutex);
      executor.Start("started", [&] {
        const MutexLock inner(mutex);
        order += "started ";
      });
      order += "starter ";
    });
    executor.Drain();
    EXPECT_EQ(order, "starter started ");
  }
}

TEST(DeterministicExecutor, AbandonUnwindsBlockedTasksAndDropsThoseNotBegun) {
  const auto watched = std::make_shared<int>(0);
  DeterministicExecutor executor(1);
  Numbers numbers(executor.clock());
  bool unwound = false;
  executor.Start("blocked", [&, watched] {
    struct Guard {
      ~Guard() { unwound = true; }
      bool& unwound;
    } const guard{unwound};
    numbers.Take();
    ADD_FAILURE() << "took a number that nobody put";
  });
  EXPECT_EQ(executor.RunUntilIdle().outcome, Outcome::kDeadlock);
  executor.Start("not begun", [watched] { ADD_FAILURE() << "ran when abandoned"; });
  executor.Abandon();
  EXPECT_TRUE(unwound);
  EXPECT_EQ(watched.use_count(), 1);
  EXPECT_EQ(executor.RunUntilIdle().outcome, Outcome::kAllDone);
}

TEST(DeterministicExecutor, PausedProcessStandsStillWhileOthersGoOn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DeterministicExecutor executor(seed);
    const auto process = executor.NewProcess();
    Numbers numbers(process->clock());
    std::vector<std::string> log;
    const auto note = [&](const std::string& what) {
      log.push_back(
          what + " after " +
          std::to_string((executor.clock().SteadyNow() - SteadyTime(hours(1))) / seconds(1)));
    };
    process->Start("sleeper", [&] {
      process->clock().SleepFor(seconds(5));
      note("slept");
    });
    process->Start("taker", [&] {
      numbers.Take();
      note("took");
    });
    executor.Start("other", [&] {
      executor.clock().SleepFor(seconds(1));
      process->Pause();
      numbers.Put(1);
      executor.clock().SleepFor(seconds(30));
      note("other");
      process->Resume();
    });
    executor.Drain();
    EXPECT_THAT(log,
                testing::UnorderedElementsAre("other after 31", "slept after 31", "took after 31"));
    EXPECT_EQ(log.front(), "other after 31");
  }
}

TEST(DeterministicExecutor, ProcessThatStandsStillForEverIsADeadlock) {
  DeterministicExecutor executor(1);
  const auto process = executor.NewProcess();
  process->Start("sleeper", [&] { process->clock().SleepFor(seconds(5)); });
  process->Pause();
  EXPECT_EQ(executor.RunUntilIdle().outcome, Outcome::kDeadlock);
}

TEST(DeterministicExecutor, WallClockOfAProcessMayBeWrong) {
  DeterministicExecutor executor(1);
  const auto process = executor.NewProcess();
  process->ShiftWallClock(hours(1));
  EXPECT_EQ(process->clock().WallNow() - executor.clock().WallNow(), hours(1));
  EXPECT_EQ(process->clock().SteadyNow(), executor.clock().SteadyNow());
  process->ShiftWallClock(-hours(3));
  EXPECT_EQ(executor.clock().WallNow() - process->clock().WallNow(), hours(2));
}

TEST(DeterministicExecutor, CarriesHundredsOfTasks) {
  DeterministicExecutor executor(3);
  Clock& clock = executor.clock();
  int sum = 0;
  for (int i = 0; i < 300; ++i) {
    executor.Start("task-" + std::to_string(i), [&, i] {
      clock.SleepFor(seconds(i % 7));
      ++sum;
    });
  }
  executor.Drain();
  EXPECT_EQ(sum, 300);
}

TEST(DeterministicExecutorDeathTest, AWaitWithAnotherMutexHeldAbortsAndNamesTheTask) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        DeterministicExecutor executor(1);
        Mutex mutex;
        executor.Start("careless", [&] {
          const MutexLock lock(mutex);
          executor.clock().SleepFor(seconds(1));
        });
        executor.Drain();
      },
      "careless waits with another Mutex held: deterministic_executor_test.cc");
}

TEST(DeterministicExecutorDeathTest, AWaitFromOutsideItsTasksAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(DeterministicExecutor(1).clock().SleepFor(seconds(1)), "from outside its tasks");
}

}  // namespace
}  // namespace flyball
