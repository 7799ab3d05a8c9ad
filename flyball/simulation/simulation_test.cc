// Simulated nodes and the scheduler together, on an API server in memory: hours pass in no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/scheduling/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/sandbox/write_journal.h"
#include "flyball/simulation/scheduler.h"
#include "flyball/simulation/simulated_nodes.h"
#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;
using core::v1::Node;
using core::v1::Pod;
using sandbox::Requests;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class SimulationTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  SimulationTest() {
    // What a controller manager would see to.
    core::v1::Namespace space;
    space.metadata.name = "ns";
    EXPECT_TRUE(client_.Of<core::v1::Namespace>().Create(space));
    core::v1::ServiceAccount account;
    account.metadata.namespace_ = "ns";
    account.metadata.name = "default";
    EXPECT_TRUE(client_.Of<core::v1::ServiceAccount>().Create(account));
    seen_ = journal_.lines().size();

    faults_.OnEvents(Requests::Watches()).Delay(10ms);
    const runtime::Controller::Deps deps{
        .client = client_, .informers = informers_, .executor = executor_, .timers = timers_};
    SimulatedNodes::Options options;
    options.timings = {.start = 1s, .init = 1s, .ready = 1s, .run = 5s, .stop = 2s};
    options.heartbeats.clear_not_ready_taint = true;
    nodes_ =
        std::make_unique<SimulatedNodes>(SimulatedNodes::Deps{.harness = deps,
                                                              .client_of =
                                                                  [this](const std::string& node) {
                                                                    spoke_.push_back(node);
                                                                    return client_;
                                                                  }},
                                         options);
    scheduler_ = MakeScheduler(deps, {});
  }

  /// Runs all of it with what a test does meanwhile.
  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      informers_.Start();
      EXPECT_TRUE(informers_.WaitForSync({}));
      nodes_->Start();
      scheduler_->Start();
      Pass(1s);
      test();
      scheduler_.reset();
      nodes_.reset();
      informers_.Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(48));
    EXPECT_TRUE(done) << report.Describe();
  }
  void Pass(std::chrono::nanoseconds span) { executor_.clock().SleepFor(span); }

  void Create(Pod pod) {
    pod.metadata.uid.clear();
    const auto created = pods_.Create(pod);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  Pod Get(const std::string& name) {
    auto pod = pods_.Get({"ns", name});
    return pod ? *std::move(pod) : Pod();
  }
  static std::string Ready(const Pod& pod) {
    for (const auto& condition : pod.status.conditions) {
      if (condition.type == "Ready") return condition.status;
    }
    return "none";
  }
  /// What was written since the last time, without leases.
  std::vector<std::string> Writes() {
    std::vector<std::string> writes = journal_.lines();
    std::vector<std::string> fresh(writes.begin() + static_cast<std::ptrdiff_t>(seen_),
                                   writes.end());
    seen_ = writes.size();
    std::erase_if(fresh, [](const std::string& line) { return line.contains("leases"); });
    return fresh;
  }
  std::size_t LeaseWrites() const {
    const auto writes = journal_.lines();
    return static_cast<std::size_t>(std::ranges::count_if(
        writes, [](const std::string& line) { return line.contains("leases"); }));
  }

  DeterministicExecutor executor_{GetParam(), {.max_steps = 10'000'000}};
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = GetParam()}};
  sandbox::WriteJournal journal_{sandbox_.transport()};
  sandbox::Faults faults_{journal_, executor_, GetParam()};
  sandbox::Session session_{faults_, executor_.clock()};
  const client::Client& client_ = session_.client();
  client::ResourceClient<Pod> pods_ = client_.Of<Pod>();
  cache::InformerFactory informers_{
      {.client = client_, .executor = executor_, .timers = timers_, .random = [] { return 0.5; }}};
  std::vector<std::string> spoke_;
  std::size_t seen_ = 0;
  std::unique_ptr<SimulatedNodes> nodes_;
  std::unique_ptr<runtime::Controller> scheduler_;
};

INSTANTIATE_TEST_SUITE_P(Seeds, SimulationTest, testing::Range<std::uint64_t>(1, 6));

TEST_P(SimulationTest, ANodeRegistersAndIsHeardOfAsOftenAsAKubelet) {
  nodes_->Add("node");
  Play([&] {
    // It is admitted with a taint, which goes when the node is ready.
    EXPECT_THAT(Writes(), ElementsAre("create nodes node", "patch nodes node"));
    EXPECT_EQ(LeaseWrites(), 1U);
    Pass(1h);
    EXPECT_EQ(LeaseWrites(), 361U);
    // The first after between half and one and a half times the five minutes.
    const auto writes = Writes();
    EXPECT_THAT(writes, Each("patch nodes/status node"));
    EXPECT_THAT(writes.size(), testing::AnyOf(11U, 12U));
  });
}

