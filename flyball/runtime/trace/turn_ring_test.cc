#include "flyball/runtime/trace/turn_ring.h"

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

/// What a ring gives back of a turn that it was given.
Turn Kept(Turn turn) {
  turn.since = turn.time;
  return turn;
}

Turn Scaling(int second) {
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
          .end = Turn::End::kAgain,
          .again_in = seconds(5)};
}

Turn Quiet(int second) { return {.time = At(second), .cause = "it was time", .reads = {"120"}}; }

Turn Failing(int second, const std::string& error) {
  return {.time = At(second),
          .writes = {{.verb = Verb::kCreate,
                      .resource = "pods",
                      .name = "web-" + std::to_string(second),
                      .refused = ErrorCode::kForbidden,
                      .error = error}},
          .end = Turn::End::kFailed,
          .error = error};
}

TEST(TurnRing, GivesBackWhatItWasGiven) {
  TurnRing ring;
  EXPECT_THAT(ring.Turns(), SizeIs(0));
  ring.Add(Scaling(1));
  ring.Add(Failing(2, "exceeded quota"));
  ring.Add(Quiet(3));
  EXPECT_THAT(ring.Turns(),
              ElementsAre(Kept(Scaling(1)), Kept(Failing(2, "exceeded quota")), Kept(Quiet(3))));
}

TEST(TurnRing, TellsWhatComesToTheSameAsOne) {
  TurnRing ring;
  ring.Add(Quiet(1));
  ring.Add(Quiet(2));
  Turn last = Quiet(4);
  last.cause = "pods shop/web-abc-x2 updated";
  ring.Add(last);
  Turn expected = last;
  expected.times = 3;
  expected.since = At(1);
  EXPECT_THAT(ring.Turns(), ElementsAre(expected));

  // However often it fails, what went before stays to be seen.
  for (int i = 10; i < 100; ++i) ring.Add(Failing(i, "exceeded quota"));
  ring.Add(Failing(100, "no such service account"));
  const auto turns = ring.Turns();
  ASSERT_THAT(turns, SizeIs(3));
  EXPECT_EQ(turns[1].times, 90);
  EXPECT_EQ(turns[1].since, At(10));
  EXPECT_EQ(turns[1].time, At(99));
  EXPECT_EQ(turns[2].times, 1);
}

TEST(TurnRing, TellsEachTurnThatWroteByItself) {
  TurnRing ring;
  ring.Add(Scaling(1));
  ring.Add(Scaling(2));
  EXPECT_THAT(ring.Turns(), SizeIs(2));
}

TEST(TurnRing, ForgetsTheOldestForWantOfRoom) {
  TurnRing ring;
  for (int i = 0; i < 1'000; ++i) {
    ring.Add(Scaling(i));
    ASSERT_LE(ring.bytes(), TurnRing::kMostBytes);
  }
  const auto turns = ring.Turns();
  ASSERT_GE(turns.size(), 4);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    EXPECT_EQ(turns[i], Kept(Scaling(1'000 - static_cast<int>(turns.size() - i))));
  }
}

TEST(TurnRing, CutsShortWhatIsLong) {
  TurnRing ring;
  Turn turn = Failing(1, std::string(239, 'x') + "\u00e9 and so on");
  turn.decided.assign(100, std::string(10, 'd'));
  ring.Add(turn);
  const auto kept = ring.Turns();
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].error, std::string(239, 'x')) << "a character is cut in two";
  EXPECT_THAT(kept[0].decided, SizeIs(6));
  // It is known again though it was cut.
  Turn again = turn;
  again.time = At(2);
  again.decided.resize(6);
  ring.Add(again);
  EXPECT_THAT(ring.Turns(), SizeIs(1));
}

TEST(TurnRing, LeavesOutWritesThatHaveNoRoomAndThoseThatWereRefusedLast) {
  TurnRing ring;
  Turn turn{.time = At(1)};
  for (int i = 0; i < 100; ++i) {
    turn.writes.push_back({.verb = Verb::kDelete,
                           .resource = "pods",
                           .name = "a-pod-with-a-name-" + std::to_string(i),
                           .times = 2});
  }
  turn.writes.push_back({.verb = Verb::kPatch,
                         .resource = "pods",
                         .name = "refused",
                         .refused = ErrorCode::kForbidden,
                         .error = "no"});
  ring.Add(turn);
  const auto kept = ring.Turns();
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_LE(ring.bytes(), TurnRing::kMostBytes);
  EXPECT_GT(kept[0].writes.size(), 20);
  EXPECT_EQ(kept[0].writes.back().name, "refused");
  EXPECT_EQ(kept[0].writes_left_out, 2 * (101 - kept[0].writes.size()));
}

TEST(TurnRing, KeepsToItsSizeHoweverMuchWasDecided) {
  TurnRing ring;
  Turn turn = Failing(1, std::string(1'000, 'x'));
  turn.cause = std::string(1'000, 'c');
  turn.reads.assign(10, std::string(100, '9'));
  turn.decided.assign(10, std::string(1'000, 'd'));
  ring.Add(turn);
  EXPECT_LE(ring.bytes(), TurnRing::kMostBytes);
  const auto kept = ring.Turns();
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].error, std::string(240, 'x'));
  EXPECT_EQ(kept[0].decided, std::vector(1, std::string(240, 'd')));
}

TEST(TurnRing, KnowsALongTurnAgain) {
  TurnRing ring;
  Turn turn = Failing(1, "no");
  turn.decided = {std::string(300, 'd')};
  ring.Add(turn);
  turn.time = At(2);
  ring.Add(turn);
  ASSERT_THAT(ring.Turns(), SizeIs(1));
  EXPECT_EQ(ring.Turns()[0].times, 2);
}

}  // namespace
}  // namespace flyball::runtime
