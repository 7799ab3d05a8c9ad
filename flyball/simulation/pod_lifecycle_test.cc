#include "flyball/simulation/pod_lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::ElementsAre;
using State = ContainerRun::State;

const WallTime kStart{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};
const PodScript kScript{.start = 1s, .init = 2s, .ready = 3s, .run = 10s, .stop = 4s};

std::string_view Name(State state) {
  switch (state) {
    case State::kWaiting:
      return "waits";
    case State::kPullFailed:
      return "pull failed";
    case State::kPullBackOff:
      return "pull back-off";
    case State::kRunning:
      return "runs";
    case State::kBackOff:
      return "back-off";
    case State::kExited:
      return "exited";
  }
  return "";
}

/// A pod, and what becomes of it when nobody looks but when it said that it would change.
class Story {
 public:
  explicit Story(core::v1::Pod pod, PodScript script = kScript)
      : pod_(std::move(pod)), script_(std::move(script)), run_(Accept(*ViewOf(pod_), kStart)) {}

  /// A line for each time at which something changes, up to the end of the span: "3s: runs".
  std::vector<std::string> Until(nanoseconds end) {
    std::vector<std::string> lines;
    for (;;) {
      PodProgress progress = Advance(run_, *ViewOf(pod_), script_, kStart + at_);
      run_ = progress.run;
      lines.push_back(Line());
      if (!progress.next || *progress.next > kStart + end) break;
      EXPECT_GT(*progress.next, kStart + at_) << "time does not go on";
      at_ = *progress.next - kStart;
    }
    return lines;
  }
  /// What one sees who looks only once.
  PodRun At(nanoseconds time) const {
    return Advance(Accept(*ViewOf(pod_), kStart), *ViewOf(pod_), script_, kStart + time).run;
  }

  void Delete(nanoseconds at, std::int64_t grace = 30) {
    at_ = at;
    pod_.metadata.deletionTimestamp = api::Time(kStart + at);
    pod_.metadata.deletionGracePeriodSeconds = grace;
  }
  void Change(std::chrono::nanoseconds at, const PodScript& script) {
    at_ = at;
    script_ = script;
  }
  const PodRun& run() const { return run_; }

 private:
  std::string Line() const {
    std::string line =
        std::to_string(std::chrono::duration_cast<std::chrono::seconds>(at_).count());
    line += "s:";
    const auto add = [&](const ContainerRun& run, const auto& container, ContainerRole role) {
      line += " " + std::string(Name(run.state));
      if (run.state == State::kExited) line += " " + std::to_string(run.ended->exit_code);
      if (run.restarts > 0) line += " x" + std::to_string(run.restarts);
      if (IsReady(run, container, role, script_, kStart + at_)) line += " ready";
    };
    const auto view = ViewOf(pod_);
    for (std::size_t i = 0; i < run_.init.size(); ++i) {
      const auto& container = view->spec.initContainers[i];
      add(run_.init[i], container, RoleOfInit(container));
    }
    for (std::size_t i = 0; i < run_.main.size(); ++i) {
      add(run_.main[i], view->spec.containers[i], ContainerRole::kMain);
    }
    return line + (run_.over ? " over" : "");
  }

  core::v1::Pod pod_;
  PodScript script_;
  PodRun run_;
  nanoseconds at_ = {};
};

core::v1::Pod With(const std::function<void(core::v1::Pod&)>& change) {
  core::v1::Pod pod = PodNamed("pod");
  change(pod);
  return pod;
}

PodScript Scripted(const std::function<void(PodScript&)>& change) {
  PodScript script = kScript;
  change(script);
  return script;
}

TEST(PodLifecycle, AServerStartsBecomesReadyAndStays) {
  Story story(PodNamed("pod"));
  EXPECT_THAT(story.Until(24h), ElementsAre("0s: waits", "1s: runs", "4s: runs ready"));
}

TEST(PodLifecycle, AJobRunsToItsEnd) {
  for (const std::string policy : {"Never", "OnFailure"}) {
    Story story(With([&](core::v1::Pod& pod) { pod.spec.restartPolicy = policy; }));
    EXPECT_THAT(story.Until(24h),
                ElementsAre("0s: waits", "1s: runs", "4s: runs ready", "11s: exited 0 over"));
  }
}

TEST(PodLifecycle, AJobThatFailsIsOverOrStartedAgainAsItsPolicySays) {
  const PodScript fails = Scripted([](PodScript& script) {
    script.run_time = 2s;
    script.exit_code = 3;
  });
  Story never(With([](core::v1::Pod& pod) { pod.spec.restartPolicy = "Never"; }), fails);
  EXPECT_THAT(never.Until(24h), ElementsAre("0s: waits", "1s: runs", "3s: exited 3 over"));
  Story on_failure(With([](core::v1::Pod& pod) { pod.spec.restartPolicy = "OnFailure"; }), fails);
  EXPECT_THAT(on_failure.Until(6s),
              ElementsAre("0s: waits", "1s: runs", "3s: runs x1", "5s: back-off x1"));
  // What a container says for itself counts more.
  Story own(With([](core::v1::Pod& pod) { pod.spec.containers[0].restartPolicy = "Never"; }),
            fails);
  EXPECT_THAT(own.Until(24h), ElementsAre("0s: waits", "1s: runs", "3s: exited 3 over"));
}

