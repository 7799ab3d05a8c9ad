#include "flyball/base/executor.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "flyball/base/fake_clock.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

using std::chrono::seconds;

std::string ThisThreadsName() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

/// Holds tasks back until a test opens it.
class Gate {
 public:
  explicit Gate(Clock& clock) : clock_(clock) {}

  void Pass() {
    MutexLock lock(mutex_);
    ++arrived_;
    changed_.NotifyAll();
    clock_.Wait(lock, changed_, [&] { return open_; });
  }
  void AwaitArrivals(int count) {
    MutexLock lock(mutex_);
    clock_.Wait(lock, changed_, [&] { return arrived_ >= count; });
  }
  void Open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }

 private:
  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  int arrived_ = 0;
  bool open_ = false;
};

TEST(ElasticExecutor, GivesEveryTaskAThreadSoThatBlockedOnesStarveNone) {
  RealClock clock;
  ElasticExecutor executor(clock);
  Gate gate(clock);
  for (int i = 0; i < 20; ++i) executor.Start("blocked", [&] { gate.Pass(); });
  gate.AwaitArrivals(20);
  EXPECT_EQ(executor.threads(), 20U);
  gate.Open();
  executor.Drain();
}

TEST(ElasticExecutor, ReusesIdleThreads) {
  RealClock clock;
  FakeClock idle_clock;
  ElasticExecutor executor(clock, {.idle_clock = &idle_clock});
  for (int i = 0; i < 50; ++i) {
    executor.Start("one after the other", [] {});
    idle_clock.WaitForWaiters(1);
  }
  EXPECT_EQ(executor.threads(), 1U);
}

TEST(ElasticExecutor, EndsThreadsThatStayIdle) {
  RealClock clock;
  FakeClock idle_clock;
  ElasticExecutor executor(clock, {.idle_timeout = seconds(30), .idle_clock = &idle_clock});
  Gate gate(clock);
  for (int i = 0; i < 5; ++i) executor.Start("burst", [&] { gate.Pass(); });
  gate.AwaitArrivals(5);
  gate.Open();
  idle_clock.WaitForWaiters(5);
  EXPECT_EQ(executor.threads(), 5U);

  // The one that is used stays, the others go.
  idle_clock.Advance(seconds(20));
  executor.Start("steady", [] {});
  idle_clock.WaitForWaiters(5);
  idle_clock.Advance(seconds(10));
  while (executor.threads() > 1) std::this_thread::yield();
  EXPECT_EQ(idle_clock.waiters(), 1U);
}

TEST(ElasticExecutor, NamesTheThreadForItsTask) {
  RealClock clock;
  ElasticExecutor executor(clock);
  std::string name;
  executor.Start("deployment/worker-2", [&] { name = ThisThreadsName(); });
  executor.Drain();
  EXPECT_EQ(name, "deployment/work");
}

TEST(ElasticExecutor, DrainWaitsForTasksThatTasksStart) {
  RealClock clock;
  ElasticExecutor executor(clock);
  std::atomic<int> ran = 0;
  executor.Start("outer", [&] {
    executor.Start("middle", [&] {
      executor.Start("inner", [&] { ++ran; });
      ++ran;
    });
    ++ran;
  });
  executor.Drain();
  EXPECT_EQ(ran, 3);
}

TEST(ElasticExecutor, DestroysATaskAndWhatItHoldsBeforeDrainReturns) {
  RealClock clock;
  ElasticExecutor executor(clock);
  auto held = std::make_shared<int>(7);
  std::weak_ptr<int> seen = held;
  auto move_only = std::make_unique<int>(1);
  executor.Start("holder", [held = std::move(held), move_only = std::move(move_only)] {});
  executor.Drain();
  EXPECT_TRUE(seen.expired());
}

TEST(ElasticExecutor, ManyThreadsMayStartTasksAtOnce) {
  RealClock clock;
  std::atomic<int> ran = 0;
  {
    ElasticExecutor executor(clock, {.idle_timeout = seconds(0)});
    for (int i = 0; i < 4; ++i) {
      executor.Start("starter", [&] {
        for (int j = 0; j < 100; ++j) executor.Start("task", [&] { ++ran; });
      });
    }
  }
  EXPECT_EQ(ran, 400);
}

/// The system has so many threads left.
std::function<std::thread(std::function<void()>)> ThreadsUpTo(int most) {
  return [left = most](std::function<void()> run) mutable {
    if (left == 0) throw std::system_error(EAGAIN, std::generic_category());
    --left;
    return std::thread(std::move(run));
  };
}

TEST(ElasticExecutor, TaskWithoutAThreadRunsWhenAnotherTaskHasEnded) {
  RealClock clock;
  ElasticExecutor executor(clock, {.make_thread = ThreadsUpTo(2)});
  Gate gate(clock);
  std::vector<int> ran;  // by one thread: the other is held at the gate
  Gate other(clock);
  executor.Start("held", [&] { other.Pass(); });
  executor.Start("first", [&] {
    gate.Pass();
    ran.push_back(1);
  });
  gate.AwaitArrivals(1);
  for (const int number : {2, 3})
    executor.Start("later", [&ran, number] { ran.push_back(number); });
  EXPECT_EQ(executor.threads(), 2U);
  gate.Open();
  executor.Start("last", [&] { other.Open(); });
  executor.Drain();
  EXPECT_EQ(ran, (std::vector{1, 2, 3}));
}

TEST(ElasticExecutorDeathTest, AbortsWhereATaskHasWaitedTooLongForAThread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto start_two = [](std::chrono::nanoseconds between) {
    RealClock clock;
    FakeClock idle_clock;
    ElasticExecutor executor(clock, {.idle_clock = &idle_clock, .make_thread = ThreadsUpTo(1)});
    Gate gate(clock);
    executor.Start("held", [&] { gate.Pass(); });
    executor.Start("waits", [] {});
    idle_clock.Advance(between);
    executor.Start("open", [] {});
    gate.Open();
    executor.Drain();
  };
  start_two(ElasticExecutor::kLongestWait - seconds(1));
  EXPECT_DEATH(start_two(ElasticExecutor::kLongestWait),
               "no thread for the task waits: Resource temporarily unavailable");
}

TEST(ElasticExecutorDeathTest, AbortsWhereThereIsNoThreadAtAll) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        RealClock clock;
        ElasticExecutor executor(clock, {.make_thread = ThreadsUpTo(0)});
        executor.Start("first", [] {});
      },
      "no thread for the task first: Resource temporarily unavailable");
}

TEST(ElasticExecutorDeathTest, AnExceptionThatLeavesATaskAbortsAndNamesIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        RealClock clock;
        ElasticExecutor executor(clock);
        executor.Start("job/worker-1", [] { throw std::runtime_error("out of range"); });
        executor.Drain();
      },
      "exception left the task job/worker-1: out of range");
}

TEST(ElasticExecutorDeathTest, DrainFromATaskAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        RealClock clock;
        ElasticExecutor executor(clock);
        executor.Start("self", [&] { executor.Drain(); });
        executor.Drain();
      },
      "a task cannot wait for all tasks to end");
}

}  // namespace
}  // namespace flyball
