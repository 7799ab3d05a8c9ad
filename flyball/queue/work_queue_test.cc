#include "flyball/queue/work_queue.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::queue {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Outcome = DeterministicExecutor::Report::Outcome;
using Queue = WorkQueue<std::string>;

class WorkQueueTest : public testing::Test {
 protected:
  /// The keys that wait, in the order in which they are handed out; each is done with at once.
  std::vector<std::string> TakeAll() {
    std::vector<std::string> keys;
    while (const std::optional<Queue::Work> work = queue_.TryGet()) keys.push_back(work->key());
    return keys;
  }
  Queue::Work Take() { return queue_.TryGet().value(); }
  void Pass(nanoseconds time) { static_cast<void>(executor_.RunFor(time)); }
  void Fail(const std::string& key) {
    queue_.AddRateLimited(key);
    EXPECT_EQ(queue_.waiting(), 0U);
  }
  SteadyTime Now() { return executor_.clock().SteadyNow(); }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  Queue queue_{timers_, {.name = "test"}};
};

TEST_F(WorkQueueTest, HandsOutKeysInTheOrderInWhichTheyWereAdded) {
  queue_.Add("b");
  queue_.Add("a");
  queue_.Add("c");
  EXPECT_THAT(TakeAll(), ElementsAre("b", "a", "c"));
  EXPECT_EQ(queue_.sizes(), QueueSizes());
}

