#include "flyball/simulation/pod_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/json.h"
#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const WallTime kStart{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};
const PodScript kScript{.start = 1s, .init = 2s, .ready = 3s, .run = 10s, .stop = 4s};

/// What kubelet would have written by a time.
core::v1::PodStatus StatusAt(const core::v1::Pod& pod, std::chrono::nanoseconds time,
                             const PodScript& script = kScript) {
  const auto view = ViewOf(pod);
  ConditionTimes times;
  PodRun run = Accept(*view, kStart);
  core::v1::PodStatus status;
  // As the controller does it: each time something changes.
  for (WallTime at = kStart;;) {
    PodProgress progress = Advance(std::move(run), *view, script, at);
    run = std::move(progress.run);
    const PodPlace place{.host_ip = "172.16.0.2", .pod_ip = run.sandbox ? "10.0.0.2" : ""};
    status = StatusOf(*view, run, script, place, at, times);
    if (!progress.next || *progress.next > kStart + time) return status;
    at = *progress.next;
  }
}

std::string TextOf(const core::v1::PodStatus& status) { return api::ToJson(status)->ToString(); }

/// "Ready=False at 3 (ContainersNotReady: containers with unready status: [main])".
std::vector<std::string> ConditionsOf(const core::v1::PodStatus& status) {
  std::vector<std::string> lines;
  for (const auto& condition : status.conditions) {
    const auto since = condition.lastTransitionTime.ToWallTime() - kStart;
    std::string line = condition.type + "=" + condition.status + " at " +
                       std::to_string(since / std::chrono::nanoseconds(1s));
    if (!condition.reason.empty()) line += " (" + condition.reason + ": " + condition.message + ")";
    lines.push_back(line);
  }
  return lines;
}

TEST(PodStatus, OfAPodThatIsBeingStarted) {
  EXPECT_EQ(
      TextOf(StatusAt(PodNamed("web"), 0s)),
      R"({"conditions":[)"
      R"({"lastProbeTime":null,"lastTransitionTime":"2026-11-15T00:00:00Z",)"
      R"("message":"no pod sandbox exists","observedGeneration":1,"reason":"PodSandboxNotReady",)"
      R"("status":"False","type":"PodReadyToStartContainers"},)"
      R"({"lastProbeTime":null,"lastTransitionTime":"2026-11-15T00:00:00Z",)"
      R"("observedGeneration":1,"status":"True","type":"Initialized"},)"
      R"({"lastProbeTime":null,"lastTransitionTime":"2026-11-15T00:00:00Z",)"
      R"("message":"containers with unready status: [main]","observedGeneration":1,)"
      R"("reason":"ContainersNotReady","status":"False","type":"Ready"},)"
      R"({"lastProbeTime":null,"lastTransitionTime":"2026-11-15T00:00:00Z",)"
      R"("message":"containers with unready status: [main]","observedGeneration":1,)"
      R"("reason":"ContainersNotReady","status":"False","type":"ContainersReady"},)"
      R"({"lastProbeTime":null,"lastTransitionTime":"2026-11-15T00:00:00Z",)"
      R"("observedGeneration":1,"status":"True","type":"PodScheduled"}],)"
      R"("containerStatuses":[{"image":"main:1","imageID":"","lastState":{},"name":"main",)"
      R"("ready":false,"restartCount":0,"started":false,)"
      R"("state":{"waiting":{"reason":"ContainerCreating"}}}],)"
      R"("hostIP":"172.16.0.2","hostIPs":[{"ip":"172.16.0.2"}],"observedGeneration":1,)"
      R"("phase":"Pending","startTime":"2026-11-15T00:00:00Z"})");
}

