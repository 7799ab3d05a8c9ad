#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/job/controller.h"
#include "flyball/controllers/job/job_spec.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::job {

/// Jobs on an embedded server. There are no nodes: a test says what becomes of pods.
class JobFixture : public ControllerFixture {
 protected:
  using Job = batch::v1::Job;
  using Pod = core::v1::Pod;

  JobFixture() { CreateServiceAccount("default"); }

  template <typename T>
  static T Must(Result<T> done) {
    if (done) return *std::move(done);
    ADD_FAILURE() << done.error().Describe();
    return {};
  }

  Job Create(std::int32_t completions, std::int32_t parallelism,
             const std::function<void(Job&)>& change = {}) {
    Job job;
    job.metadata.namespace_ = "default";
    job.metadata.name = "work";
    job.spec.completions = completions;
    job.spec.parallelism = parallelism;
    job.spec.template_.spec.restartPolicy = "Never";
    core::v1::Container& container = job.spec.template_.spec.containers.emplace_back();
    container.name = "main";
    container.image = "none";
    if (change) change(job);
    return Must(All<Job>().Create(job));
  }
  static void Indexed(Job& job) { job.spec.completionMode = std::string(kIndexed); }
  Job Get() { return Must(All<Job>().Get({"default", "work"})); }
  void Change(const std::function<void(Job&)>& change) {
    Job job = Get();
    change(job);
    Must(All<Job>().Update(job));
  }

  std::vector<Pod> Pods() { return Must(All<Pod>().ListIn("default")).items; }
  std::vector<Pod> ActivePods() {
    std::vector<Pod> pods = Pods();
    std::erase_if(pods, [](const Pod& pod) {
      return pod.status.phase == "Succeeded" || pod.status.phase == "Failed" ||
             pod.metadata.deletionTimestamp;
    });
    return pods;
  }
  static bool IsTracked(const Pod& pod) {
    return std::ranges::find(pod.metadata.finalizers, kTrackingFinalizer) !=
           pod.metadata.finalizers.end();
  }
  std::size_t TrackedPods() {
    const auto pods = Pods();
    return static_cast<std::size_t>(std::ranges::count_if(pods, IsTracked));
  }

  /// It ends now, with this code.
  void End(Pod pod, std::int32_t exit_code) {
    pod.status.phase = exit_code == 0 ? "Succeeded" : "Failed";
    auto& status = pod.status.containerStatuses.emplace_back();
    status.name = "main";
    auto& terminated = status.state.terminated.emplace();
    terminated.exitCode = exit_code;
    terminated.finishedAt = api::Time(executor_.clock().WallNow());
    Must(All<Pod>().UpdateStatus(pod));
  }
  void EndAll(std::int32_t exit_code) {
    for (const Pod& pod : ActivePods()) End(pod, exit_code);
  }
  void Run(Pod pod) {
    pod.status.phase = "Running";
    pod.status.conditions.push_back(ReadyCondition(api::Time(executor_.clock().WallNow())));
    Must(All<Pod>().UpdateStatus(pod));
  }

  /// "SuccessCriteriaMet CompletionsReached, Complete CompletionsReached": those that hold.
  std::string ConditionsOf(const Job& job) {
    std::string text;
    for (const auto& condition : job.status.conditions) {
      if (condition.status != "True") continue;
      text += (text.empty() ? "" : ", ") + condition.type + " " + condition.reason;
    }
    return text;
  }
  /// "active 1, succeeded 2, failed 3".
  std::string Counts() {
    const auto& status = Get().status;
    return "active " + std::to_string(status.active) + ", succeeded " +
           std::to_string(status.succeeded) + ", failed " + std::to_string(status.failed);
  }

  runtime::Controller::Deps recorded() {
    runtime::Controller::Deps all = deps();
    all.events = events_.Maker();
    return all;
  }
  void PlayIt(const std::function<void()>& test, const Options& options = {}) {
    Play(Make(recorded(), options), [&] {
      // Times are kept in whole seconds: from one of them on they are exact.
      Pass(std::chrono::seconds(1) -
           executor_.clock().WallNow().time_since_epoch() % std::chrono::seconds(1));
      test();
    });
  }

  /// One controller after the other, each for as long as its life takes.
  void PlayLives(const std::vector<std::function<void()>>& lives) {
    cache::InformerFactory& informers = deps().informers;
    bool done = false;
    executor_.Start("test", [&] {
      auto controller = Make(recorded(), {});
      informers.Start();
      for (const auto& life : lives) {
        if (!controller) controller = Make(recorded(), {});
        EXPECT_TRUE(controller->WaitForSync({}));
        controller->Start();
        life();
        controller.reset();
      }
      informers.Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(100));
    EXPECT_TRUE(done) << report.Describe();
  }

  runtime::FakeEventRecorder events_;
};

}  // namespace flyball::controllers::job
