#include "flyball/up/view/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/time.h"

namespace flyball::up {
namespace {

using testing::ElementsAre;
using testing::Le;
using testing::SizeIs;

std::vector<std::string> Texts(const Snapshot& snapshot, ScreenSize size) {
  std::vector<std::string> texts;
  for (const StyledText& line : DrawScreen(snapshot, size)) {
    std::string text = line.ToString(false);
    text.erase(text.find_last_not_of(' ') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

WallTime At(const char* time) { return api::Time::Parse(time)->ToWallTime(); }

Snapshot Example() {
  return {.now = At("2026-01-02T15:04:09Z"),
          .server = "https://127.0.0.1:6443",
          .caption = "An application is applied",
          .rollouts = {{.name = "shop/cart",
                        .image = "cart:1",
                        .desired = 2,
                        .updated = 2,
                        .available = 2,
                        .state = Rollout::State::kDone},
                       {.name = "shop/web",
                        .image = "nginx:2",
                        .desired = 4,
                        .updated = 3,
                        .available = 4,
                        .old = 2,
                        .state = Rollout::State::kUnderWay}},
          .pods = {.pending = 1, .ready = 6, .ending = 2},
          .nodes = {{"node-1", true, 4}, {"node-2", false, 3}},
          .controllers = {{.name = "deployment-controller",
                           .waiting = 1,
                           .rate = 12.4,
                           .reconciles = 40,
                           .latency = std::chrono::microseconds(2350)},
                          {.name = "job-controller"}},
          .events = {{At("2026-01-02T15:04:05Z"), false, "deployment/web", "ScalingReplicaSet",
                      "Scaled up replica set web-1 from 0 to 1"},
                     {At("2026-01-02T15:04:08Z"), true, "pod/web-x", "FailedScheduling",
                      "0/3 nodes are available"}}};
}

TEST(Screen, ShowsAWholeClusterOnTheSmallestScreen) {
  EXPECT_THAT(
      Texts(Example(), {.columns = 80, .rows = 24}),
      ElementsAre(
          " flyball up  https://127.0.0.1:6443                                    15:04:09",
          " ▸ An application is applied",  //
          " Pods 9 pods",                  //
          "  ● 6 ready   ● 1 pending   ● 2 ending",
          " Nodes",  //
          "  ■ node-1 4   ■ node-2 3", " Rollouts",
          "  shop/web             ███████████████░░░░░ 3/4  rolling out, 2 old  nginx:2",
          "  shop/cart            ████████████████████ 2/2  done                cart:1",
          " Controllers                                    rate     latency    waiting",
          "  deployment-controller                         12/s     2.4 ms     1",
          "  job-controller                                0.0/s    0.0 ms", " Events",
          "  15:04:05 ScalingReplicaSet   deployment/web  Scaled up replica set web-1 from…",
          "  15:04:08 FailedScheduling    pod/web-x  0/3 nodes are available"));
}

TEST(Screen, NeverOutgrowsTheTerminal) {
  Snapshot busy = Example();
  for (int i = 0; i < 100; ++i) {
    busy.rollouts.push_back({.name = "a-very-long-namespace/deployment-" + std::to_string(i),
                             .image = "registry.example.com/a/long/image:v" + std::to_string(i),
                             .desired = 3,
                             .state = Rollout::State::kStuck,
                             .reason = "exceeded quota: pods"});
    busy.nodes.push_back({"node-" + std::to_string(i), true, 1});
    busy.controllers.push_back({.name = "controller-" + std::to_string(i)});
    busy.events.push_back(busy.events.front());
  }
  for (const ScreenSize size : {ScreenSize{80, 24}, {200, 50}, {40, 10}, {20, 5}, {1, 1}, {3, 2}}) {
    const auto lines = DrawScreen(busy, size);
    EXPECT_THAT(lines, SizeIs(Le(size.rows)));
    for (const StyledText& line : lines) {
      EXPECT_LE(ColumnsOf(line.ToString(false)), size.columns) << line.ToString(false);
    }
  }
}

TEST(Screen, WhatHasNoRoomIsCountedAndTheNewestEventsStay) {
  Snapshot busy = Example();
  busy.rollouts.assign(30, busy.rollouts.front());
  for (int i = 0; i < 30; ++i) {
    busy.events.push_back(busy.events.back());
    busy.events.back().message = "event " + std::to_string(i);
  }
  const auto texts = Texts(busy, {.columns = 80, .rows = 24});
  EXPECT_THAT(texts, SizeIs(24));
  EXPECT_THAT(texts, testing::Contains("  and 24 more"));
  EXPECT_THAT(texts.back(), testing::HasSubstr("event 29"));
}

TEST(Screen, AnEmptyClusterSaysSo) {
  EXPECT_THAT(Texts({.now = At("2026-01-02T15:04:09Z"), .server = "here"}, {}),
              ElementsAre(" flyball up  here" + std::string(54, ' ') + "15:04:09", " Pods 0 pods",
                          "  none", " Nodes", "  none", " Rollouts", "  nothing yet"));
}

}  // namespace
}  // namespace flyball::up
