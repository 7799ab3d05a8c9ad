#include "flyball/runtime/trace/reconcile_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::runtime {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::SizeIs;
using Verb = TracedWrite::Verb;

WallTime At(int second) { return WallTime(seconds(1'800'000'000 + second)); }

/// What a history returns of a record that was added.
ReconcileRecord Kept(ReconcileRecord record) {
  record.since = record.time;
  return record;
}

ReconcileRecord Scaling(int second) {
  return {.time = At(second),
          .took = microseconds(1'234),
          .cause = "replicasets.apps shop/web-abc updated",
          .causes = 3,
          .reads = {"120", "119"},
          .decided = {"create 3 pods: there are 0 of 3"},
          .writes = {{.verb = Verb::kCreate, .resource = "pods", .name = "web-abc-x2", .times = 3},
                     {.verb = Verb::kUpdate,
                      .resource = "replicasets.apps",
                      .subresource = "status",
                      .name = "web-abc",
                      .refused = ErrorCode::kConflict,
                      .error = "the object has been modified"}},
          .end = ReconcileRecord::End::kRequeueAfter,
          .requeue_after = seconds(5)};
}

ReconcileRecord Quiet(int second) {
  return {.time = At(second), .cause = "it was time", .reads = {"120"}};
}

ReconcileRecord Failing(int second, const std::string& error) {
  return {.time = At(second),
          .writes = {{.verb = Verb::kCreate,
                      .resource = "pods",
                      .name = "web-" + std::to_string(second),
                      .refused = ErrorCode::kForbidden,
                      .error = error}},
          .end = ReconcileRecord::End::kFailed,
          .error = error};
}

TEST(ReconcileHistory, ReturnsTheRecordsThatWereAdded) {
  ReconcileHistory ring;
  EXPECT_THAT(ring.Records(), SizeIs(0));
  ring.Add(Scaling(1));
  ring.Add(Failing(2, "exceeded quota"));
  ring.Add(Quiet(3));
  EXPECT_THAT(ring.Records(),
              ElementsAre(Kept(Scaling(1)), Kept(Failing(2, "exceeded quota")), Kept(Quiet(3))));
}

TEST(ReconcileHistory, CountsEqualReconcilesInOneRecord) {
  ReconcileHistory ring;
  ring.Add(Quiet(1));
  ring.Add(Quiet(2));
  ReconcileRecord last = Quiet(4);
  last.cause = "pods shop/web-abc-x2 updated";
  ring.Add(last);
  ReconcileRecord expected = last;
  expected.times = 3;
  expected.since = At(1);
  EXPECT_THAT(ring.Records(), ElementsAre(expected));

  // However often it fails, what went before stays to be seen.
  for (int i = 10; i < 100; ++i) ring.Add(Failing(i, "exceeded quota"));
  ring.Add(Failing(100, "no such service account"));
  const auto records = ring.Records();
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_EQ(records[1].times, 90);
  EXPECT_EQ(records[1].since, At(10));
  EXPECT_EQ(records[1].time, At(99));
  EXPECT_EQ(records[2].times, 1);
}

TEST(ReconcileHistory, KeepsEachReconcileThatWroteAsARecord) {
  ReconcileHistory ring;
  ring.Add(Scaling(1));
  ring.Add(Scaling(2));
  EXPECT_THAT(ring.Records(), SizeIs(2));
}

TEST(ReconcileHistory, DropsTheOldestRecordsForWantOfRoom) {
  ReconcileHistory ring;
  for (int i = 0; i < 1'000; ++i) {
    ring.Add(Scaling(i));
    ASSERT_LE(ring.bytes(), ReconcileHistory::kMostBytes);
  }
  const auto records = ring.Records();
  ASSERT_GE(records.size(), 4);
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i], Kept(Scaling(1'000 - static_cast<int>(records.size() - i))));
  }
}

TEST(ReconcileHistory, CutsLongTextsShort) {
  ReconcileHistory ring;
  ReconcileRecord record = Failing(1, std::string(239, 'x') + "\u00e9 and so on");
  record.decided.assign(100, std::string(10, 'd'));
  ring.Add(record);
  const auto kept = ring.Records();
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].error, std::string(239, 'x')) << "a character is cut in two";
  EXPECT_THAT(kept[0].decided, SizeIs(6));
  // It is known again though it was cut.
  ReconcileRecord again = record;
  again.time = At(2);
  again.decided.resize(6);
  ring.Add(again);
  EXPECT_THAT(ring.Records(), SizeIs(1));
}

TEST(ReconcileHistory, LeavesOutWritesThatHaveNoRoomAndThoseThatWereRefusedLast) {
  ReconcileHistory ring;
  ReconcileRecord record{.time = At(1)};
  for (int i = 0; i < 100; ++i) {
    record.writes.push_back({.verb = Verb::kDelete,
                             .resource = "pods",
                             .name = "a-pod-with-a-name-" + std::to_string(i),
                             .times = 2});
  }
  record.writes.push_back({.verb = Verb::kPatch,
                           .resource = "pods",
                           .name = "refused",
                           .refused = ErrorCode::kForbidden,
                           .error = "no"});
  ring.Add(record);
  const auto kept = ring.Records();
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_LE(ring.bytes(), ReconcileHistory::kMostBytes);
  EXPECT_GT(kept[0].writes.size(), 20);
  EXPECT_EQ(kept[0].writes.back().name, "refused");
  EXPECT_EQ(kept[0].writes_left_out, 2 * (101 - kept[0].writes.size()));
}

TEST(ReconcileHistory, KeepsToItsSizeHoweverMuchWasDecided) {
  ReconcileHistory ring;
  ReconcileRecord record = Failing(1, std::string(1'000, 'x'));
  record.cause = std::string(1'000, 'c');
  record.reads.assign(10, std::string(100, '9'));
  record.decided.assign(10, std::string(1'000, 'd'));
  ring.Add(record);
  EXPECT_LE(ring.bytes(), ReconcileHistory::kMostBytes);
  const auto kept = ring.Records();
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].error, std::string(240, 'x'));
  EXPECT_EQ(kept[0].decided, std::vector(1, std::string(240, 'd')));
}

TEST(ReconcileHistory, RecognizesALongRecord) {
  ReconcileHistory ring;
  ReconcileRecord record = Failing(1, "no");
  record.decided = {std::string(300, 'd')};
  ring.Add(record);
  record.time = At(2);
  ring.Add(record);
  ASSERT_THAT(ring.Records(), SizeIs(1));
  EXPECT_EQ(ring.Records()[0].times, 2);
}

}  // namespace
}  // namespace flyball::runtime
