#include "flyball/up/view/plain_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/time.h"

namespace flyball::up {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const WallTime kNow = api::Time::Parse("2026-01-02T15:04:09Z")->ToWallTime();

TEST(PlainLines, TellWhatIsNewAndNothingTwice) {
  PlainLines lines;
  Snapshot snapshot{.now = kNow,
                    .rollouts = {{.name = "shop/web", .image = "nginx:1", .desired = 3}},
                    .events = {{kNow, true, "pod/web-x", "FailedScheduling", "no nodes"}}};
  EXPECT_THAT(lines.Tell(snapshot),
              ElementsAre("2026-01-02T15:04:09Z Warning FailedScheduling pod/web-x: no nodes",
                          "2026-01-02T15:04:09Z deployment shop/web: rolling out, 0 of 3 ready"));
  EXPECT_THAT(lines.Tell(snapshot), IsEmpty());

  snapshot.rollouts[0].updated = snapshot.rollouts[0].available = 3;
  snapshot.rollouts[0].state = Rollout::State::kDone;
  EXPECT_THAT(
      lines.Tell(snapshot),
      ElementsAre("2026-01-02T15:04:09Z deployment shop/web: rolled out, 3 of 3 ready (nginx:1)"));

  snapshot.rollouts[0].state = Rollout::State::kStuck;
  snapshot.rollouts[0].reason = "exceeded quota";
  EXPECT_THAT(
      lines.Tell(snapshot),
      ElementsAre("2026-01-02T15:04:09Z deployment shop/web: stuck, 3 of 3 ready: exceeded quota"));

  snapshot.rollouts.clear();
  EXPECT_THAT(lines.Tell(snapshot), ElementsAre("2026-01-02T15:04:09Z deployment shop/web: gone"));
}

}  // namespace
}  // namespace flyball::up