TEST(PodStatus, OfAPodThatIsReady) {
  const auto status = StatusAt(PodNamed("web", "100m"), 1h);
  EXPECT_EQ(status.phase, "Running");
  EXPECT_EQ(status.podIP, "10.0.0.2");
  ASSERT_EQ(status.podIPs.size(), 1U);
  EXPECT_THAT(
      ConditionsOf(status),
      ElementsAre("PodReadyToStartContainers=True at 1", "Initialized=True at 0", "Ready=True at 4",
                  "ContainersReady=True at 4", "PodScheduled=True at 0"));
  ASSERT_EQ(status.containerStatuses.size(), 1U);
  const auto& container = status.containerStatuses[0];
  EXPECT_TRUE(container.ready && container.started == true);
  EXPECT_EQ(container.state.running->startedAt, api::Time(kStart + 1s));
  EXPECT_EQ(container.containerID.size(), std::string("containerd://").size() + 64);
  EXPECT_TRUE(container.imageID.starts_with("main:1@sha256:"));
  EXPECT_EQ(container.allocatedResources.find("cpu")->ToString(), "100m");
  EXPECT_EQ(container.resources->requests.find("cpu")->ToString(), "100m");
}

TEST(PodStatus, OfPodsThatAreOver) {
  core::v1::Pod pod = PodNamed("job");
  pod.spec.restartPolicy = "Never";
  const auto good = StatusAt(pod, 1h);
  EXPECT_EQ(good.phase, "Succeeded");
  EXPECT_EQ(good.podIP, "10.0.0.2");
  EXPECT_THAT(
      ConditionsOf(good),
      ElementsAre("PodReadyToStartContainers=False at 11 (PodSandboxNotReady: pod sandbox "
                  "is not ready)",
                  "Initialized=True at 0 (PodCompleted: )", "Ready=False at 11 (PodCompleted: )",
                  "ContainersReady=False at 11 (PodCompleted: )", "PodScheduled=True at 0"));
  PodScript fails = kScript;
  fails.run_time = 5s;
  fails.exit_code = 2;
  const auto bad = StatusAt(pod, 1h, fails);
  EXPECT_EQ(bad.phase, "Failed");
  const auto& terminated = bad.containerStatuses[0].state.terminated;
  ASSERT_TRUE(terminated);
  EXPECT_EQ(terminated->exitCode, 2);
  EXPECT_EQ(terminated->reason, "Error");
  EXPECT_EQ(terminated->startedAt, api::Time(kStart + 1s));
  EXPECT_EQ(terminated->finishedAt, api::Time(kStart + 6s));
  EXPECT_EQ(terminated->containerID, bad.containerStatuses[0].containerID);
  EXPECT_THAT(ConditionsOf(bad)[2], "Ready=False at 6 (PodFailed: )");
}

TEST(PodStatus, OfAPodWhoseInitContainersAreNotDone) {
  core::v1::Pod pod = PodNamed("staged");
  pod.spec.initContainers = {ContainerNamed("first"), ContainerNamed("second")};
  const auto status = StatusAt(pod, 4s);
  EXPECT_EQ(status.phase, "Pending");
  EXPECT_THAT(
      ConditionsOf(status)[1],
      "Initialized=False at 0 (ContainersNotInitialized: containers with incomplete status: "
      "[second])");
  EXPECT_TRUE(status.initContainerStatuses[0].ready);
  EXPECT_EQ(status.initContainerStatuses[0].state.terminated->reason, "Completed");
  EXPECT_TRUE(status.initContainerStatuses[1].state.running);
  EXPECT_EQ(status.containerStatuses[0].state.waiting->reason, "PodInitializing");
  EXPECT_EQ(StatusAt(pod, 1h).phase, "Running");
}

TEST(PodStatus, OfACrashLoop) {
  PodScript crashes = kScript;
  crashes.run_time = 1s;
  crashes.exit_code = 1;
  const auto status = StatusAt(PodNamed("crash"), 4s, crashes);
  EXPECT_EQ(status.phase, "Running");
  const auto& container = status.containerStatuses[0];
  EXPECT_EQ(container.restartCount, 1);
  EXPECT_EQ(container.state.waiting->reason, "CrashLoopBackOff");
  EXPECT_EQ(container.state.waiting->message,
            "back-off 10s restarting failed container=main pod=crash_ns(uid-of-crash)");
  EXPECT_EQ(container.lastState.terminated->finishedAt, api::Time(kStart + 3s));
  EXPECT_EQ(container.lastState.terminated->containerID, container.containerID);
  // While it runs again, it shows how it ended the last time.
  const auto again = StatusAt(PodNamed("crash"), 13s, crashes).containerStatuses[0];
  EXPECT_TRUE(again.state.running);
  EXPECT_EQ(again.restartCount, 2);
  EXPECT_EQ(again.lastState.terminated->finishedAt, api::Time(kStart + 3s));
  EXPECT_NE(again.containerID, container.containerID);
}

