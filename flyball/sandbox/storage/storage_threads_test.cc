// Writers, readers and followers at once, on real threads: for the thread sanitizer, and for what
// each of them must see whatever the others do.

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/sandbox/internal/scratch_storage.h"
#include "flyball/sandbox/storage/storage.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

constexpr int kWriters = 3;
constexpr int kWritesEach = 300;
constexpr int kCounters = 4;

/// Lets one thread wait for others.
class Signal {
 public:
  explicit Signal(Clock& clock) : clock_(clock) {}
  void Set() {
    const MutexLock lock(mutex_);
    set_ = true;
    changed_.NotifyAll();
  }
  void WaitAndClear() {
    MutexLock lock(mutex_);
    clock_.Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return set_; });
    set_ = false;
  }

 private:
  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  bool set_ FLYBALL_GUARDED_BY(mutex_) = false;
};

class StorageThreadsTest : public ::testing::TestWithParam<bool> {
 protected:
  StorageThreadsTest() {
    Storage::Options options;
    if (GetParam()) options.folder = folder_.path();
    storage_ = *Storage::Open(executor_, options, {});
  }

  static StorageKey CounterKey(int counter) { return {"counters", "n", std::to_string(counter)}; }

  Result<Entry> Put(const StorageKey& key, Revision expected, const std::string& text) {
    const auto signal = std::make_shared<Signal>(clock_);
    const auto outcome = std::make_shared<Result<Entry>>();
    storage_->Put(
        key, expected, [&](Revision) { return MakeBytes(text); },
        [signal, outcome](Result<Entry> entry) {
          *outcome = std::move(entry);
          signal->Set();
        });
    signal->WaitAndClear();
    return *outcome;
  }

  /// Reads, adds one, and writes if nobody was quicker; until it was the quicker one.
  void Increment(const StorageKey& key) {
    for (;;) {
      const auto is = storage_->Get(key);
      const int count = is ? std::stoi(std::string(is->object->bytes())) : 0;
      if (Put(key, is ? is->revision : 0, std::to_string(count + 1))) return;
    }
  }

  RealClock clock_;
  scripted::TestFolder folder_;
  ElasticExecutor executor_{clock_};
  std::unique_ptr<Storage> storage_;
};

INSTANTIATE_TEST_SUITE_P(Kept, StorageThreadsTest, ::testing::Bool(), [](const auto& kind) {
  return std::string(kind.param ? "OnDisk" : "InMemory");
});

TEST_P(StorageThreadsTest, NoWriteIsLostAndFollowersSeeEachOnceInOrder) {
  std::atomic<int> followed = 0;
  for (int i = 0; i < 4; ++i) {
    executor_.Start("follower", [this, &followed, i] {
      const auto signal = std::make_shared<Signal>(clock_);
      auto follower =
          *storage_->Follow("counters", i % 2 == 0 ? "" : "n", 1, [signal] { signal->Set(); });
      std::map<std::string, int> counts;
      Revision last = 1;
      for (int seen = 0; seen < kWriters * kWritesEach;) {
        const auto taken = follower->Take(7);
        ASSERT_TRUE(taken.has_value()) << taken.error().Describe();
        if (taken->empty()) signal->WaitAndClear();
        for (const Change& change : *taken) {
          ASSERT_GT(change.revision, last);
          last = change.revision;
          const int before = counts[change.key->name]++;
          ASSERT_EQ(change.object->bytes(), std::to_string(before + 1));
          ASSERT_EQ(change.before == nullptr ? "0" : std::string(change.before->bytes()),
                    std::to_string(before));
          ++seen;
        }
        ASSERT_GE(follower->revision(), last);
      }
      ++followed;
    });
  }
  std::atomic<bool> stop = false;
  executor_.Start("reader", [this, &stop] {
    Revision newest = 1;
    while (!stop) {
      const auto page = storage_->List({.collection = "counters"});
      ASSERT_TRUE(page.has_value());
      ASSERT_GE(page->at, newest);
      newest = page->at;
      int sum = 0;
      for (const Entry& entry : page->entries) sum += std::stoi(std::string(entry.object->bytes()));
      ASSERT_EQ(sum, page->at - 1);  // every revision is one count
    }
  });
  std::atomic<int> writing = kWriters;
  Signal written(clock_);
  for (int writer = 0; writer < kWriters; ++writer) {
    executor_.Start("writer", [this, writer, &writing, &written] {
      for (int i = 0; i < kWritesEach; ++i) Increment(CounterKey((writer + i) % kCounters));
      if (--writing == 0) written.Set();
    });
  }
  written.WaitAndClear();
  stop = true;
  executor_.Drain();
  EXPECT_EQ(followed, 4);
  EXPECT_EQ(storage_->revision(), 1 + kWriters * kWritesEach);
}

TEST_P(StorageThreadsTest, FollowersComeAndGoWhileOthersWrite) {
  std::atomic<bool> stop = false;
  for (int i = 0; i < 2; ++i) {
    executor_.Start("follower", [this, &stop] {
      const auto woken = std::make_shared<std::atomic<int>>(0);
      while (!stop) {
        auto follower =
            *storage_->Follow("counters", "", storage_->revision(), [woken] { ++*woken; });
        while (!follower->Take(1)->empty()) {
        }
        ASSERT_GE(follower->revision(), 1);
      }
    });
  }
  for (int i = 0; i < kWritesEach; ++i) Increment(CounterKey(i % kCounters));
  stop = true;
  executor_.Drain();
}

TEST_P(StorageThreadsTest, EndsWhileItsWritesAreBeingCommitted) {
  std::atomic<int> done = 0;
  for (int i = 0; i < kWritesEach; ++i) {
    storage_->Put(
        {"pods", "n", std::to_string(i)}, 0, [](Revision) { return MakeBytes("x"); },
        [&](const Result<Entry>& entry) { done += entry.has_value() ? 1 : 0; });
  }
  storage_.reset();
  EXPECT_EQ(done, kWritesEach);
}

}  // namespace
}  // namespace flyball::sandbox
