#include "benchmarks/managers/stage.h"

#include <utility>

#include "benchmarks/managers/loads.h"
#include "flyball/api/core/v1.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
using cluster::DeploymentFleet;

constexpr auto kSoon = 60s;

}  // namespace

Stage::Stage(const Deps& deps, Options options)
    : deps_(deps),
      options_(std::move(options)),
      clock_(deps.executor.clock()),
      proxy_(deps.executor, {.target = deps.plane.address()}),
      meter_(clock_, deps.plane, proxy_) {}

Result<> Stage::Await(std::chrono::nanoseconds patience, const char* what,
                      const std::function<bool()>& so) const {
  const SteadyTime deadline = clock_.DeadlineAfter(patience);
  while (!so()) {
    if (clock_.SteadyNow() > deadline) return Fail(ErrorCode::kTimeout, what);
    clock_.SleepFor(10ms);
  }
  return {};
}

Result<> Stage::WarmUpServer() {
  FLYBALL_TRY(StartManager());
  FLYBALL_TRY(const std::string space, NewSpace());
  const DeploymentFleet fleet = FleetIn(*this, space, 30, 20);
  FLYBALL_TRY(fleet.Create("registry.example.com/app:1"));
  FLYBALL_TRY(fleet.AwaitComplete(kPatience));
  FLYBALL_TRY(DeleteSpace(space));
  return StopManager();
}

Result<> Stage::StartManager() {
  FLYBALL_TRY(const auto kubeconfig,
              deps_.plane.WriteKubeconfig(
                  "measured",
                  {.certificate = deps_.plane.IssueClientCertificate(
                       "system:kube-controller-manager", {}, std::chrono::hours(12))},
                  &proxy_));
  meter_.CatchUp();
  FLYBALL_TRY(auto manager, cluster::ManagerBinary::Start(
                                deps_.plane, clock_, deps_.network,
                                {.program = options_.program,
                                 .log = options_.log,
                                 .flags = {options_.controllers, "--leader-elect=false",
                                           "--kube-api-qps=5000", "--kube-api-burst=5000"},
                                 .kubeconfig = kubeconfig}));
  manager_.emplace(std::move(manager));
  meter_.Follow(manager_->process().pid());
  return AwaitSignOfLife();
}

Result<> Stage::StopManager() {
  if (manager_->process().Stop(clock_, kSoon)) return {};
  return Fail(ErrorCode::kTimeout, "the manager does not end");
}

Result<> Stage::AwaitSignOfLife() {
  FLYBALL_TRY(const std::string space, deps_.plane.NewNamespace());
  FLYBALL_TRY(FleetIn(*this, space, 1, 0).Create("registry.example.com/app:1"));
  const auto deployments = client().Of<apps::v1::Deployment>();
  return Await(kSoon, "the manager does nothing", [&] {
    const auto probe = deployments.Get({space, DeploymentFleet::NameOf(0)});
    return probe && probe->status.observedGeneration > 0;
  });
}

Result<std::string> Stage::NewSpace() {
  FLYBALL_TRY(const std::string space, deps_.plane.NewNamespace());
  const auto accounts = client().Of<core::v1::ServiceAccount>();
  FLYBALL_TRY(Await(kSoon, "a namespace does not get its account",
                    [&] { return accounts.Get({space, "default"}).has_value(); }));
  return space;
}

Result<> Stage::DeleteSpace(const std::string& space) {
  const auto spaces = client().Of<core::v1::Namespace>();
  FLYBALL_TRY(spaces.Delete({"", space}));
  return Await(kPatience, "the namespace does not go", [&] {
    const auto there = spaces.Get({"", space});
    return !there && there.error().code() == ErrorCode::kNotFound;
  });
}

Result<> Stage::MeasureRestartAndEnd(const std::string& space) {
  FLYBALL_TRY(StopManager());
  FLYBALL_TRY(StartManager());
  Note("start, all there");

  Begin();
  FLYBALL_TRY(DeleteSpace(space));
  Note("delete the namespace");
  return {};
}

}  // namespace flyball::bench
