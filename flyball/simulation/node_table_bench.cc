// What a decision costs: 10,000 pods of deployments on 1,000 nodes have to be placed in a few
// seconds, beside everything else that a process does then.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "flyball/simulation/node_table.h"
#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

constexpr int kNodes = 1000;

void Fill(NodeTable& table) {
  for (int i = 0; i < kNodes; ++i) {
    core::v1::Node node = NodeNamed("node-" + std::to_string(i));
    node.status.allocatable["cpu"] = api::Quantity::Parse("8").value();
    node.status.allocatable["pods"] = api::Quantity::Parse("110").value();
    node.metadata.labels["zone"] = std::to_string(i % 10);
    table.PutNode(ViewOf(node));
  }
}

/// Places as many pods as an iteration of the benchmark has, each of its own.
void Place(benchmark::State& state, const core::v1::Pod& like) {
  std::vector<std::shared_ptr<const views::KubeletPod>> pods;
  for (int i = 0; i < 10'000; ++i) {
    core::v1::Pod pod = like;
    pod.metadata.uid = "uid-" + std::to_string(i);
    pods.push_back(ViewOf(pod));
  }
  for (auto _ : state) {
    state.PauseTiming();
    NodeTable table;
    Fill(table);
    state.ResumeTiming();
    for (const auto& pod : pods) {
      PodNeeds needs = PodNeeds::Of(pod);
      const Placement placement = table.Place(needs);
      if (!placement.node.empty()) {
        table.PutPod(pod->metadata.uid, placement.node, std::move(needs.footprint));
      }
      benchmark::DoNotOptimize(placement);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pods.size()));
}

void BM_Plain(benchmark::State& state) { Place(state, PodNamed("pod", "100m")); }
BENCHMARK(BM_Plain)->Unit(benchmark::kMillisecond);

void BM_WithASelector(benchmark::State& state) {
  core::v1::Pod pod = PodNamed("pod", "100m");
  pod.spec.nodeSelector["zone"] = "7";
  Place(state, pod);
}
BENCHMARK(BM_WithASelector)->Unit(benchmark::kMillisecond);

void BM_FitsNowhere(benchmark::State& state) { Place(state, PodNamed("pod", "100")); }
BENCHMARK(BM_FitsNowhere)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flyball::simulation
