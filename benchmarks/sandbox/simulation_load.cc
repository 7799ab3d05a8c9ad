#include "benchmarks/sandbox/simulation_load.h"

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/runtime/event_sink.h"
#include "flyball/simulation/scheduler.h"
#include "flyball/simulation/simulated_nodes.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using simulation::SimulatedNodes;

constexpr std::size_t kInFlight = 64;
constexpr char kNamespace[] = "simulated";

bool IsReady(const views::KubeletPod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

/// How many pods have become Ready.
class ReadyCount {
 public:
  explicit ReadyCount(Clock& clock) : clock_(clock) {}
  void Add() {
    const MutexLock lock(mutex_);
    ++count_;
    changed_.NotifyAll();
  }
  Result<> WaitFor(int pods) {
    MutexLock lock(mutex_);
    if (clock_.WaitUntil(lock, changed_, clock_.DeadlineAfter(10min),
                         [&]() FLYBALL_REQUIRES(mutex_) { return count_ >= pods; })) {
      return {};
    }
    return Fail(ErrorCode::kTimeout, "only " + std::to_string(count_) + " pods became Ready");
  }

 private:
  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  int count_ FLYBALL_GUARDED_BY(mutex_) = 0;
};

Result<> MakeNamespace(const client::Client& client) {
  core::v1::Namespace space;
  space.metadata.name = kNamespace;
  FLYBALL_TRY(client.Of<core::v1::Namespace>().Create(space));
  core::v1::ServiceAccount account;
  account.metadata.namespace_ = kNamespace;
  account.metadata.name = "default";
  FLYBALL_TRY(client.Of<core::v1::ServiceAccount>().Create(account));
  return {};
}

Result<> CreatePods(const client::Client& client, int count) {
  const auto pods = client.Of<Pod>();
  std::deque<client::Pending<Pod>> under_way;
  Pod pod;
  pod.metadata.namespace_ = kNamespace;
  auto& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "registry.example.com/app:1";
  FLYBALL_TRY(container.resources.requests["cpu"], api::Quantity::Parse("50m"));
  for (int i = 0; i < count; ++i) {
    pod.metadata.name = "pod-" + std::to_string(i);
    under_way.push_back(pods.Async().Create(pod));
    if (under_way.size() < kInFlight) continue;
    FLYBALL_TRY(under_way.front().Wait());
    under_way.pop_front();
  }
  for (auto& each : under_way) FLYBALL_TRY(each.Wait());
  return {};
}

}  // namespace

Result<std::chrono::duration<double>> RunSimulation(const client::Client& client,
                                                    Executor& executor,
                                                    const SimulationLoad& load) {
  Clock& clock = executor.clock();
  const SteadyTime start = clock.SteadyNow();
  FLYBALL_TRY(MakeNamespace(client));
  Timers timers(executor);
  std::mt19937_64 dice;
  runtime::EventSink sink(
      {.executor = executor, .client = client, .random = [&dice] { return dice(); }});
  runtime::SeriesEventRecorder recorder(
      sink, timers, {.controller = "default-scheduler", .instance = "default-scheduler-bench"});
  cache::InformerFactory informers(
      {.client = client, .executor = executor, .timers = timers, .random = [] { return 0.5; }});
  const runtime::Controller::Deps harness{
      .client = client, .informers = informers, .executor = executor, .timers = timers};
  SimulatedNodes::Options options;
  options.heartbeats.clear_not_ready_taint = true;  // there is no node lifecycle controller
  SimulatedNodes nodes(SimulatedNodes::Deps{.harness = harness}, options);
  for (int i = 0; i < load.nodes; ++i) nodes.Add("node-" + std::to_string(i));
  const auto scheduler = simulation::MakeScheduler(harness, {.events = &recorder});
  ReadyCount ready(clock);
  const auto watching = informers.Of<views::KubeletPod>().AddHandler(
      "count", {.updated = [&](const auto& old, const auto& now) {
        if (IsReady(*now) && !IsReady(*old)) ready.Add();
      }});
  informers.Start();
  if (!informers.WaitForSync({})) return Fail(ErrorCode::kTimeout, "the caches are not filled");
  nodes.Start();
  scheduler->Start();
  FLYBALL_TRY(CreatePods(client, load.pods));
  FLYBALL_TRY(ready.WaitFor(load.pods));
  const std::chrono::duration<double> took = clock.SteadyNow() - start;
  const SteadyTime soon = clock.DeadlineAfter(10s);
  if (!scheduler->Stop(soon) || !nodes.Stop(soon)) return Fail(ErrorCode::kTimeout, "no end");
  informers.Stop();
  if (!sink.Shutdown(soon)) return Fail(ErrorCode::kTimeout, "events that nobody takes");
  return took;
}

}  // namespace flyball::bench
