// The queue against a model of it that is too simple to be wrong, by random operations. A failure
// names the seed and the step: the same seed takes the same steps again.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/fake_clock.h"
#include "flyball/queue/work_queue.h"
#include "gtest/gtest.h"

namespace flyball::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using Queue = WorkQueue<int>;

constexpr int kSteps = 1'000'000;
constexpr int kSeeds = 10;
constexpr int kKeys = 24;
constexpr int kTenants = 3;

int TenantOfKey(int key) { return key % kTenants; }

/// Never runs a task: a queue must be right without its timer, which only wakes those who wait.
class IdleExecutor final : public Executor {
 public:
  void Start(std::string, Task) override {}
  Clock& clock() override { return fake_clock; }
  void Drain() override {}

  FakeClock fake_clock;
};

/// What a queue is to do, in lists and sets of keys. It looks through all it has for each answer.
class Model {
 public:
  explicit Model(SteadyTime now) : now_(now), buckets_(kTenants, TokenBucket(10, 100, now)) {}

  void Pass(nanoseconds time) {
    now_ += time;
    for (;;) {
      auto next = delayed_.end();
      for (auto it = delayed_.begin(); it != delayed_.end(); ++it) {
        if (it->second.first > now_) continue;
        if (next == delayed_.end() || it->second < next->second) next = it;
      }
      if (next == delayed_.end()) return;
      const int key = next->first;
      delayed_.erase(next);
      Add(key, Priority::kLive);
    }
  }

  void Add(int key, Priority priority) {
    if (shut_down_) return;
    if (pending_.contains(key) && pending_[key] >= priority) return;
    pending_[key] = priority;
    background_.Erase(key);
    if (!processing_.contains(key) && !held_.contains(key)) Queue(key);
  }

  void AddAfter(int key, nanoseconds delay) {
    if (shut_down_) return;
    if (delay <= nanoseconds(0)) return Add(key, Priority::kLive);
    const std::pair due(now_ + delay, ++delays_);
    if (!delayed_.contains(key) || due.first < delayed_[key].first) delayed_[key] = due;
  }

  void AddRateLimited(int key) {
    if (shut_down_) return;
    nanoseconds delay = milliseconds(5);
    for (int i = 0; i < retries_[key] && delay < seconds(1000); ++i) delay *= 2;
    ++retries_[key];
    AddAfter(key, std::max({std::min<nanoseconds>(delay, seconds(1000)),
                            buckets_[static_cast<std::size_t>(TenantOfKey(key))].Take(now_)}));
  }

  void Forget(int key) { retries_.erase(key); }
  int Retries(int key) const { return retries_.contains(key) ? retries_.at(key) : 0; }

  std::optional<int> Get() {
    Turns* from = &live_;
    if (live_.keys().empty() || (passed_ >= 9 && !background_.keys().empty())) from = &background_;
    if (from->keys().empty()) return std::nullopt;
    if (from == &background_ || background_.keys().empty()) {
      passed_ = 0;
    } else {
      ++passed_;
    }
    const int key = from->Next();
    pending_.erase(key);
    processing_.insert(key);
    return key;
  }

  void Done(int key) {
    processing_.erase(key);
    if (pending_.contains(key)) Queue(key);
  }
  void Hold(int key) {
    processing_.erase(key);
    held_.insert(key);
  }
  void Release(int key) {
    if (held_.erase(key) > 0 && pending_.contains(key)) Queue(key);
  }

  void ShutDown() {
    shut_down_ = true;
    delayed_.clear();
  }
  bool Drained() const { return pending_.empty() && processing_.empty(); }

  QueueSizes Sizes() const {
    return {.live = live_.keys().size(),
            .background = background_.keys().size(),
            .processing = processing_.size(),
            .held = held_.size(),
            .delayed = delayed_.size(),
            .pending = pending_.size()};
  }
  std::vector<int> Waiting() const {
    std::vector<int> keys = live_.keys();
    std::ranges::copy(background_.keys(), std::back_inserter(keys));
    return keys;
  }
  const std::set<int>& held() const { return held_; }
  const std::set<int>& processing() const { return processing_; }

 private:
  /// What waits, by tenant, and the tenants in the order of their turns.
  class Turns {
   public:
    void Add(int key) {
      std::deque<int>& keys = waiting_[TenantOfKey(key)];
      if (keys.empty()) order_.push_back(TenantOfKey(key));
      keys.push_back(key);
    }
    void Erase(int key) {
      const int tenant = TenantOfKey(key);
      if (std::erase(waiting_[tenant], key) > 0 && waiting_[tenant].empty()) {
        std::erase(order_, tenant);
      }
    }
    int Next() {
      const int tenant = order_.front();
      order_.pop_front();
      std::deque<int>& keys = waiting_[tenant];
      const int key = keys.front();
      keys.pop_front();
      if (!keys.empty()) order_.push_back(tenant);
      return key;
    }
    std::vector<int> keys() const {
      std::vector<int> keys;
      for (const int tenant : order_)
        std::ranges::copy(waiting_.at(tenant), std::back_inserter(keys));
      return keys;
    }

   private:
    std::map<int, std::deque<int>> waiting_;
    std::deque<int> order_;
  };

  void Queue(int key) { (pending_[key] == Priority::kLive ? live_ : background_).Add(key); }

