// Rollouts of every kind of workload on a real API server, with a proxy before it that loses
// answers, holds them back, answers in the server's place when it has acted, delays writes until
// long after the manager has asked what became of them, and stands still in its watches. All that
// etcd ever had is held against what managers promise: nothing is made twice, and nothing is
// deleted that nobody decided to delete.
//
// FLYBALL_FROZEN_SECONDS sets for how long watches stand still.

#include "tests/cluster/faulty_proxy.h"

#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/sandbox/answer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/rollout_test.h"
#include "tests/faults/daemon_invariants.h"
#include "tests/faults/job_invariants.h"
#include "tests/faults/ordinal_invariants.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::StatefulSet;
using batch::v1::Job;
using core::v1::Pod;
using sandbox::Fault;
using sandbox::Requests;
using testing::IsEmpty;

constexpr int kDeployments = 4;
constexpr int kSets = 2;
constexpr int kJobs = 4;

class FaultyProxyTest : public RolloutTest {
 protected:
  FaultyProxyTest() : RolloutTest({.deployments = kDeployments, .pods = 5}) {}

  void SetUp() override {
    RolloutTest::SetUp();
    proxy_ = Must(FaultyProxy::Start(real_plane(), executor()));
    FollowOthers();
    const auto way =
        Must(proxy_->WriteKubeconfig("proxy", plane().TokenOf("system:kube-controller-manager")));
    manager_ = StartManager("behind-proxy", {ControllersFlag()}, way);
    AwaitHealthy(*manager_);
  }
  void TearDown() override {
    if (HasFailure()) std::cout << manager_->log().substr(0, 20'000) << "\n";
    manager_.reset();
    proxy_.reset();
    RolloutTest::TearDown();
  }

  // Workloads beside the deployments, in a namespace of their own.

  template <typename T>
  T Described(const std::string& name) const {
    T object;
    object.metadata.namespace_ = others_;
    object.metadata.name = name;
    auto& container = object.spec.template_.spec.containers.emplace_back();
    container.name = "main";
    container.image = "app:0";
    return object;
  }
  template <typename T>
  T Selecting(const std::string& name) const {
    T object = Described<T>(name);
    object.spec.selector.emplace().matchLabels = {{"app", name}};
    object.spec.template_.metadata.labels = {{"app", name}};
    return object;
  }
  void CreateOthers() const {
    for (int i = 0; i < kSets; ++i) {
      auto set = Selecting<StatefulSet>("db-" + std::to_string(i));
      set.spec.replicas = 3;
      set.spec.serviceName = "db";
      set.spec.podManagementPolicy = i == 0 ? "OrderedReady" : "Parallel";
      Must(All<StatefulSet>().Create(set));
      Must(All<DaemonSet>().Create(Selecting<DaemonSet>("agent-" + std::to_string(i))));
    }
  }
  void CreateJobs() const {
    for (int i = 0; i < kJobs; ++i) {
      auto job = Described<Job>("job-" + std::to_string(i));
      job.spec.completions = 6;
      job.spec.parallelism = 3;
      job.spec.completionMode = i % 2 == 0 ? "Indexed" : "NonIndexed";
      job.spec.template_.spec.restartPolicy = "Never";
      job.spec.template_.metadata.annotations = {{"simulation.flyball.dev/run-time", "300ms"}};
      Must(All<Job>().Create(job));
    }
  }
  void RollOthers(const std::string& image) const {
    const client::Patch patch{
        client::PatchType::kStrategic,
        R"({"spec":{"template":{"spec":{"containers":[{"name":"main","image":")" + image +
            R"("}]}}}})"};
    for (int i = 0; i < kSets; ++i) {
      Must(All<StatefulSet>().Patch({others_, "db-" + std::to_string(i)}, patch));
      Must(All<DaemonSet>().Patch({others_, "agent-" + std::to_string(i)}, patch));
    }
  }
  /// Writes something on all objects of a kind, which their controllers hear of.
  template <typename T>
  void MarkAll(const std::string& space, int mark) const {
    const client::Patch patch{client::PatchType::kMerge, R"({"metadata":{"annotations":{"mark":")" +
                                                             std::to_string(mark) + R"("}}})"};
    for (const T& object : Must(All<T>().ListIn(space)).items) {
      const auto marked = All<T>().Patch({space, object.metadata.name}, patch);
      EXPECT_TRUE(marked || marked.error().code() == ErrorCode::kNotFound);
    }
  }
  bool OthersAreComplete() const {
    for (int i = 0; i < kSets; ++i) {
      const auto set = Must(All<StatefulSet>().Get({others_, "db-" + std::to_string(i)}));
      const auto daemon = Must(All<DaemonSet>().Get({others_, "agent-" + std::to_string(i)}));
      if (set.status.observedGeneration != set.metadata.generation ||
          set.status.updatedReplicas != 3 || set.status.readyReplicas != 3 ||
          set.status.currentRevision != set.status.updateRevision ||
          daemon.status.observedGeneration != daemon.metadata.generation ||
          daemon.status.desiredNumberScheduled == 0 ||
          daemon.status.updatedNumberScheduled != daemon.status.desiredNumberScheduled ||
          daemon.status.numberAvailable != daemon.status.desiredNumberScheduled) {
        return false;
      }
    }
    return true;
  }
  bool JobsAreComplete() const {
    for (int i = 0; i < kJobs; ++i) {
      const auto job = Must(All<Job>().Get({others_, "job-" + std::to_string(i)}));
      if (!job.status.completionTime) return false;
      EXPECT_EQ(job.status.succeeded, 6);
    }
    return true;
  }

  void ExpectAllSound() {
    ExpectSound();
    Must(history_of_others_->CatchUp());
    history_of_others_->WhileStill([this] {
      EXPECT_THAT(violations_, IsEmpty());
      EXPECT_THAT(ordinals_.violations(), IsEmpty());
      EXPECT_GT(pods_seen_, 3 * kSets + 6 * kJobs);
    });
  }

  const std::string others_ = NewNamespace();
  std::unique_ptr<FaultyProxy> proxy_;

 private:
  void FollowOthers() {
    using History = NamespaceHistory;
    history_of_others_ = Must(History::Follow(
        real_plane(), executor(), network(), others_,
        {History::Each<StatefulSet>(
             "/registry/statefulsets/",
             [this](const auto& seen) { ordinals_.TellOfSet(seen.uid(), seen.copy()); }),
         History::Each<DaemonSet>(
             "/registry/daemonsets/",
             [this](const auto& seen) { daemons_.TellOfSet(seen.uid(), seen.copy()); }),
         History::Each<Job>("/registry/jobs/",
                            [this](const auto& seen) { jobs_.TellOfJob(seen.uid(), seen.copy()); }),
         History::Each<Pod>("/registry/pods/", [this](const auto& seen) {
           pods_seen_ += seen.before == nullptr ? 1 : 0;
           ordinals_.TellOfPod(seen.uid(), seen.copy());
           daemons_.TellOfPod(seen.uid(), seen.copy(), /*deliberate=*/false);
           jobs_.TellOfPod(seen.uid(), seen.copy());
         })}));
  }

  std::optional<ManagerBinary> manager_;
  std::vector<std::string> violations_;
  faults::OrdinalInvariants ordinals_;
  faults::DaemonInvariants daemons_{clock(), violations_};
  faults::JobInvariants jobs_{violations_};
  int pods_seen_ = 0;
  std::unique_ptr<NamespaceHistory> history_of_others_;
};