TEST(PodStatus, OfAnImageThatCannotBeHad) {
  PodScript fails = kScript;
  fails.pull_fails = true;
  const auto failed = StatusAt(PodNamed("pull"), 1s, fails);
  EXPECT_EQ(failed.phase, "Pending");
  EXPECT_EQ(failed.podIP, "10.0.0.2");
  EXPECT_EQ(failed.containerStatuses[0].state.waiting->reason, "ErrImagePull");
  const auto waits = StatusAt(PodNamed("pull"), 2s, fails).containerStatuses[0].state.waiting;
  EXPECT_EQ(waits->reason, "ImagePullBackOff");
  EXPECT_EQ(waits->message,
            "Back-off pulling image \"main:1\": ErrImagePull: failed to pull image \"main:1\": "
            "simulated");
}

TEST(PodStatus, ReadinessGatesAreWaitedFor) {
  core::v1::Pod pod = PodNamed("gated");
  pod.spec.readinessGates.emplace_back().conditionType = "example.com/a";
  pod.spec.readinessGates.emplace_back().conditionType = "example.com/b";
  auto& closed = pod.status.conditions.emplace_back();
  closed.type = "example.com/b";
  closed.status = "False";
  EXPECT_THAT(ConditionsOf(StatusAt(pod, 1h))[2],
              "Ready=False at 0 (ReadinessGatesNotReady: corresponding condition of pod readiness "
              "gate \"example.com/a\" does not exist., the status of pod readiness gate "
              "\"example.com/b\" is not \"True\", but False)");
}

TEST(PodStatus, OfAPodOnTheNetworkOfItsNode) {
  core::v1::Pod pod = PodNamed("host");
  pod.spec.hostNetwork = true;
  EXPECT_EQ(StatusAt(pod, 0s).podIP, "172.16.0.2");
}

TEST(PodStatus, TimesOfConditionsAreTakenOverFromThePod) {
  core::v1::Pod pod = PodNamed("web");
  pod.status = StatusAt(pod, 1h);
  const auto view = ViewOf(pod);
  ConditionTimes times = ConditionTimes::Of(*view);
  const PodRun run = Accept(*view, kStart + 2h);
  const auto status = StatusOf(*view, run, kScript, {.host_ip = "172.16.0.2", .pod_ip = "10.0.0.2"},
                               kStart + 2h, times);
  EXPECT_EQ(ConditionsOf(status), ConditionsOf(pod.status));
  EXPECT_FALSE(IsAtOdds(*view, status));
}

TEST(PodStatus, ThePatchIsOfOnePodAndTakesOldReasonsAway) {
  const core::v1::Pod pod = PodNamed("web");
  core::v1::PodStatus status = StatusAt(pod, 1h);
  status.conditions.resize(1);
  status.containerStatuses.clear();
  EXPECT_EQ(StatusPatch(*ViewOf(pod), status)->text,
            R"({"metadata":{"uid":"uid-of-web"},"status":{"conditions":[{"lastProbeTime":null,)"
            R"("lastTransitionTime":"2026-11-15T00:00:01Z","message":null,"observedGeneration":1,)"
            R"("reason":null,"status":"True","type":"PodReadyToStartContainers"}],)"
            R"("hostIP":"172.16.0.2","hostIPs":[{"ip":"172.16.0.2"}],"observedGeneration":1,)"
            R"("phase":"Running","podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.2"}],)"
            R"("startTime":"2026-11-15T00:00:00Z"}})");
}

TEST(PodStatus, WhatOthersWroteOverIsNoticed) {
  core::v1::Pod pod = PodNamed("web");
  const auto status = StatusAt(pod, 1h);
  EXPECT_TRUE(IsAtOdds(*ViewOf(pod), status));
  pod.status = status;
  auto& other = pod.status.conditions.emplace_back();
  other.type = "DisruptionTarget";
  other.status = "True";
  EXPECT_FALSE(IsAtOdds(*ViewOf(pod), status));
  pod.status.conditions[2].status = "False";
  EXPECT_TRUE(IsAtOdds(*ViewOf(pod), status));
}

}  // namespace
}  // namespace flyball::simulation