TEST_P(SimulationTest, APodIsWrittenAsOftenAsItChanges) {
  nodes_->Add("node");
  Play([&] {
    (void)Writes();
    Create(PodNamed("web", "1"));
    Pass(10s);
    EXPECT_EQ(Ready(Get("web")), "True");
    EXPECT_EQ(Get("web").status.podIP, "10.0.0.2");
    EXPECT_THAT(Writes(), ElementsAre("create pods ns/web", "create pods/binding ns/web",
                                      "patch pods/status ns/web", "patch pods/status ns/web",
                                      "patch pods/status ns/web"));
    EXPECT_TRUE(pods_.Delete({"ns", "web"}));
    Pass(1s);
    EXPECT_EQ(Get("web").status.phase, "Running");
    Pass(2s);
    EXPECT_EQ(Get("web").metadata.name, "");
    // A deletion is a new generation, which the first status says has been seen.
    EXPECT_THAT(Writes(), ElementsAre("delete pods ns/web", "patch pods/status ns/web",
                                      "patch pods/status ns/web", "delete pods ns/web"));
  });
}

TEST_P(SimulationTest, AJobsPodCompletesAndIsLeftAlone) {
  nodes_->Add("node");
  Play([&] {
    Pod job = PodNamed("job");
    job.spec.restartPolicy = "Never";
    Create(job);
    Pass(10s);
    EXPECT_EQ(Get("job").status.phase, "Succeeded");
    (void)Writes();
    Pass(1h);
    EXPECT_THAT(Writes(), Each("patch nodes/status node"));
  });
}

TEST_P(SimulationTest, AnAddressIsGivenOnAndNotTakenAwayAgain) {
  nodes_->Add("node");
  Play([&] {
    EXPECT_TRUE(client_.Of<Node>().Patch(
        {"", "node"}, {client::PatchType::kMerge, R"({"spec":{"podCIDR":"10.9.9.0/29"}})"}));
    Pod job = PodNamed("job");
    job.spec.restartPolicy = "Never";
    Create(job);
    Pass(10s);
    EXPECT_EQ(Get("job").status.podIP, "10.9.9.2");
    // Five addresses there are, and one has been given back.
    std::vector<std::string> addresses;
    for (int i = 0; i < 5; ++i) {
      Create(PodNamed("pod-" + std::to_string(i)));
      Pass(5s);
      addresses.push_back(Get("pod-" + std::to_string(i)).status.podIP);
    }
    EXPECT_THAT(addresses, ElementsAre("10.9.9.3", "10.9.9.4", "10.9.9.5", "10.9.9.6", "10.9.9.2"));
    EXPECT_TRUE(pods_.Delete({"ns", "job"}));
    Pass(5s);
    Create(PodNamed("one-too-many"));
    Pass(5s);
    EXPECT_EQ(Get("one-too-many").status.podIP, "");
  });
}

TEST_P(SimulationTest, ACrashLoopGoesOnForHours) {
  nodes_->Add("node");
  Play([&] {
    Pod pod = PodNamed("crash");
    pod.metadata.annotations["simulation.flyball.dev/crash"] = "true";
    Create(pod);
    Pass(2h);
    const Pod now = Get("crash");
    // 1, 10, 20, 40, 80, 160 s, and from then on 300 s between two.
    EXPECT_EQ(now.status.containerStatuses.at(0).restartCount, 28);
    EXPECT_EQ(now.status.phase, "Running");
  });
}

TEST_P(SimulationTest, ReadinessFollowsTheAnnotation) {
  nodes_->Add("node");
  Play([&] {
    Create(PodNamed("web"));
    Pass(10s);
    EXPECT_EQ(Ready(Get("web")), "True");
    const auto annotate = [&](const std::string& value) {
      EXPECT_TRUE(pods_.Patch(
          {"ns", "web"},
          {client::PatchType::kMerge,
           R"({"metadata":{"annotations":{"simulation.flyball.dev/ready":)" + value + "}}}"}));
      Pass(1s);
    };
    annotate(R"("false")");
    EXPECT_EQ(Ready(Get("web")), "False");
    annotate("null");
    EXPECT_EQ(Ready(Get("web")), "True");
  });
}