TEST_F(WorkQueueTest, HandsOutOnceWhatIsAddedTwice) {
  queue_.Add("a");
  queue_.Add("b");
  queue_.Add("a");
  EXPECT_THAT(TakeAll(), ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, ProcessesAgainWhatIsAddedWhileItIsProcessed) {
  queue_.Add("a");
  Queue::Work work = Take();
  queue_.Add("a");
  queue_.Add("a");
  EXPECT_EQ(queue_.TryGet(), std::nullopt) << "not by two at a time";
  queue_.Add("b");
  work.Finish();
  EXPECT_THAT(TakeAll(), ElementsAre("b", "a"));
}

TEST_F(WorkQueueTest, EndsTheProcessingOfAKeyWhenItsWorkGoes) {
  queue_.Add("a");
  {
    const Queue::Work work = Take();
    EXPECT_EQ(queue_.sizes().processing, 1U);
  }
  EXPECT_EQ(queue_.sizes(), QueueSizes());
}

TEST_F(WorkQueueTest, PutsLiveChangesBeforeTheBackground) {
  queue_.Add("resync1", Priority::kBackground);
  queue_.Add("resync2", Priority::kBackground);
  queue_.Add("change1");
  queue_.Add("change2");
  EXPECT_THAT(TakeAll(), ElementsAre("change1", "change2", "resync1", "resync2"));
}

TEST_F(WorkQueueTest, GivesTheBackgroundEveryTenthTurn) {
  queue_.Add("resync1", Priority::kBackground);
  queue_.Add("resync2", Priority::kBackground);
  for (int i = 1; i <= 20; ++i) queue_.Add("c" + std::to_string(i));
  EXPECT_THAT(TakeAll(),
              ElementsAre("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "resync1",  //
                          "c10", "c11", "c12", "c13", "c14", "c15", "c16", "c17", "c18", "resync2",
                          "c19", "c20"));
}

TEST_F(WorkQueueTest, CountsOnlyTheTurnsThatABackgroundKeyWaitedFor) {
  for (int i = 1; i <= 9; ++i) queue_.Add("before" + std::to_string(i));
  TakeAll();
  queue_.Add("resync", Priority::kBackground);
  queue_.Add("change");
  EXPECT_THAT(TakeAll(), ElementsAre("change", "resync"));
}

TEST_F(WorkQueueTest, PromotesAKeyThatIsAddedAgainAsALiveChange) {
  queue_.Add("a", Priority::kBackground);
  queue_.Add("b", Priority::kBackground);
  queue_.Add("c");
  queue_.Add("b");
  queue_.Add("b", Priority::kBackground);
  EXPECT_THAT(TakeAll(), ElementsAre("c", "b", "a"));
}

TEST_F(WorkQueueTest, KeepsTheHighestPriorityOfAddsDuringTheProcessing) {
  queue_.Add("a");
  queue_.Add("b");
  Queue::Work a = Take();
  Queue::Work b = Take();
  queue_.Add("a", Priority::kBackground);
  queue_.Add("b", Priority::kBackground);
  queue_.Add("b");
  a.Finish();
  b.Finish();
  EXPECT_THAT(TakeAll(), ElementsAre("b", "a"));
}

TEST_F(WorkQueueTest, AddsAfterADelay) {
  queue_.AddAfter("late", seconds(2));
  queue_.AddAfter("early", seconds(1));
  queue_.AddAfter("now", seconds(0));
  queue_.AddAfter("past", seconds(-1));
  EXPECT_THAT(TakeAll(), ElementsAre("now", "past"));
  Pass(seconds(1) - nanoseconds(1));
  EXPECT_THAT(TakeAll(), IsEmpty());
  Pass(nanoseconds(1));
  EXPECT_EQ(queue_.waiting(), 1U) << "the timer has moved it";
  EXPECT_THAT(TakeAll(), ElementsAre("early"));
  Pass(hours(1));
  EXPECT_THAT(TakeAll(), ElementsAre("late"));
  EXPECT_EQ(queue_.sizes(), QueueSizes());
}

TEST_F(WorkQueueTest, KeepsTheEarliestOfSeveralDelays) {
  queue_.AddAfter("a", seconds(3));
  queue_.AddAfter("a", seconds(1));
  queue_.AddAfter("a", seconds(2));
  Pass(seconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  Pass(hours(1));
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(WorkQueueTest, KeepsADelayWhenTheKeyIsAddedMeanwhile) {
  queue_.AddAfter("a", seconds(1));
  queue_.Add("a");
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  Pass(seconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, KeepsWhatFallsDueDuringTheProcessing) {
  queue_.Add("a");
  Queue::Work work = Take();
  queue_.AddAfter("a", seconds(1));
  Pass(seconds(1));
  EXPECT_EQ(queue_.TryGet(), std::nullopt);
  work.Finish();
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, OrdersWhatFallsDueByItsTimeAndThenByItsDelaysOrder) {
  queue_.AddAfter("b", seconds(2));
  queue_.AddAfter("c", seconds(1));
  queue_.AddAfter("a", seconds(2));
  queue_.AddAfter("d", nanoseconds::max());
  Pass(seconds(5));
  queue_.Add("e");
  EXPECT_THAT(TakeAll(), ElementsAre("c", "b", "a", "e"));
}

TEST_F(WorkQueueTest, DoublesTheDelayOfAKeyWithEachRetry) {
  std::vector<nanoseconds> waits;
  for (int retry = 0; retry < 20; ++retry) {
    const SteadyTime before = Now();
    queue_.AddRateLimited("a");
    EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
    EXPECT_THAT(TakeAll(), ElementsAre("a"));
    waits.push_back(Now() - before);
  }
  nanoseconds expected = milliseconds(5);
  for (const nanoseconds wait : waits) {
    EXPECT_EQ(wait, std::min<nanoseconds>(expected, seconds(1000)));
    expected *= 2;
  }
  EXPECT_EQ(queue_.Retries("a"), 20);
  EXPECT_EQ(queue_.Retries("b"), 0);
  queue_.Forget("a");
  EXPECT_EQ(queue_.Retries("a"), 0);

  Fail("a");
  Pass(milliseconds(5));
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, RetriesNoMoreThanTenASecondAfterAHundred) {
  for (int i = 0; i < 102; ++i) Fail(std::to_string(i));
  Pass(milliseconds(5));
  EXPECT_EQ(TakeAll().size(), 100U);
  Pass(milliseconds(95));
  EXPECT_THAT(TakeAll(), ElementsAre("100"));
  Pass(milliseconds(100));
  EXPECT_THAT(TakeAll(), ElementsAre("101"));
}

TEST_F(WorkQueueTest, RetriesAsFastAsKeysMayWithoutAnOverallLimit) {
  Queue queue(timers_, {.name = "job",
                        .back_off = {.first = seconds(1), .longest = seconds(3), .overall = {}}});
  for (int i = 0; i < 1000; ++i) queue.AddRateLimited(std::to_string(i));
  Pass(seconds(1));
  EXPECT_EQ(queue.waiting(), 1000U);
}

class TenantsOfWorkQueueTest : public testing::Test {
 protected:
  std::string Next() {
    const auto work = queue_.TryGet();
    return work ? work->key().ToString() : "";
  }
  void Pass(nanoseconds time) { static_cast<void>(executor_.RunFor(time)); }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  WorkQueue<> queue_{timers_, {.name = "test"}};
};

TEST_F(TenantsOfWorkQueueTest, NamespacesAreServedInTurnAndEachInItsOwnOrder) {
  for (const char* name : {"3", "1", "2"}) queue_.Add({"crowd", name});
  queue_.Add({"b", "1"});
  queue_.Add({"c", "1"});
  queue_.Add({"c", "2"});
  queue_.Add({"", "cluster"});
  std::vector<std::string> order;
  for (std::string key = Next(); !key.empty(); key = Next()) order.push_back(key);
  EXPECT_THAT(order, ElementsAre("crowd/3", "b/1", "c/1", "cluster", "crowd/1", "c/2", "crowd/2"));
}

TEST_F(TenantsOfWorkQueueTest, KeyIsNextAfterOneOfNamespaceWith100000) {
  for (int i = 0; i < 100'000; ++i) queue_.Add({"crowd", std::to_string(i)});
  for (int round = 0; round < 3; ++round) {
    queue_.Add({"other", "key"});
    EXPECT_EQ(Next(), "crowd/" + std::to_string(round));
    EXPECT_EQ(Next(), "other/key");
  }
  EXPECT_EQ(queue_.waiting(), 99'997U);
}

TEST_F(TenantsOfWorkQueueTest, FailuresOfNamespaceDoNotPutOffRetriesOfAnother) {
  for (int i = 0; i < 50'000; ++i) queue_.AddRateLimited({"crowd", std::to_string(i)});
  queue_.AddRateLimited({"other", "key"});
  Pass(milliseconds(5));
  EXPECT_EQ(queue_.waiting(), 101U) << "the burst of one, and the key of the other";
  EXPECT_EQ(Next(), "crowd/0");
  EXPECT_EQ(Next(), "other/key");
  queue_.AddRateLimited({"other", "key"});
  Pass(milliseconds(10));
  EXPECT_EQ(Next(), "crowd/1");
  EXPECT_EQ(Next(), "other/key");
}

TEST_F(TenantsOfWorkQueueTest, NamespaceIsNotForgottenBeforeItMayRetryAtOnceAgain) {
  for (int i = 0; i < 101; ++i) {
    queue_.AddRateLimited({"crowd", std::to_string(i)});
    queue_.Forget({"crowd", std::to_string(i)});
  }
  Pass(milliseconds(100));
  while (!Next().empty()) {
  }
  EXPECT_EQ(queue_.sizes(), QueueSizes());
  for (int i = 0; i < 100; ++i) queue_.AddRateLimited({"crowd", std::to_string(i)});
  Pass(milliseconds(99));
  EXPECT_EQ(queue_.waiting(), 0U) << "a hundred and one were tried again just before";
  Pass(milliseconds(1));
  EXPECT_EQ(queue_.waiting(), 1U);
}

TEST_F(WorkQueueTest, KeepsAddsToAHeldKeyUntilItIsReleased) {
  queue_.Add("a");
  queue_.Add("b");
  Take().Hold();
  EXPECT_EQ(queue_.sizes(), (QueueSizes{.live = 1, .held = 1, .pending = 1}));
  queue_.Add("a");
  queue_.AddAfter("a", seconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("b"));
  Pass(seconds(2));
  EXPECT_THAT(TakeAll(), IsEmpty());
  queue_.Release("a");
  queue_.Release("a");
  queue_.Release("unknown");
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  EXPECT_EQ(queue_.sizes(), QueueSizes());
}

TEST_F(WorkQueueTest, ForgetsAHeldKeyToWhichNothingWasAdded) {
  queue_.Add("a");
  Take().Hold();
  queue_.Release("a");
  EXPECT_THAT(TakeAll(), IsEmpty());
  EXPECT_EQ(queue_.sizes(), QueueSizes());
}

TEST_F(WorkQueueTest, AfterAShutdownHandsOutWhatWaitsAndTakesNothingNew) {
  queue_.Add("waits");
  queue_.Add("processed");
  queue_.AddAfter("delayed", seconds(1));
  queue_.Add("processed");
  Queue::Work waits = Take();
  Queue::Work processed = Take();
  queue_.Add("processed");
  queue_.Add("other");

  queue_.ShutDown();
  EXPECT_TRUE(queue_.shut_down());
  queue_.Add("new");
  queue_.Add("waits");
  queue_.AddAfter("new", seconds(0));
  queue_.AddRateLimited("new");
  Pass(seconds(10));
  processed.Finish();
  waits.Finish();
  EXPECT_THAT(TakeAll(), ElementsAre("other", "processed"));
  EXPECT_EQ(queue_.Get(), std::nullopt);
  EXPECT_EQ(queue_.sizes(), QueueSizes());
}

TEST_F(WorkQueueTest, BlocksUntilAKeyIsAddedOrFallsDueOrNothingCanCome) {
  std::vector<std::string> got;
  executor_.Start("worker", [&] {
    while (const auto work = queue_.Get()) got.push_back(work->key());
    got.emplace_back("end");
  });
  Pass(seconds(1));
  queue_.Add("a");
  queue_.AddAfter("b", seconds(1));
  Pass(seconds(1));
  EXPECT_THAT(got, ElementsAre("a", "b"));
  queue_.ShutDown();
  Pass(seconds(1));
  EXPECT_THAT(got, ElementsAre("a", "b", "end"));
}

TEST_F(WorkQueueTest, DrainsWhatWaitsAndWhatIsProcessed) {
  std::vector<std::string> done;
  for (const char* key : {"a", "b", "c"}) queue_.Add(key);
  executor_.Start("worker", [&] {
    while (const auto work = queue_.Get()) {
      queue_.AddAfter(work->key(), hours(1));
      executor_.clock().SleepFor(seconds(1));
      done.push_back(work->key());
    }
  });
  executor_.Start("owner", [&] {
    EXPECT_FALSE(queue_.ShutDownWithDrain(Now() + seconds(1)));
    EXPECT_TRUE(queue_.ShutDownWithDrain(SteadyTime::max()));
    EXPECT_THAT(done, ElementsAre("a", "b", "c"));
  });
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
}

TEST_F(WorkQueueTest, WaitsInADrainForAHeldKeyThatWasAdded) {
  queue_.Add("a");
  Take().Hold();
  queue_.Add("a");
  bool drained = false;
  executor_.Start("owner", [&] { drained = queue_.ShutDownWithDrain(SteadyTime::max()); });
  Pass(seconds(1));
  EXPECT_FALSE(drained);
  queue_.Release("a");
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  Pass(seconds(1));
  EXPECT_TRUE(drained);
}

TEST_F(WorkQueueTest, EndsADrainWhenItIsShutDownWithoutOne) {
  queue_.Add("a");
  std::optional<bool> drained;
  executor_.Start("owner", [&] { drained = queue_.ShutDownWithDrain(SteadyTime::max()); });
  Pass(seconds(1));
  queue_.ShutDown();
  Pass(seconds(1));
  EXPECT_EQ(drained, false);
}

TEST_F(WorkQueueTest, NeedsNoTaskButForDelaysAndThenOneForAllQueues) {
  Queue other(timers_, {.name = "other"});
  queue_.Add("a");
  other.Add("a");
  TakeAll();
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(executor_.trace(), IsEmpty());

  queue_.AddAfter("a", seconds(1));
  other.AddAfter("a", seconds(2));
  const auto report = executor_.RunFor(milliseconds(1));
  ASSERT_EQ(report.blocked.size(), 1U);
  EXPECT_EQ(report.blocked[0].task, "timers");
  queue_.ShutDown();
  other.ShutDown();
  EXPECT_EQ(executor_.RunFor(milliseconds(1)).outcome, Outcome::kAllDone);
}

TEST_F(WorkQueueTest, TellsWhoeverAsksWhenKeysAreReady) {
  std::vector<std::size_t> ready;
  queue_.Add("waits");
  queue_.OnReady([&](std::size_t keys) { ready.push_back(keys); });
  EXPECT_THAT(ready, ElementsAre(1U));
  queue_.Add("waits");
  queue_.Add("a");
  queue_.AddAfter("b", seconds(1));
  queue_.AddAfter("c", seconds(1));
  EXPECT_THAT(ready, ElementsAre(1U, 1U));
  Pass(seconds(1));
  EXPECT_THAT(ready, ElementsAre(1U, 1U, 2U));
  queue_.OnReady(nullptr);
  queue_.Add("d");
  EXPECT_THAT(ready, ElementsAre(1U, 1U, 2U));
}

TEST_F(WorkQueueTest, ShowsItsKeys) {
  using Report = Queue::KeyReport;
  for (const char* key : {"processed", "held"}) queue_.Add(key);
  queue_.AddRateLimited("later");
  const Queue::Work processed = Take();
  Take().Hold();
  queue_.AddAfter("late", hours(1));
  Pass(milliseconds(1));
  queue_.Add("processed", Priority::kBackground);
  queue_.Add("resync", Priority::kBackground);
  queue_.Add("change");
  queue_.AddAfter("change", seconds(2));
  Pass(milliseconds(2));

  const std::vector<Report> expected = {
      {.key = "processed",
       .state = KeyState::kProcessing,
       .pending = true,
       .priority = Priority::kBackground,
       .since = milliseconds(3)},
      {.key = "change",
       .state = KeyState::kWaiting,
       .pending = true,
       .priority = Priority::kLive,
       .since = milliseconds(2),
       .due_in = milliseconds(1998)},
      {.key = "resync",
       .state = KeyState::kWaiting,
       .pending = true,
       .priority = Priority::kBackground,
       .since = milliseconds(2)},
      {.key = "held", .state = KeyState::kHeld, .since = milliseconds(3)},
      {.key = "later", .due_in = milliseconds(2), .retries = 1},
      {.key = "late", .due_in = hours(1) - milliseconds(3)},
  };
  EXPECT_EQ(queue_.keys(100), expected);
  EXPECT_EQ(queue_.keys(2), std::vector(expected.begin(), expected.begin() + 2));
  EXPECT_EQ(
      queue_.sizes(),
      (QueueSizes{
          .live = 1, .background = 1, .processing = 1, .held = 1, .delayed = 3, .pending = 3}));
  EXPECT_EQ(queue_.oldest_wait(), milliseconds(2));
}

TEST_F(WorkQueueTest, KnowsTheOldestWaitOfAKeyThatWasAddedWhileItWasProcessed) {
  EXPECT_EQ(queue_.oldest_wait(), std::nullopt);
  queue_.Add("a");
  Queue::Work work = Take();
  queue_.Add("a");
  Pass(seconds(1));
  queue_.Add("b");
  EXPECT_EQ(queue_.oldest_wait(), seconds(0));
  work.Finish();
  EXPECT_EQ(queue_.oldest_wait(), seconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("b", "a"));
}

TEST_F(WorkQueueTest, TakesObjectKeysAndWhateverCanBeHashed) {
  WorkQueue<> queue(timers_, {.name = "objects"});
  queue.Add({"default", "web"});
  EXPECT_EQ(queue.TryGet()->key().ToString(), "default/web");
  WorkQueue<int> numbers(timers_, {.name = "numbers"});
  numbers.Add(7);
  EXPECT_EQ(numbers.TryGet()->key(), 7);
}

}  // namespace
}  // namespace flyball::queue