/// What controllers write: the election is about other things, and so are events and tokens.
Requests WritesOfControllers() {
  return Requests::Writes().Where([](const sandbox::Asked& asked) {
    const std::string_view plural = asked.target.plural;
    return plural != "leases" && plural != "events" && asked.target.subresource != "token";
  });
}

sandbox::Answer ProxyPage() {
  return {.status = 502,
          .content_type = "text/html",
          .body = "<html><body>502 Bad Gateway</body></html>"};
}

TEST_F(FaultyProxyTest, WhateverAnswersBecomeNothingIsDoneTwice) {
  sandbox::Faults& faults = proxy_->faults();
  const std::pair<const char*, Fault> rules[] = {
      {"answered with 503 when done", faults.On(WritesOfControllers()).Every(11).RefuseAfter(503)},
      {"answered with a page when done",
       faults.On(WritesOfControllers()).Every(13).AnswerAfter(ProxyPage())},
      {"answer lost", faults.On(WritesOfControllers()).Every(17).LoseAnswer()},
      {"answer held back for 2 s", faults.On(WritesOfControllers()).Every(19).DelayAnswer(2s)},
      {"done 4 s after the connection broke",
       faults.On(WritesOfControllers()).Every(23).ActLater(4s)},
      {"event held back for 1 s", faults.OnEvents(Requests::Watches()).Every(31).Delay(1s)},
  };

  CreateOthers();
  Must(fleet_.Create("app:0"));
  Must(fleet_.AwaitComplete(120s));
  CreateJobs();
  EXPECT_TRUE(Eventually([this] { return OthersAreComplete(); }));
  for (const char* const image : {"app:1", "app:2"}) {
    RollOthers(image);
    Must(fleet_.Roll(image));
    Must(fleet_.AwaitComplete(120s));
    EXPECT_TRUE(Eventually([this] { return OthersAreComplete(); }));
  }
  EXPECT_TRUE(Eventually([this] { return JobsAreComplete(); }));
  EXPECT_TRUE(Eventually([this] { return Must(history_->WrongAtRest()).empty(); }));
  for (const auto& [what, rule] : rules) {
    std::cout << what << ": " << rule.count() << "\n";
    EXPECT_GT(rule.count(), 2) << what;
  }
  ExpectAllSound();
}

/// Keys come up for reconciliation all the time meanwhile: people write on their objects, and each
/// of these events is seen.
TEST_F(FaultyProxyTest, WatchOfPodsThatStandsStillMakesNoPodTwice) {
  const auto frozen = std::chrono::seconds(NumberFromEnvironment("FLYBALL_FROZEN_SECONDS", 20));
  CreateOthers();
  Must(fleet_.Create("app:0"));
  Must(fleet_.AwaitComplete(120s));
  EXPECT_TRUE(Eventually([this] { return OthersAreComplete(); }));

  Fault ice = proxy_->faults().OnEvents(Requests::Watches().Of("pods")).Hold();
  RollOthers("app:1");
  Must(fleet_.Roll("app:1"));
  CreateJobs();
  const SteadyTime end = clock().DeadlineAfter(frozen);
  for (int mark = 0; clock().SteadyNow() < end; ++mark) {
    MarkAll<apps::v1::ReplicaSet>(space_, mark);
    MarkAll<StatefulSet>(others_, mark);
    MarkAll<DaemonSet>(others_, mark);
    MarkAll<Job>(others_, mark);
    clock().SleepFor(2s);  // lint: allow sleep: how long the watch stands still is what is tried
  }
  EXPECT_GT(ice.count(), 0);
  EXPECT_THAT(Must(history_->Broken()), IsEmpty());
  ice.Lift();

  Must(fleet_.AwaitComplete(120s));
  EXPECT_TRUE(Eventually([this] { return OthersAreComplete() && JobsAreComplete(); }));
  EXPECT_TRUE(Eventually([this] { return Must(history_->WrongAtRest()).empty(); }));
  ExpectAllSound();
}

}  // namespace
}  // namespace flyball::cluster
