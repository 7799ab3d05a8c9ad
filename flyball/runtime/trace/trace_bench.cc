#include <benchmark/benchmark.h>

#include <string>

#include "flyball/api/object_key.h"
#include "flyball/runtime/trace/reconcile_notes.h"
#include "flyball/runtime/trace/trace_log.h"
#include "flyball/runtime/trace/triggers.h"

namespace flyball::runtime {
namespace {

const Cause kPod{.resource = "pods",
                 .namespace_ = "shop",
                 .name = "frontend-7d9c5d8b9f-x2x2x",
                 .what = "updated"};

std::vector<api::ObjectKey> Keys() {
  std::vector<api::ObjectKey> keys;
  for (int i = 0; i < 500; ++i)
    keys.push_back({"shop", "frontend-7d9c5d8b9f-" + std::to_string(i)});
  return keys;
}

/// What a handler's add costs more: the first trigger of a reconcile, and `range` others.
void BM_Trigger(benchmark::State& state) {
  const auto keys = Keys();
  PendingTriggers<api::ObjectKey> triggers;
  const CauseScope scope(kPod);
  for (auto _ : state) {
    for (const api::ObjectKey& key : keys) {
      for (int i = 0; i <= state.range(0); ++i) triggers.Add(key);
    }
    for (const api::ObjectKey& key : keys) benchmark::DoNotOptimize(triggers.Take(key));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(keys.size()));
}
BENCHMARK(BM_Trigger)->Arg(0)->Arg(9);

ReconcileRecord RecordOf(const client::Resource& resource, bool writes) {
  ReconcileRecord record{.time = WallTime(std::chrono::seconds(1'800'000'000)),
                         .took = std::chrono::microseconds(300),
                         .cause = kPod.ToString(),
                         .causes = 3,
                         .reads = {"123456", "123457", "123458"}};
  ReconcileNotes notes;
  if (writes) {
    notes.Decided("resize frontend-7d9c5d8b9f to 4; resize frontend-5b9f to 1; write the status");
    notes.Wrote(TracedWrite::Verb::kUpdate, resource, "frontend-7d9c5d8b9f", {}, nullptr);
    notes.Wrote(TracedWrite::Verb::kUpdate, resource, "frontend", "status", nullptr);
  }
  notes.MoveTo(record);
  return record;
}

/// What the rest of a reconcile costs more: all of it, from the notes to the history.
void BM_Record(benchmark::State& state) {
  client::Resource resource;
  resource.group = "apps";
  resource.plural = "replicasets";
  TraceLog log;
  std::vector<std::string> keys;
  for (const api::ObjectKey& key : Keys()) keys.push_back(key.ToString());
  for (auto _ : state) {
    for (const std::string& key : keys) log.Ended(key, RecordOf(resource, state.range(0) != 0));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(keys.size()));
}
BENCHMARK(BM_Record)->ArgName("writes")->Arg(0)->Arg(1);

}  // namespace
}  // namespace flyball::runtime