  SteadyTime now_;
  std::vector<TokenBucket> buckets_;
  Turns live_;
  Turns background_;
  std::map<int, Priority> pending_;
  std::set<int> processing_;
  std::set<int> held_;
  std::map<int, int> retries_;
  std::map<int, std::pair<SteadyTime, int>> delayed_;
  int delays_ = 0;
  int passed_ = 0;
  bool shut_down_ = false;
};

/// One queue and its model, from its making to its end.
class Comparison {
 public:
  explicit Comparison(std::mt19937_64& random) : random_(random) {}

  void Step() {
    const int key = static_cast<int>(Draw(kKeys));
    switch (Draw(20)) {
      case 0:
      case 1:
      case 2:
        return Add(key, Priority::kLive);
      case 3:
      case 4:
      case 5:
        return Add(key, Priority::kBackground);
      case 6:
      case 7:
        return AddAfter(key, milliseconds(static_cast<int>(Draw(50)) - 2));
      case 8:
      case 9:
        queue_.AddRateLimited(key);
        return model_.AddRateLimited(key);
      case 10:
        queue_.Forget(key);
        return model_.Forget(key);
      case 11:
      case 12:
        return Pass(milliseconds(Draw(20)));
      case 13:
        return Draw(50) == 0 ? Pass(seconds(Draw(2000))) : Pass(nanoseconds(Draw(1000)));
      case 14:
      case 15:
      case 16:
        return Get();
      case 17:
        if (Draw(2) == 0) return Release(key);
        return End(true);
      default:
        return End(false);
    }
  }

  void ShutDown() {
    const bool drain = Draw(2) == 0;
    model_.ShutDown();
    if (drain) {
      EXPECT_EQ(queue_.ShutDownWithDrain(Now()), model_.Drained());
    } else {
      queue_.ShutDown();
    }
  }

  /// As workers do after a shutdown: all that is left is processed.
  void Finish() {
    for (const int key : std::vector(model_.held().begin(), model_.held().end())) Release(key);
    do {
      while (!works_.empty()) End(false);
      Get();
    } while (!works_.empty());
    EXPECT_TRUE(model_.Drained());
    EXPECT_TRUE(queue_.ShutDownWithDrain(Now()));
    EXPECT_EQ(queue_.Get(), std::nullopt);
  }

  void Compare() {
    EXPECT_EQ(queue_.sizes(), model_.Sizes());
    const int key = static_cast<int>(Draw(kKeys));
    EXPECT_EQ(queue_.Retries(key), model_.Retries(key));
  }

  void CompareOrder() {
    std::vector<int> waiting;
    for (const Queue::KeyReport& report : queue_.keys(1000)) {
      if (report.state == KeyState::kWaiting) waiting.push_back(report.key);
    }
    EXPECT_EQ(waiting, model_.Waiting());
  }

 private:
  std::uint64_t Draw(std::uint64_t below) { return random_() % below; }
  SteadyTime Now() const { return executor_.fake_clock.SteadyNow(); }

  void Add(int key, Priority priority) {
    queue_.Add(key, priority);
    model_.Add(key, priority);
  }
  void AddAfter(int key, nanoseconds delay) {
    queue_.AddAfter(key, delay);
    model_.AddAfter(key, delay);
  }
  void Pass(nanoseconds time) {
    executor_.fake_clock.Advance(time);
    model_.Pass(time);
    // Without its timer, a queue moves what is due only when it is told something.
    queue_.Release(kKeys);
  }
  void Get() {
    std::optional<Queue::Work> work = queue_.TryGet();
    const std::optional<int> expected = model_.Get();
    ASSERT_EQ(work ? std::optional(work->key()) : std::nullopt, expected);
    if (work) works_.push_back(std::move(*work));
  }
  /// Of one that is being processed, any.
  void End(bool hold) {
    if (works_.empty()) return;
    std::swap(works_[Draw(works_.size())], works_.back());
    const int key = works_.back().key();
    if (hold) {
      works_.back().Hold();
      model_.Hold(key);
    } else {
      works_.back().Finish();
      model_.Done(key);
    }
    works_.pop_back();
  }
  void Release(int key) {
    queue_.Release(key);
    model_.Release(key);
  }

  std::mt19937_64& random_;
  IdleExecutor executor_;
  Timers timers_{executor_};
  Queue queue_{timers_, {.name = "test"}, [](int key) { return std::to_string(TenantOfKey(key)); }};
  Model model_{executor_.fake_clock.SteadyNow()};
  std::vector<Queue::Work> works_;
};

class WorkQueueModel : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WorkQueueModel, DoesAsTheModelDoesAtEveryStep) {
  std::mt19937_64 random(GetParam());
  for (int step = 0; step < kSteps / kSeeds;) {
    Comparison comparison(random);
    const int shutdown = step + 200 + static_cast<int>(random() % 5000);
    const int end = shutdown + 100;
    for (; step < end; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      if (step == shutdown) comparison.ShutDown();
      comparison.Step();
      comparison.Compare();
      if (step % 16 == 0) comparison.CompareOrder();
      if (HasFailure()) return;
    }
    comparison.Finish();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WorkQueueModel, testing::Range<std::uint64_t>(1, kSeeds + 1));

}  // namespace
}  // namespace flyball::queue
