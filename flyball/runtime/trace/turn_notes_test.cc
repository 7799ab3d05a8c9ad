#include "flyball/runtime/trace/turn_notes.h"

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

TEST(TurnNotes, TellWhatIsDoneInARowAsOne) {
  TurnNotes notes;
  const Error refused(ErrorCode::kForbidden, "no");
  notes.Decided("do it");
  notes.Wrote(Verb::kCreate, kPods, "a", {}, nullptr);
  notes.Wrote(Verb::kCreate, kPods, "b", {}, nullptr);
  notes.Wrote(Verb::kCreate, kPods, "c", {}, &refused);
  Turn turn;
  notes.MoveTo(turn);
  EXPECT_EQ(turn,
            (Turn{.decided = {"do it"},
                  .writes = {{.verb = Verb::kCreate, .resource = "pods", .name = "a", .times = 2},
                             {.verb = Verb::kCreate,
                              .resource = "pods",
                              .name = "c",
                              .refused = ErrorCode::kForbidden,
                              .error = "no"}}}));
}

TEST(TurnNotes, CountVeryManyWritesAndStillTellOfOneThatIsRefused) {
  TurnNotes notes;
  for (int i = 0; i < 500; ++i) {
    notes.Wrote(Verb::kPatch, kPods, "p", {}, nullptr);
    notes.Wrote(Verb::kDelete, kPods, "p", {}, nullptr);
  }
  const Error refused(ErrorCode::kForbidden, "no");
  notes.Wrote(Verb::kDelete, kPods, "last", {}, &refused);
  Turn turn;
  notes.MoveTo(turn);
  EXPECT_THAT(turn.writes, testing::SizeIs(25));
  EXPECT_EQ(turn.writes.back().name, "last");
  std::uint32_t all = turn.writes_left_out;
  for (const TracedWrite& write : turn.writes) all += write.times;
  EXPECT_EQ(all, 1'001);
}

}  // namespace
}  // namespace flyball::runtime