TEST(PodLifecycle, ACrashLoopIsWaitedWithTwiceAsLongEachTime) {
  Story story(PodNamed("pod"), Scripted([](PodScript& script) {
                script.ready = 0s;
                script.run_time = 0s;
                script.exit_code = 1;
              }));
  EXPECT_THAT(story.Until(1300s),
              ElementsAre("0s: waits", "1s: back-off x1", "11s: back-off x2", "31s: back-off x3",
                          "71s: back-off x4", "151s: back-off x5", "311s: back-off x6",
                          "611s: back-off x7", "911s: back-off x8", "1211s: back-off x9"));
}

TEST(PodLifecycle, AContainerThatRanForLongIsStartedAgainAtOnce) {
  Story story(PodNamed("pod"), Scripted([](PodScript& script) {
                script.ready = 0s;
                script.run_time = 11min;
                script.exit_code = 1;
              }));
  EXPECT_THAT(story.Until(35min), ElementsAre("0s: waits", "1s: runs ready", "661s: runs x1 ready",
                                              "1321s: runs x2 ready", "1981s: runs x3 ready"));
}

TEST(PodLifecycle, AnImageThatCannotBeHadIsAskedForAgainAndAgain) {
  Story story(PodNamed("pod"), Scripted([](PodScript& script) { script.pull_fails = true; }));
  EXPECT_THAT(story.Until(40s),
              ElementsAre("0s: waits", "1s: pull failed", "2s: pull back-off", "11s: pull failed",
                          "12s: pull back-off", "31s: pull failed", "32s: pull back-off"));
}

TEST(PodLifecycle, InitContainersComeOneAfterTheOtherAndSidecarsStay) {
  Story story(With([](core::v1::Pod& pod) {
    pod.spec.restartPolicy = "Never";
    pod.spec.initContainers = {ContainerNamed("first"), ContainerNamed("proxy"),
                               ContainerNamed("second")};
    pod.spec.initContainers[1].restartPolicy = "Always";
  }));
  EXPECT_THAT(story.Until(24h),
              ElementsAre("0s: waits waits waits waits", "1s: runs waits waits waits",
                          "3s: exited 0 ready runs runs waits",
                          "5s: exited 0 ready runs exited 0 ready runs",
                          "6s: exited 0 ready runs ready exited 0 ready runs",
                          "8s: exited 0 ready runs ready exited 0 ready runs ready",
                          "15s: exited 0 ready runs ready exited 0 ready exited 0",
                          "19s: exited 0 ready exited 0 exited 0 ready exited 0 over"));
}

TEST(PodLifecycle, AnInitContainerThatFailsEndsAPodThatIsNotStartedAgain) {
  const PodScript fails = Scripted([](PodScript& script) {
    script.subject = "first";
    script.run_time = 1s;
    script.exit_code = 4;
  });
  const auto with_init = [](core::v1::Pod& pod) {
    pod.spec.initContainers = {ContainerNamed("first")};
  };
  Story never(With([&](core::v1::Pod& pod) {
                with_init(pod);
                pod.spec.restartPolicy = "Never";
              }),
              fails);
  EXPECT_THAT(never.Until(24h),
              ElementsAre("0s: waits waits", "1s: runs waits", "2s: exited 4 waits over"));
  Story always(With(with_init), fails);
  EXPECT_THAT(always.Until(4s), ElementsAre("0s: waits waits", "1s: runs waits",
                                            "2s: runs x1 waits", "3s: back-off x1 waits"));
}

TEST(PodLifecycle, ADeletedPodStopsAndIsOver) {
  Story story(PodNamed("pod"));
  (void)story.Until(100s);
  story.Delete(100s);
  EXPECT_THAT(story.Until(24h), ElementsAre("100s: runs ready", "104s: exited 0 over"));
}

TEST(PodLifecycle, WhatDoesNotStopInTimeIsKilled) {
  Story story(PodNamed("pod"), Scripted([](PodScript& script) { script.stop = 1h; }));
  (void)story.Until(100s);
  story.Delete(100s, 30);
  EXPECT_THAT(story.Until(24h), ElementsAre("100s: runs ready", "130s: exited 137 over"));
}

