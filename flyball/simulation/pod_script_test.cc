#include "flyball/simulation/pod_script.h"

#include <gtest/gtest.h>

#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;

constexpr Timings kTimings{.start = 1s, .init = 2s, .ready = 3s, .run = 4s, .stop = 5s};
const PodScript kPlain{.start = 1s, .init = 2s, .ready = 3s, .run = 4s, .stop = 5s};

Result<PodScript> With(const api::Map<std::string>& annotations) {
  core::v1::Pod pod = PodNamed("pod");
  for (const auto& [name, value] : annotations) {
    pod.metadata.annotations["simulation.flyball.dev/" + name] = value;
  }
  return ScriptOf(*ViewOf(pod), kTimings);
}

PodScript Changed(const std::function<void(PodScript&)>& change) {
  PodScript script = kPlain;
  change(script);
  return script;
}

TEST(PodScript, IsTheTimingsWhereThePodSaysNothing) { EXPECT_EQ(With({}), kPlain); }

TEST(PodScript, AnnotationsChangeTheDelays) {
  EXPECT_EQ(With({{"start-delay", "1m"}, {"ready-delay", "0s"}, {"stop-delay", "90s"}}),
            Changed([](PodScript& its) {
              its.start = 1min;
              its.ready = 0s;
              its.stop = 90s;
            }));
}

TEST(PodScript, AnnotationsAskForFailures) {
  EXPECT_EQ(With({{"crash", "true"}}), Changed([](PodScript& its) {
              its.run_time = 1s;
              its.exit_code = 1;
            }));
  EXPECT_EQ(With({{"crash", "true"}, {"run-time", "5m"}, {"exit-code", "7"}, {"container", "a"}}),
            Changed([](PodScript& its) {
              its.run_time = 5min;
              its.exit_code = 7;
              its.subject = "a";
            }));
  EXPECT_EQ(With({{"exit-code", "2"}}), Changed([](PodScript& its) {
              its.run_time = 1s;
              its.exit_code = 2;
            }));
  EXPECT_EQ(With({{"run-time", "forever"}}),
            Changed([](PodScript& its) { its.runs_forever = true; }));
  EXPECT_EQ(With({{"ready", "false"}}), Changed([](PodScript& its) { its.never_ready = true; }));
  EXPECT_EQ(With({{"image-pull", "error"}}),
            Changed([](PodScript& its) { its.pull_fails = true; }));
  EXPECT_EQ(With({{"crash", "false"}, {"ready", "true"}, {"image-pull", "ok"}}), kPlain);
}

TEST(PodScript, WhatCannotBeReadIsNamed) {
  const auto message = [](const api::Map<std::string>& annotations) {
    const auto script = With(annotations);
    return script ? "" : script.error().message();
  };
  EXPECT_EQ(message({{"start-delay", "soon"}}),
            "annotation simulation.flyball.dev/start-delay: \"soon\" is not a duration");
  EXPECT_EQ(message({{"stop-delay", "-1s"}}),
            "annotation simulation.flyball.dev/stop-delay: \"-1s\" is not a duration");
  EXPECT_EQ(message({{"exit-code", "256"}}),
            "annotation simulation.flyball.dev/exit-code: \"256\" is not an exit code");
  EXPECT_EQ(message({{"crash", "yes"}}),
            "annotation simulation.flyball.dev/crash: \"yes\" is not true");
}

TEST(PodScript, SpreadDelaysAreTheSameForTheSameSeedAndDifferBetweenPods) {
  Timings timings = kTimings;
  timings.spread = 0.5;
  const auto script = [&](const std::string& name) {
    return *ScriptOf(*ViewOf(PodNamed(name)), timings);
  };
  EXPECT_EQ(script("a"), script("a"));
  EXPECT_NE(script("a"), script("b"));
  EXPECT_GE(script("a").start, 1s);
  EXPECT_LT(script("a").start, 1500ms);
  const PodScript before = script("a");
  timings.seed = 2;
  EXPECT_NE(script("a"), before);
}

}  // namespace
}  // namespace flyball::simulation
