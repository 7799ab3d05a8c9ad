#include "flyball/controllers/daemon_set/daemon_status.h"

#include <gtest/gtest.h>

#include "flyball/controllers/daemon_set/internal/daemon_set_fake.h"

namespace flyball::controllers::daemon_set {
namespace {

using apps::v1::DaemonSet;
using apps::v1::DaemonSetStatus;
using std::chrono::seconds;

TEST(DaemonSetStatus, CountsNodesByWhatTheirFirstPodIs) {
  DaemonSet set = Agent();
  set.spec.minReadySeconds = 10;
  set.status.collisionCount = 2;
  set.status.conditions.emplace_back().type = "Strange";
  const std::vector<FittedNode> nodes = {{"a", kRuns}, {"b", kRuns},  {"c", kRuns},   {"d", kRuns},
                                         {"e", kRuns}, {"f", kStays}, {"g", kNeither}};
  DaemonSetStatus expected = set.status;
  expected.observedGeneration = 3;
  expected.desiredNumberScheduled = 5;
  expected.currentNumberScheduled = 4;
  expected.numberMisscheduled = 1;
  expected.numberReady = 3;
  expected.numberAvailable = 2;
  expected.numberUnavailable = 3;
  expected.updatedNumberScheduled = 3;
  EXPECT_EQ(
      StatusOf(Seen(set, nodes,
                    {PodNamed("fine", {.node = "a"}), PodNamed("old", {.node = "b", .hash = "old"}),
                     // The second does not count.
                     PodNamed("next", {.node = "b", .created = 9}),
                     PodNamed("young", {.node = "c", .ready_since = kNow - 9}),
                     PodNamed("going", {.node = "d", .ready_since = std::nullopt, .going = true}),
                     PodNamed("misplaced", {.node = "f"})})),
      expected);
}

TEST(DaemonSetStatus, OfASetWithoutNodesIsEmpty) {
  DaemonSet set = Agent();
  set.status.numberReady = 7;
  DaemonSetStatus expected;
  expected.observedGeneration = 3;
  EXPECT_EQ(StatusOf(Seen(set, {}, {})), expected);
}

}  // namespace
}  // namespace flyball::controllers::daemon_set
