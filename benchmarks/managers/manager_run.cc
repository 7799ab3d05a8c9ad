#include "benchmarks/managers/manager_run.h"

#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
using apps::v1::Deployment;
using cluster::DeploymentFleet;

constexpr auto kPatience = 15min;
constexpr auto kSoon = 60s;
constexpr int kWarmUp = 30;  // deployments

template <typename So>
Result<> Await(Clock& clock, std::chrono::nanoseconds patience, const char* what, So so) {
  const SteadyTime deadline = clock.DeadlineAfter(patience);
  while (!so()) {
    if (clock.SteadyNow() > deadline) return Fail(ErrorCode::kTimeout, what);
    clock.SleepFor(10ms);
  }
  return {};
}

}  // namespace

ManagerRun::ManagerRun(const Deps& deps, Options options)
    : deps_(deps),
      options_(std::move(options)),
      clock_(deps.executor.clock()),
      proxy_(deps.executor, {.target = deps.plane.address()}),
      meter_(clock_, deps.plane, proxy_) {}

void ManagerRun::Note(const char* phase) { costs_.phases.emplace_back(phase, meter_.End()); }

Result<RunCosts> ManagerRun::Run() {
  const Workload& work = options_.work;
  if (work.deployments > kWarmUp) FLYBALL_TRY(WarmUpServer());
  FLYBALL_TRY(StartManager());
  FLYBALL_TRY(AwaitSignOfLife());
  Note("start, nothing there");

  FLYBALL_TRY(const std::string space, NewSpace());
  const DeploymentFleet fleet = FleetIn(space, work.deployments, work.pods);
  meter_.Begin();
  FLYBALL_TRY(fleet.Create("registry.example.com/app:1"));
  FLYBALL_TRY(fleet.AwaitComplete(kPatience));
  Note("create all");

  meter_.Begin();
  FLYBALL_TRY(fleet.Roll("registry.example.com/app:2"));
  FLYBALL_TRY(fleet.AwaitComplete(kPatience));
  Note("roll all");

  FLYBALL_TRY(StopManager());
  FLYBALL_TRY(StartManager());
  FLYBALL_TRY(AwaitSignOfLife());
  Note("start, all there");

  meter_.Begin();
  FLYBALL_TRY(DeleteSpace(space));
  Note("delete the namespace");

  FLYBALL_TRY(MeasureTouches());
  FLYBALL_TRY(StopManager());
  return std::move(costs_);
}

Result<> ManagerRun::WarmUpServer() {
  FLYBALL_TRY(StartManager());
  FLYBALL_TRY(const std::string space, NewSpace());
  const DeploymentFleet fleet = FleetIn(space, kWarmUp, 20);
  FLYBALL_TRY(fleet.Create("registry.example.com/app:1"));
  FLYBALL_TRY(fleet.AwaitComplete(kPatience));
  FLYBALL_TRY(DeleteSpace(space));
  return StopManager();
}

Result<> ManagerRun::StartManager() {
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
  return {};
}

Result<> ManagerRun::StopManager() {
  if (manager_->process().Stop(clock_, kSoon)) return {};
  return Fail(ErrorCode::kTimeout, "the manager does not end");
}

Result<> ManagerRun::AwaitSignOfLife() {
  FLYBALL_TRY(const std::string space, deps_.plane.NewNamespace());
  FLYBALL_TRY(FleetIn(space, 1, 0).Create("registry.example.com/app:1"));
  const auto deployments = deps_.simulated.client().Of<Deployment>();
  return Await(clock_, kSoon, "the manager does nothing", [&] {
    const auto probe = deployments.Get({space, DeploymentFleet::NameOf(0)});
    return probe && probe->status.observedGeneration > 0;
  });
}

Result<std::string> ManagerRun::NewSpace() {
  FLYBALL_TRY(const std::string space, deps_.plane.NewNamespace());
  const auto accounts = deps_.simulated.client().Of<core::v1::ServiceAccount>();
  FLYBALL_TRY(Await(clock_, kSoon, "a namespace does not get its account",
                    [&] { return accounts.Get({space, "default"}).has_value(); }));
  return space;
}

Result<> ManagerRun::DeleteSpace(const std::string& space) {
  const auto spaces = deps_.simulated.client().Of<core::v1::Namespace>();
  FLYBALL_TRY(spaces.Delete({"", space}));
  return Await(clock_, kPatience, "the namespace does not go", [&] {
    const auto there = spaces.Get({"", space});
    return !there && there.error().code() == ErrorCode::kNotFound;
  });
}

DeploymentFleet ManagerRun::FleetIn(std::string space, int deployments, int pods) const {
  return {{.client = deps_.simulated.client(),
           .informers = deps_.simulated.informers(),
           .clock = clock_},
          std::move(space),
          {.deployments = deployments, .pods = pods}};
}

Result<> ManagerRun::MeasureTouches() {
  FLYBALL_TRY(const std::string space, NewSpace());
  int there = 0;
  for (const int others : options_.work.others) {
    const DeploymentFleet fleet = FleetIn(space, others + 1, 1);
    FLYBALL_TRY(fleet.Create("registry.example.com/app:1", std::exchange(there, others + 1)));
    FLYBALL_TRY(fleet.AwaitComplete(kPatience));
    FLYBALL_TRY(fleet.Touch(0, "the first beside " + std::to_string(others)));
    clock_.SleepFor(5s);  // what is left of the creation
    meter_.Begin();
    for (int i = 0; i < options_.work.touches; ++i) {
      FLYBALL_TRY(fleet.Touch(0, std::to_string(others) + "/" + std::to_string(i)));
    }
    Cost cost = meter_.End();
    cost.wall_seconds /= options_.work.touches;
    cost.cpu_seconds /= options_.work.touches;
    costs_.touches.emplace_back(others, cost);
  }
  return DeleteSpace(space);
}

}  // namespace flyball::bench
