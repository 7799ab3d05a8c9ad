#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/cluster/deployment_fleet.h"
#include "tests/cluster/number_from_environment.h"
#include "tests/cluster/rollout_history.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/cluster/succession_test.h"

namespace flyball::cluster {

/// A test of deployments on simulated nodes under managers that are processes: all that happens to
/// them is held against what managers promise.
class RolloutTest : public SuccessionTest {
 protected:
  explicit RolloutTest(DeploymentFleet::Shape shape)
      : simulated_(plane(), executor(), network(),
                   {.nodes = 2 * shape.deployments * shape.pods / 100 + 3,
                    .timings = {.start = std::chrono::milliseconds(300),
                                .ready = std::chrono::milliseconds(200),
                                .stop = std::chrono::milliseconds(100),
                                .spread = 1}}),
        space_(NewNamespace()),
        fleet_({.client = admin(), .informers = simulated_.informers(), .clock = clock()}, space_,
               std::move(shape)) {
    DeploymentFleet::Watch(simulated_.informers());
  }

  void SetUp() override {
    BinaryTest::SetUp();
    Must(simulated_.Start());
    auto history = RolloutHistory::Follow(real_plane(), executor(), network(), space_);
    ASSERT_TRUE(history) << history.error().Describe();
    history_ = *std::move(history);
  }

  /// An election that is over in seconds, and the controllers that we have.
  static std::vector<std::string> Flags() { return Hasty({ControllersFlag()}); }

  /// That nothing has been wrong on the way here, nor is now.
  void ExpectSound() {
    EXPECT_THAT(Must(history_->Broken()), testing::IsEmpty());
    EXPECT_THAT(Must(history_->WrongAtRest()), testing::IsEmpty());
  }

  SimulatedCluster simulated_;
  const std::string space_;
  const DeploymentFleet fleet_;
  std::unique_ptr<RolloutHistory> history_;
};

}  // namespace flyball::cluster
