// What it costs that every test has a server of its own.
#include <benchmark/benchmark.h>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/sandbox.h"

namespace flyball::sandbox {
namespace {

void MakeAndDrop(benchmark::State& state) {
  for (auto _ : state) {
    Sandbox sandbox;
    benchmark::DoNotOptimize(&sandbox.server());
  }
}
BENCHMARK(MakeAndDrop)->Unit(benchmark::kMicrosecond);

void MakeAndDropInADeterministicRun(benchmark::State& state) {
  for (auto _ : state) {
    DeterministicExecutor executor(1);
    Timers timers(executor);
    Sandbox sandbox({executor, timers}, {.seed = 1});
    benchmark::DoNotOptimize(&sandbox.server());
  }
}
BENCHMARK(MakeAndDropInADeterministicRun)->Unit(benchmark::kMicrosecond);

void MakeUseAndDrop(benchmark::State& state) {
  core::v1::ConfigMap map;
  map.metadata.namespace_ = "default";
  map.metadata.name = "map";
  for (auto _ : state) {
    Sandbox sandbox;
    const auto created = sandbox.client().Of<core::v1::ConfigMap>().Create(map);
    if (!created) state.SkipWithError(created.error().Describe().c_str());
  }
}
BENCHMARK(MakeUseAndDrop)->Unit(benchmark::kMicrosecond);

void MakeListenAndDrop(benchmark::State& state) {
  for (auto _ : state) {
    Sandbox sandbox;
    const auto access = sandbox.Listen();
    if (!access) state.SkipWithError(access.error().Describe().c_str());
  }
}
BENCHMARK(MakeListenAndDrop)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace flyball::sandbox
