#include "flyball/runtime/trace/reconcile_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::runtime {
namespace {

using Verb = TracedWrite::Verb;

const client::Resource kPods = [] {
  client::Resource pods;
  pods.plural = "pods";
  return pods;
}();

TEST(ReconcileNotes, TellWhatIsDoneInARowAsOne) {
  ReconcileNotes notes;
  const Error refused(ErrorCode::kForbidden, "no");
  notes.Decided("do it");
  notes.Wrote(Verb::kCreate, kPods, "a", {}, nullptr);
  notes.Wrote(Verb::kCreate, kPods, "b", {}, nullptr);
  notes.Wrote(Verb::kCreate, kPods, "c", {}, &refused);
  ReconcileRecord record;
  notes.MoveTo(record);
  EXPECT_EQ(record,
            (ReconcileRecord{
                .decided = {"do it"},
                .writes = {{.verb = Verb::kCreate, .resource = "pods", .name = "a", .times = 2},
                           {.verb = Verb::kCreate,
                            .resource = "pods",
                            .name = "c",
                            .refused = ErrorCode::kForbidden,
                            .error = "no"}}}));
}

TEST(ReconcileNotes, CountVeryManyWritesAndStillTellOfOneThatIsRefused) {
  ReconcileNotes notes;
  for (int i = 0; i < 500; ++i) {
    notes.Wrote(Verb::kPatch, kPods, "p", {}, nullptr);
    notes.Wrote(Verb::kDelete, kPods, "p", {}, nullptr);
  }
  const Error refused(ErrorCode::kForbidden, "no");
  notes.Wrote(Verb::kDelete, kPods, "last", {}, &refused);
  ReconcileRecord record;
  notes.MoveTo(record);
  EXPECT_THAT(record.writes, testing::SizeIs(25));
  EXPECT_EQ(record.writes.back().name, "last");
  std::uint32_t all = record.writes_left_out;
  for (const TracedWrite& write : record.writes) all += write.times;
  EXPECT_EQ(all, 1'001);
}

}  // namespace
}  // namespace flyball::runtime
