#include "flyball/queue/worker_pool.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::queue {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Outcome = DeterministicExecutor::Report::Outcome;
using Queue = WorkQueue<std::string>;
using Pool = WorkerPool<std::string>;

class WorkerPoolTest : public testing::Test {
 protected:
  std::unique_ptr<Pool> MakePool(std::size_t workers) {
    return std::make_unique<Pool>(queue_, executor_, Pool::Options{"test", workers},
                                  [this](const Queue::Work& work) {
                                    executor_.clock().SleepFor(seconds(1));
                                    done_.push_back(work.key());
                                  });
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  Queue queue_{timers_, {.name = "test"}};
  std::vector<std::string> done_;
};

TEST_F(WorkerPoolTest, ProcessesWhatWaitedBeforeItAndWhatComesLater) {
  queue_.Add("a");
  const auto pool = MakePool(1);
  queue_.Add("b");
  queue_.AddAfter("c", hours(1));
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(done_, ElementsAre("a", "b", "c"));
}

TEST_F(WorkerPoolTest, RunsNoMoreTasksThanItMayNorThanThereAreKeys) {
  const auto pool = MakePool(3);
  EXPECT_EQ(pool->running(), 0U);
  queue_.Add("a");
  queue_.Add("b");
  EXPECT_EQ(executor_.RunFor(milliseconds(1)).blocked.size(), 2U);
  EXPECT_EQ(pool->running(), 2U);
  for (const char* key : {"c", "d", "e"}) queue_.Add(key);
  EXPECT_EQ(executor_.RunFor(milliseconds(1)).blocked.size(), 3U);
  EXPECT_EQ(executor_.RunFor(seconds(2)).outcome, Outcome::kAllDone);
  EXPECT_EQ(pool->running(), 0U);
  EXPECT_THAT(done_, UnorderedElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(WorkerPoolTest, FinishesWhatItHasBegunWhenItStopsAndLeavesTheRest) {
  const auto pool = MakePool(1);
  queue_.Add("a");
  queue_.Add("b");
  executor_.Start("owner", [&] {
    executor_.clock().SleepFor(milliseconds(1));
    EXPECT_FALSE(pool->Stop(executor_.clock().DeadlineAfter(milliseconds(1))));
    EXPECT_THAT(done_, IsEmpty());
    EXPECT_TRUE(pool->Stop(SteadyTime::max()));
    EXPECT_THAT(done_, ElementsAre("a"));
  });
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  queue_.Add("c");
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(done_, ElementsAre("a"));
  EXPECT_EQ(queue_.waiting(), 2U);
}

TEST_F(WorkerPoolTest, SurvivesARunThatIsAbandoned) {
  const auto pool = MakePool(2);
  queue_.Add("a");
  EXPECT_EQ(executor_.RunFor(milliseconds(1)).outcome, Outcome::kTimeIsUp);
  queue_.Add("b");
  executor_.Abandon();
  EXPECT_EQ(pool->running(), 0U);
}

/// Producers, workers, retries, holds and a drain, as the seed will have it. What came of it:
struct History {
  std::vector<std::string> processed;
  std::vector<DeterministicExecutor::Step> trace;
};

History RunEverything(std::uint64_t seed) {
  DeterministicExecutor executor(seed);
  Clock& clock = executor.clock();
  Timers timers(executor);
  Queue queue(timers, {.name = "test"});
  History run;
  std::map<std::string, int> added;
  std::map<std::string, int> seen;  // of the adds, when its processing began last
  std::set<std::string> busy;
  int running = 0;
  Pool pool(queue, executor, {"worker", 3}, [&](Queue::Work work) {
    const std::string key = work.key();
    EXPECT_TRUE(busy.insert(key).second) << "two workers on " << key;
    EXPECT_LE(++running, 3);
    run.processed.push_back(key);
    const int turn = static_cast<int>(run.processed.size());
    seen[key] = added[key];
    clock.SleepFor(milliseconds(turn % 4));
    if (turn % 5 == 0) queue.AddRateLimited(key);
    if (turn % 7 == 0) queue.Forget(key);
    busy.erase(key);
    --running;
    if (turn % 6 != 0) return;
    work.Hold();
    executor.Start("release-" + std::to_string(turn), [&, key] {
      clock.SleepFor(milliseconds(10));
      queue.Release(key);
    });
  });
  int producing = 2;
  for (const char* producer : {"p", "q"}) {
    executor.Start(producer, [&, producer] {
      for (int i = 0; i < 20; ++i) {
        const std::string key = (i % 2 == 0 ? producer : "shared") + std::to_string(i % 4);
        ++added[key];
        queue.Add(key, i % 3 == 0 ? Priority::kBackground : Priority::kLive);
        if (i % 4 == 0) queue.AddAfter(key, milliseconds(i));
        clock.SleepFor(milliseconds(i % 3));
      }
      if (--producing > 0) return;
      EXPECT_TRUE(queue.ShutDownWithDrain(SteadyTime::max()));
    });
  }
  executor.Drain();
  EXPECT_EQ(seen, added) << "an add was lost, seed " << seed;
  EXPECT_EQ(pool.running(), 0U);
  run.trace = executor.trace();
  return run;
}

TEST(WorkerPoolDeterminism, LosesNothingUnderAnySeed) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) RunEverything(seed);
}

TEST(WorkerPoolDeterminism, TakesTheSameStepsUnderTheSameSeed) {
  const History once = RunEverything(7);
  const History again = RunEverything(7);
  EXPECT_EQ(once.processed, again.processed);
  EXPECT_EQ(FormatTrace(once.trace), FormatTrace(again.trace));
  EXPECT_NE(once.trace, RunEverything(8).trace);
}

}  // namespace
}  // namespace flyball::queue
