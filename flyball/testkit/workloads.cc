#include "flyball/testkit/workloads.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "flyball/base/check.h"
#include "flyball/controllers/registry.h"
#include "flyball/simulation/scheduler.h"

namespace flyball::testkit {
namespace {

constexpr std::array<std::string_view, 9> kControllers = {
    "serviceaccount-controller", "endpointslice-controller", "garbage-collector-controller",
    "namespace-controller",      "deployment-controller",    "replicaset-controller",
    "statefulset-controller",    "daemonset-controller",     "job-controller"};

}  // namespace

Workloads::Workloads(sandbox::Sandbox& sandbox, int nodes)
    : sandbox_(sandbox),
      informers_({.client = sandbox.client(),
                  .executor = sandbox.executor(),
                  .timers = sandbox.timers(),
                  .random = [] { return 0.5; }}),
      group_({.executor = sandbox.executor(), .informers = informers_, .random = [] {
                return std::uint64_t{0};
              }}) {
  for (const controllers::Entry& entry : controllers::All()) {
    if (std::ranges::find(kControllers, entry.name) == kControllers.end()) continue;
    auto made = entry.make(Harness(), {});
    FLYBALL_CHECK(made, made.error().Describe());
    group_.Add(*std::move(made), nullptr);
  }
  nodes_ = std::make_unique<simulation::SimulatedNodes>(
      simulation::SimulatedNodes::Deps{.harness = Harness()},
      simulation::SimulatedNodes::Options{.heartbeats = {.clear_not_ready_taint = true}});
  for (int i = 1; i <= nodes; ++i) nodes_->Add("node-" + std::to_string(i));
  group_.Add(simulation::MakeScheduler(Harness(), {}), nullptr);
}

runtime::Controller::Deps Workloads::Harness() {
  return {.client = sandbox_.client(),
          .informers = informers_,
          .executor = sandbox_.executor(),
          .timers = sandbox_.timers()};
}

void Workloads::Start() {
  group_.Start();
  informers_.WaitForSync({});
  nodes_->Start();
}

void Workloads::Stop() {
  static_cast<void>(nodes_->Stop(SteadyTime::max()));
  static_cast<void>(group_.Stop(SteadyTime::max()));
}

}  // namespace flyball::testkit
