// Our side of the queue benchmark: what a key costs from its being added to its being done with,
// one `name value` a line.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/executor.h"
#include "flyball/base/metrics.h"
#include "flyball/queue/work_queue.h"
#include "flyball/queue/worker_pool.h"

namespace {

using flyball::api::ObjectKey;
using flyball::queue::WorkerPool;
using flyball::queue::WorkQueue;

constexpr int kKeys = 10'000;
constexpr int kRounds = 50;
constexpr int kWorkers = 4;

std::int64_t Nanoseconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// Prints the time of one of the keys of a call, in the best of some.
template <typename Call>
void Measure(const char* name, clockid_t clock, int keys, Call call) {
  auto best = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t start = Nanoseconds(clock);
    call();
    best = std::min(best, Nanoseconds(clock) - start);
  }
  std::printf("%s %.1f\n", name, static_cast<double>(best) / keys);
}

std::vector<ObjectKey> MakeKeys() {
  std::vector<ObjectKey> keys;
  for (int i = 0; i < kKeys; ++i) {
    keys.push_back({"namespace-" + std::to_string(i % 100), "deployment-" + std::to_string(i)});
  }
  return keys;
}

void AddGetDone(WorkQueue<>& queue, const std::vector<ObjectKey>& keys) {
  for (const ObjectKey& key : keys) queue.Add(key);
  while (queue.TryGet()) {
  }
}

/// One adds, four process.
void Pass(WorkQueue<>& queue, flyball::Executor& executor, const std::vector<ObjectKey>& keys) {
  std::atomic<int> done = 0;
  WorkerPool<> pool(queue, executor, {"worker", kWorkers}, [&](WorkQueue<>::Work work) {
    work.Finish();
    if (++done == kKeys) done.notify_one();
  });
  for (const ObjectKey& key : keys) queue.Add(key);
  for (int seen = done; seen < kKeys; seen = done) done.wait(seen);
}

}  // namespace

int main() {
  const std::vector<ObjectKey> keys = MakeKeys();
  flyball::RealClock clock;
  flyball::ElasticExecutor executor(clock);
  flyball::Timers timers(executor);
  flyball::MetricRegistry metrics;

  WorkQueue<> bare(timers, {.name = "bare"});
  Measure("bare_cycle_ns", CLOCK_PROCESS_CPUTIME_ID, kKeys, [&] { AddGetDone(bare, keys); });
  WorkQueue<> queue(timers, {.name = "bench", .back_off = {}, .metrics = &metrics});
  Measure("cycle_ns", CLOCK_PROCESS_CPUTIME_ID, kKeys, [&] { AddGetDone(queue, keys); });
  for (const ObjectKey& key : keys) queue.Add(key);
  Measure("again_ns", CLOCK_PROCESS_CPUTIME_ID, kKeys, [&] {
    for (const ObjectKey& key : keys) queue.Add(key);
  });
  AddGetDone(queue, keys);
  Measure("threads_ns", CLOCK_MONOTONIC, kKeys, [&] { Pass(queue, executor, keys); });
  Measure("delay_ns", CLOCK_PROCESS_CPUTIME_ID, kKeys, [&] {
    WorkQueue<> delaying(timers, {.name = "delays", .back_off = {}, .metrics = &metrics});
    for (int i = 0; i < kKeys; ++i) {
      delaying.AddAfter(keys[static_cast<std::size_t>(i)],
                        std::chrono::seconds(3600 + i * 7919 % kKeys));
    }
    delaying.ShutDown();
  });
}
