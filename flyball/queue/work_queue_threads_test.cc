// The queue under real threads, as the thread sanitizer wants to see it.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "flyball/base/executor.h"
#include "flyball/queue/work_queue.h"
#include "flyball/queue/worker_pool.h"
#include "gtest/gtest.h"

namespace flyball::queue {
namespace {

using std::chrono::microseconds;
using Queue = WorkQueue<int>;

constexpr int kKeys = 50;
constexpr int kProducers = 3;
constexpr int kWorkers = 4;
constexpr int kAdds = 20'000;  // a producer

/// Counts adds and what was seen of them, a key each.
class Ledger {
 public:
  /// Around an Add().
  void WillAdd(int key) { ++begun_[key]; }
  void HasAdded(int key) { ++added_[key]; }

  void Process(int key) {
    EXPECT_FALSE(busy_[key].exchange(true)) << "two workers on " << key;
    seen_[key] = begun_[key].load();
    ++processed_;
    busy_[key] = false;
  }

  using Counts = std::array<int, kKeys>;
  Counts added() const { return Copy(added_); }
  Counts seen() const { return Copy(seen_); }
  int processed() const { return processed_; }

 private:
  static Counts Copy(const std::array<std::atomic<int>, kKeys>& counts) {
    Counts copy{};
    for (int key = 0; key < kKeys; ++key) copy[key] = counts[key];
    return copy;
  }

  std::array<std::atomic<int>, kKeys> begun_{};
  std::array<std::atomic<int>, kKeys> added_{};
  std::array<std::atomic<int>, kKeys> seen_{};
  std::array<std::atomic<bool>, kKeys> busy_{};
  std::atomic<int> processed_ = 0;
};

class WorkQueueThreads : public testing::Test {
 protected:
  void StartProducers() {
    for (int i = 0; i < kProducers; ++i) {
      executor_.Start("producer", [this, i] {
        std::mt19937_64 random(static_cast<std::uint64_t>(i));
        for (int n = 0; n < kAdds; ++n) Produce(random);
        --producing_;
      });
    }
  }
  void Produce(std::mt19937_64& random) {
    const int key = static_cast<int>(random() % kKeys);
    ledger_.WillAdd(key);
    queue_.Add(key, random() % 2 == 0 ? Priority::kLive : Priority::kBackground);
    ledger_.HasAdded(key);
    switch (random() % 16) {
      case 0:
        return queue_.AddAfter(key, microseconds(random() % 500));
      case 1:
        return queue_.AddRateLimited(key);
      case 2:
        return queue_.Forget(key);
      case 3:
        return queue_.Release(static_cast<int>(random() % kKeys));
      default:
        return;
    }
  }
  void Process(Queue::Work work) {
    const int key = work.key();
    ledger_.Process(key);
    if (key % 10 != 0) return;
    work.Hold();
    queue_.Release(key);
  }
  void AwaitProducers() {
    while (producing_ > 0) clock_.SleepFor(microseconds(100));
  }
  bool ShutDownWithDrain() {
    return queue_.ShutDownWithDrain(clock_.DeadlineAfter(std::chrono::minutes(1)));
  }

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Timers timers_{executor_};
  MetricRegistry metrics_;
  Queue queue_{timers_, {.name = "test", .back_off = {}, .metrics = &metrics_}};
  Ledger ledger_;
  std::atomic<int> producing_ = kProducers;
};

TEST_F(WorkQueueThreads, BlockedWorkersLoseNothing) {
  for (int i = 0; i < kWorkers; ++i) {
    executor_.Start("worker", [this] {
      while (auto work = queue_.Get()) Process(std::move(*work));
    });
  }
  StartProducers();
  AwaitProducers();
  EXPECT_TRUE(ShutDownWithDrain());
  EXPECT_EQ(ledger_.seen(), ledger_.added());
  executor_.Drain();
  EXPECT_EQ(queue_.sizes(), QueueSizes());
}

TEST_F(WorkQueueThreads, AWorkerPoolLosesNothing) {
  WorkerPool<int> pool(queue_, executor_, {"worker", kWorkers},
                       [this](Queue::Work work) { Process(std::move(work)); });
  StartProducers();
  AwaitProducers();
  EXPECT_TRUE(ShutDownWithDrain());
  EXPECT_EQ(ledger_.seen(), ledger_.added());
  EXPECT_TRUE(pool.Stop(clock_.DeadlineAfter(std::chrono::minutes(1))));
}

TEST_F(WorkQueueThreads, ADrainAmongAddsLosesNoneThatCameBeforeIt) {
  WorkerPool<int> pool(queue_, executor_, {"worker", kWorkers},
                       [this](Queue::Work work) { Process(std::move(work)); });
  StartProducers();
  // On a busy machine they may all be added, and be fewer to process, before that many are.
  while (ledger_.processed() < 500 && producing_ > 0) clock_.SleepFor(microseconds(100));
  const Ledger::Counts before = ledger_.added();
  EXPECT_TRUE(ShutDownWithDrain());
  const Ledger::Counts seen = ledger_.seen();
  for (int key = 0; key < kKeys; ++key) EXPECT_GE(seen[key], before[key]) << key;
  AwaitProducers();
  EXPECT_EQ(queue_.sizes().pending, 0U);
}

TEST_F(WorkQueueThreads, WhatIsReadMeanwhileHoldsTogether) {
  WorkerPool<int> pool(queue_, executor_, {"worker", kWorkers},
                       [this](Queue::Work work) { Process(std::move(work)); });
  StartProducers();
  while (producing_ > 0) {
    EXPECT_LE(queue_.sizes().processing, static_cast<std::size_t>(kWorkers));
    EXPECT_LE(queue_.keys(10).size(), 10U);
    static_cast<void>(queue_.oldest_wait());
    EXPECT_NE(metrics_.Text(), "");
    clock_.SleepFor(microseconds(200));
  }
  EXPECT_TRUE(ShutDownWithDrain());
}

}  // namespace
}  // namespace flyball::queue