TEST(PodLifecycle, DelaysThatNeverEndAreNotOverAtOnce) {
  const PodScript patient = Scripted([](PodScript& script) {
    script.ready = script.stop = nanoseconds::max();
    script.run_time = nanoseconds::max();
  });
  Story story(PodNamed("pod"), patient);
  EXPECT_THAT(story.Until(100s), ElementsAre("0s: waits", "1s: runs"));
  story.Delete(100s, std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(story.Until(24h), ElementsAre("100s: runs"));

  Story not_started(PodNamed("pod"), Scripted([](PodScript& its) { its.start = its.start.max(); }));
  EXPECT_THAT(not_started.Until(24h), ElementsAre("0s: waits"));
}

TEST(PodLifecycle, APodThatIsDeletedBeforeItRanIsOverAtOnce) {
  Story story(PodNamed("pod"));
  story.Delete(0s);
  EXPECT_THAT(story.Until(24h), ElementsAre("0s: exited 137 over"));
  EXPECT_TRUE(story.run().main[0].ended->unknown);
}

TEST(PodLifecycle, OneThatIsDeletedBetweenTwoRunsKeepsItsLastEnd) {
  Story story(PodNamed("pod"), Scripted([](PodScript& script) {
                script.run_time = 0s;
                script.exit_code = 5;
              }));
  (void)story.Until(5s);
  story.Delete(5s);
  EXPECT_THAT(story.Until(24h), ElementsAre("5s: exited 5 x1 over"));
  EXPECT_FALSE(story.run().main[0].ended->unknown);
}

TEST(PodLifecycle, WhatIsAskedForLateHappensFromThenOn) {
  Story story(PodNamed("pod"));
  (void)story.Until(1h);
  story.Change(1h, Scripted([](PodScript& script) {
                 script.run_time = 1s;
                 script.exit_code = 1;
               }));
  EXPECT_THAT(story.Until(3615s), ElementsAre("3600s: runs x1", "3601s: back-off x1",
                                              "3611s: runs x2", "3612s: back-off x2"));
  story.Change(2h, kScript);
  // It is not spared the wait that it is in.
  EXPECT_THAT(story.Until(24h),
              ElementsAre("7200s: back-off x16", "7226s: runs x17", "7229s: runs x17 ready"));
}

TEST(PodLifecycle, ItDoesNotMatterHowOftenSomebodyLooks) {
  const PodScript crashes = Scripted([](PodScript& script) {
    script.run_time = 3s;
    script.exit_code = 1;
  });
  Story often(PodNamed("pod"), crashes);
  (void)often.Until(500s);
  const Story once(PodNamed("pod"), crashes);
  EXPECT_EQ(once.At(500s), often.run());
}

TEST(PodLifecycle, APodThatRanBeforeGoesOnWhereItWas) {
  const core::v1::Pod pod = With([](core::v1::Pod& its) {
    its.status.phase = "Running";
    its.status.startTime = api::Time(kStart - 100s);
    its.status.podIP = "10.0.0.2";
    auto& status = its.status.containerStatuses.emplace_back();
    status.name = "main";
    status.restartCount = 2;
    status.state.running.emplace().startedAt = api::Time(kStart - 90s);
  });
  Story story(pod);
  EXPECT_THAT(story.Until(24h), ElementsAre("0s: runs x2 ready"));
  EXPECT_EQ(story.run().accepted, kStart - 100s);
  Story over(With([](core::v1::Pod& its) { its.status.phase = "Succeeded"; }));
  EXPECT_THAT(over.Until(24h), ElementsAre("0s: waits over"));
}

TEST(PodLifecycle, OneThatIsNeverToBeReadyIsNot) {
  Story story(PodNamed("pod"), Scripted([](PodScript& script) { script.never_ready = true; }));
  EXPECT_THAT(story.Until(24h), ElementsAre("0s: waits", "1s: runs", "4s: runs"));
}

TEST(PodLifecycle, WhoseVolumesAreNotThereIsNotStarted) {
  const auto pod = ViewOf(PodNamed("pod"));
  PodRun run = Accept(*pod, kStart);
  EXPECT_EQ(run.mounted, kStart);
  run.mounted.reset();
  PodProgress progress = Advance(run, *pod, kScript, kStart + 1h);
  EXPECT_EQ(progress.next, std::nullopt);
  EXPECT_FALSE(progress.run.sandbox);
  progress.run.mounted = kStart + 1h;
  progress = Advance(progress.run, *pod, kScript, kStart + 1h);
  EXPECT_EQ(progress.next, kStart + 1h + 1s);
  progress = Advance(progress.run, *pod, kScript, kStart + 1h + 1s);
  EXPECT_TRUE(progress.run.main[0].running());
}

TEST(PodLifecycle, WhoWaitsForVolumesCanGo) {
  core::v1::Pod pod = PodNamed("pod");
  PodRun run = Accept(*ViewOf(pod), kStart);
  run.mounted.reset();
  pod.metadata.deletionTimestamp = api::Time(kStart + 5s);
  pod.metadata.deletionGracePeriodSeconds = 30;
  EXPECT_TRUE(Advance(run, *ViewOf(pod), kScript, kStart + 5s).run.over);
}

}  // namespace
}  // namespace flyball::simulation
