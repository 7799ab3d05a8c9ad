#include <utility>

#include "benchmarks/managers/loads.h"

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;
using cluster::DeploymentFleet;

/// One deployment is touched beside others: what a sync costs.
Result<> MeasureTouches(Stage& stage) {
  const int count = stage.touches().count;
  FLYBALL_TRY(const std::string space, stage.NewSpace());
  int there = 0;
  for (const int others : stage.touches().others) {
    const DeploymentFleet fleet = FleetIn(stage, space, others + 1, 1);
    FLYBALL_TRY(fleet.Create("registry.example.com/app:1", std::exchange(there, others + 1)));
    FLYBALL_TRY(fleet.AwaitComplete(Stage::kPatience));
    FLYBALL_TRY(fleet.Touch(0, "the first beside " + std::to_string(others)));
    stage.clock().SleepFor(5s);  // what is left of the creation
    stage.Begin();
    for (int i = 0; i < count; ++i) {
      FLYBALL_TRY(fleet.Touch(0, std::to_string(others) + "/" + std::to_string(i)));
    }
    Cost cost = stage.meter().End();
    cost.wall_seconds /= count;
    cost.cpu_seconds /= count;
    stage.costs().touches.emplace_back(others, cost);
  }
  return stage.DeleteSpace(space);
}

}  // namespace

Result<> RunDeployments(Stage& stage, const Size& size) {
  FLYBALL_TRY(stage.StartManager());
  stage.Note("start, nothing there");

  FLYBALL_TRY(const std::string space, stage.NewSpace());
  const DeploymentFleet fleet = FleetIn(stage, space, size.count, size.each);
  stage.Begin();
  FLYBALL_TRY(fleet.Create("registry.example.com/app:1"));
  FLYBALL_TRY(fleet.AwaitComplete(Stage::kPatience));
  stage.Note("create all");

  stage.Begin();
  FLYBALL_TRY(fleet.Roll("registry.example.com/app:2"));
  FLYBALL_TRY(fleet.AwaitComplete(Stage::kPatience));
  stage.Note("roll all");

  FLYBALL_TRY(stage.MeasureRestartAndEnd(space));
  FLYBALL_TRY(MeasureTouches(stage));
  return stage.StopManager();
}

}  // namespace flyball::bench
