#include "flyball/controllers/stateful_set/stateful_set_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/stateful_set/internal/stateful_set_fake.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using apps::v1::StatefulSetStatus;
using std::chrono::seconds;

Facts FactsOf(std::span<const PodRef> pods, std::int32_t outdated_removed = 0) {
  return {.current = "old",
          .update = "new",
          .collisions = 2,
          .pods = pods,
          .outdated_removed = outdated_removed,
          .now = kNow};
}

TEST(StatefulSetStatus, CountsPodsByHowTheyAreAndWhatTheyAreOf) {
  StatefulSet set = Db(6);
  set.metadata.generation = 7;
  set.spec.minReadySeconds = 10;
  Fares fresh = Old();
  fresh.ready_for = seconds(9);
  const std::vector pods = {PodAt(set, 0, Old()),    PodAt(set, 1, fresh),
                            PodAt(set, 2, kPending), PodAt(set, 3, Old(kGoing)),
                            PodAt(set, 4),           PodAt(set, 5, {.revision = "other"})};
  StatefulSetStatus expected;
  expected.observedGeneration = 7;
  expected.replicas = 6;
  expected.readyReplicas = 5;
  expected.availableReplicas = 4;
  expected.currentReplicas = 2;
  expected.updatedReplicas = 2;
  expected.currentRevision = "old";
  expected.updateRevision = "new";
  expected.collisionCount = 2;
  EXPECT_EQ(StatusFor(set, FactsOf(pods)), expected);

  expected.currentReplicas = 1;
  EXPECT_EQ(StatusFor(set, FactsOf(pods, 1)), expected);
  // Pods of a third revision may have gone.
  expected.currentReplicas = 0;
  EXPECT_EQ(StatusFor(set, FactsOf(pods, 3)), expected);
}

TEST(StatefulSetStatus, APodThatIsReadyButNotRunningIsNotReady) {
  const StatefulSet set = Db(1);
  const std::vector pods = {PodAt(set, 0, {.phase = "Pending"})};
  const StatefulSetStatus status = StatusFor(set, FactsOf(pods));
  EXPECT_EQ(status.replicas, 1);
  EXPECT_EQ(status.readyReplicas, 0);
  EXPECT_EQ(status.availableReplicas, 0);
}

TEST(StatefulSetStatus, TheLatestRevisionIsTheCurrentOneWhenAllPodsAreOfIt) {
  const StatefulSet set = Db(2);
  const std::vector pods = {PodAt(set, 0), PodAt(set, 1)};
  StatefulSetStatus status = StatusFor(set, FactsOf(pods));
  EXPECT_EQ(status.currentRevision, "new");
  EXPECT_EQ(status.currentReplicas, 2);
  const std::vector not_ready = {PodAt(set, 0), PodAt(set, 1, kNotReady)};
  status = StatusFor(set, FactsOf(not_ready));
  EXPECT_EQ(status.currentRevision, "old");
  EXPECT_EQ(status.currentReplicas, 0);
  const std::vector too_many = {PodAt(set, 0), PodAt(set, 1), PodAt(set, 2)};
  EXPECT_EQ(StatusFor(set, FactsOf(too_many)).currentRevision, "old");
  EXPECT_EQ(StatusFor(Db(0), FactsOf({})).currentRevision, "new");
}

TEST(StatefulSetStatus, ConditionsStay) {
  StatefulSet set = Db(1);
  set.status.conditions.emplace_back().type = "Theirs";
  EXPECT_EQ(StatusFor(set, FactsOf({})).conditions, set.status.conditions);
}

TEST(StatefulSetStatus, ARecreationIsToldWhileItGoesOnAndWhenItIsOver) {
  StatefulSet set = Db(1);
  set.spec.updateStrategy.type = "Recreate";
  Facts facts = FactsOf({});
  facts.progress = Progress{.message = "Deleting old revision pods"};
  set.status = StatusFor(set, facts);
  apps::v1::StatefulSetCondition expected;
  expected.type = "Progressing";
  expected.status = "True";
  expected.reason = "RecreateInProgress";
  expected.message = "Deleting old revision pods";
  expected.lastTransitionTime = api::Time(kNow);
  EXPECT_EQ(set.status.conditions, std::vector{expected});

  facts.progress = Progress{.message = "Waiting for new-revision pods to be created"};
  facts.now = kNow + seconds(5);
  set.status = StatusFor(set, facts);
  expected.message = "Waiting for new-revision pods to be created";
  EXPECT_EQ(set.status.conditions, std::vector{expected});

  const std::vector pods = {PodAt(set, 0)};
  facts.pods = pods;
  facts.progress.reset();
  set.status = StatusFor(set, facts);
  expected.status = "False";
  expected.reason = "RecreateCompleted";
  expected.message = "All pods recreated successfully";
  expected.lastTransitionTime = api::Time(kNow + seconds(5));
  EXPECT_EQ(set.status.conditions, std::vector{expected});
}

TEST(StatefulSetStatus, IsWrittenIfItDiffersInWhatCounts) {
  StatefulSet set = Db(1);
  set.metadata.generation = 3;
  const std::vector pods = {PodAt(set, 0)};
  const StatefulSetStatus status = StatusFor(set, FactsOf(pods));
  EXPECT_TRUE(NeedsWriting(set, status));
  set.status = status;
  EXPECT_FALSE(NeedsWriting(set, status));
  set.status.collisionCount = 1;
  set.status.observedGeneration = 4;
  EXPECT_FALSE(NeedsWriting(set, status));
  set.status.observedGeneration = 2;
  EXPECT_TRUE(NeedsWriting(set, status));
  set.status = status;
  set.status.availableReplicas = 0;
  EXPECT_TRUE(NeedsWriting(set, status));
}

}  // namespace
}  // namespace flyball::controllers::stateful_set