TEST_P(SimulationTest, WhatOthersWriteIntoAStatusIsPutRight) {
  nodes_->Add("node");
  Play([&] {
    Create(PodNamed("web"));
    Pass(10s);
    EXPECT_TRUE(pods_.Patch({"ns", "web"},
                            {client::PatchType::kStrategic,
                             R"({"status":{"conditions":[{"type":"Ready","status":"False"},)"
                             R"({"type":"example.com/mine","status":"True"}]}})"},
                            {}, "status"));
    Pass(1s);
    const Pod pod = Get("web");
    EXPECT_EQ(Ready(pod), "True");
    EXPECT_EQ(pod.status.conditions.size(), 6U);
  });
}

TEST_P(SimulationTest, ASilentNodeIsNotHeardOfAndItsPodsGoOnWhenItReturns) {
  nodes_->Add("node");
  Play([&] {
    Create(PodNamed("web"));
    Pass(10s);
    nodes_->SetSilent("node", true);
    Create(PodNamed("late"));
    EXPECT_TRUE(pods_.Delete({"ns", "web"}));
    Pass(1s);
    (void)Writes();
    const std::size_t leases = LeaseWrites();
    Pass(1h);
    EXPECT_THAT(Writes(), IsEmpty());
    EXPECT_EQ(LeaseWrites(), leases);
    nodes_->SetSilent("node", false);
    Pass(5s);
    EXPECT_EQ(LeaseWrites(), leases + 1);
    EXPECT_EQ(Ready(Get("late")), "True");
    EXPECT_EQ(Get("web").metadata.name, "");
  });
}

TEST_P(SimulationTest, TheMostImportantPodGetsTheRoomThatBecomesFree) {
  nodes_->Add("node", {.cpu = "1"});
  Play([&] {
    Create(PodNamed("first", "1"));
    Pass(5s);
    Create(PodNamed("second", "1"));
    scheduling::v1::PriorityClass first_of_all;
    first_of_all.metadata.name = "first-of-all";
    first_of_all.value = 1000;
    EXPECT_TRUE(client_.Of<scheduling::v1::PriorityClass>().Create(first_of_all));
    Pod urgent = PodNamed("urgent", "1");
    urgent.spec.priorityClassName = "first-of-all";
    urgent.spec.restartPolicy = "Never";
    urgent.metadata.annotations["simulation.flyball.dev/run-time"] = "forever";
    Create(urgent);
    Pass(30s);
    EXPECT_EQ(Get("second").status.conditions.at(0).reason, "Unschedulable");
    EXPECT_EQ(Get("urgent").status.conditions.at(0).message,
              "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 "
              "No preemption victims found for incoming pod.");
    (void)Writes();
    Pass(2min);  // nobody says again what has been said
    EXPECT_THAT(Writes(), Each("patch nodes/status node"));
    EXPECT_TRUE(pods_.Delete({"ns", "first"}));
    Pass(30s);
    EXPECT_EQ(Get("urgent").spec.nodeName, "node");
    EXPECT_EQ(Get("second").spec.nodeName, "");
    // What is over takes no room.
    EXPECT_TRUE(
        pods_.Patch({"ns", "urgent"},
                    {client::PatchType::kMerge,
                     R"({"metadata":{"annotations":{"simulation.flyball.dev/run-time":"0s"}}})"}));
    Pass(30s);
    EXPECT_EQ(Get("second").spec.nodeName, "node");
  });
}

TEST_P(SimulationTest, EachNodeSpeaksForItself) {
  nodes_->Add("a");
  nodes_->Add("b");
  Play([&] {
    Pod pod = PodNamed("pod");
    pod.spec.nodeName = "b";
    Pass(1s);
    spoke_.clear();
    Create(pod);
    Pass(5s);
    EXPECT_THAT(spoke_, Not(IsEmpty()));
    EXPECT_THAT(spoke_, Each("b"));
  });
}

TEST_P(SimulationTest, AnswersThatGetLostDoNotMatter) {
  nodes_->Add("a");
  nodes_->Add("b");
  Play([&] {
    for (int i = 0; i < 20; ++i) Create(PodNamed("pod-" + std::to_string(i), "100m"));
    sandbox::Fault lost = faults_.On(Requests::Writes()).Every(3).LoseAnswer();
    Pass(3min);
    lost.Lift();
    Pass(3min);
    EXPECT_GE(lost.count(), 20);
    std::vector<std::string> addresses;
    for (int i = 0; i < 20; ++i) {
      const Pod pod = Get("pod-" + std::to_string(i));
      EXPECT_EQ(Ready(pod), "True");
      addresses.push_back(pod.status.podIP);
    }
    std::ranges::sort(addresses);
    EXPECT_EQ(std::ranges::adjacent_find(addresses), addresses.end());
  });
}

}  // namespace
}  // namespace flyball::simulation
