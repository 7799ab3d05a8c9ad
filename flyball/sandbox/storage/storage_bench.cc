// What a write, a page and a change taken cost beside the making of the objects. What counts is a
// write in memory: three microseconds are what it may take.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "flyball/base/executor.h"
#include "flyball/sandbox/storage/bytes_object.h"
#include "flyball/sandbox/storage/storage.h"
#include "tests/scripted/test_folder.h"

namespace flyball::sandbox {
namespace {

constexpr std::int64_t kObjects = 10'000;
constexpr std::int64_t kNamespaces = 10;

/// A storage with pods in it.
struct Bench {
  explicit Bench(bool on_disk = false) {
    Storage::Options options;
    if (on_disk) options.folder = folder.path();
    storage = *Storage::Open(executor, options, {});
    for (std::int64_t i = 0; i < kObjects; ++i) {
      keys.push_back({"pods", "namespace-" + std::to_string(i % kNamespaces),
                      "a-deployment-7d4b9c6f5d-" + std::to_string(i)});
      revisions.push_back(0);
      Put(i);
    }
    executor.Drain();
  }

  void Put(std::int64_t i) {
    storage->Put(
        keys[i], revisions[i], [this](Revision) { return object; },
        [this, i](const Result<Entry>& entry) { revisions[i] = entry->revision; });
  }

  RealClock clock;
  scripted::TestFolder folder;
  ElasticExecutor executor{clock};
  const StoredPtr object = MakeBytes(std::string(1000, 'x'));
  std::vector<StorageKey> keys;
  std::vector<Revision> revisions;
  std::unique_ptr<Storage> storage;
};

/// In an order that no cache foresees.
std::int64_t Scattered(std::int64_t i) { return i * 7919 % kObjects; }

void BM_PutInMemory(benchmark::State& state) {
  Bench bench;
  std::int64_t i = 0;
  for (auto _ : state) bench.Put(Scattered(i++));
}
BENCHMARK(BM_PutInMemory);

/// Five followers of each namespace, who take each change as it comes.
void BM_PutInMemoryWithFiftyFollowersAndFiveToEachWrite(benchmark::State& state) {
  Bench bench;
  std::vector<std::unique_ptr<Storage::Follower>> followers;
  std::vector<Storage::Follower*> woken;
  for (std::int64_t i = 0; i < 5 * kNamespaces; ++i) {
    followers.emplace_back();
    followers[i] = *bench.storage->Follow("pods", "namespace-" + std::to_string(i % kNamespaces),
                                          bench.storage->revision(),
                                          [&, i] { woken.push_back(followers[i].get()); });
    benchmark::DoNotOptimize(followers[i]->Take(100));
  }
  std::int64_t i = 0;
  for (auto _ : state) {
    bench.Put(Scattered(i++));
    for (Storage::Follower* follower : std::exchange(woken, {})) {
      while (!follower->Take(100)->empty()) {
      }
    }
  }
}
BENCHMARK(BM_PutInMemoryWithFiftyFollowersAndFiveToEachWrite);

/// In groups of as many as there are writers waiting.
void BM_PutOnDisk(benchmark::State& state) {
  Bench bench(true);
  std::int64_t i = 0;
  for (auto _ : state) {
    for (std::int64_t n = 0; n < state.range(0); ++n) bench.Put(Scattered(i++));
    bench.executor.Drain();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_PutOnDisk)->Arg(1)->Arg(16)->Arg(256)->UseRealTime();

void BM_ListPageOf500(benchmark::State& state) {
  const Bench bench;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench.storage->List({.collection = "pods", .limit = 500}));
  }
}
BENCHMARK(BM_ListPageOf500);

void BM_ListAll(benchmark::State& state) {
  const Bench bench;
  for (auto _ : state) benchmark::DoNotOptimize(bench.storage->List({.collection = "pods"}));
}
BENCHMARK(BM_ListAll);

void BM_OpenAndEndInMemory(benchmark::State& state) {
  RealClock clock;
  ElasticExecutor executor(clock);
  for (auto _ : state) benchmark::DoNotOptimize(Storage::Open(executor, {}, {}));
}
BENCHMARK(BM_OpenAndEndInMemory);

}  // namespace
}  // namespace flyball::sandbox
