// Simulated nodes and the scheduler on a real API server: what kubelets and kube-scheduler would
// have written is what is written.

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/events/v1.h"
#include "flyball/base/timers.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/runtime/event_sink.h"
#include "flyball/simulation/scheduler.h"
#include "flyball/simulation/simulated_nodes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/cluster_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using core::v1::Node;
using core::v1::Pod;
using simulation::SimulatedNodes;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

template <typename T>
T Must(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().Describe();
  return T();
}

/// "Ready=True", or with a reason "Ready=False(PodCompleted)", as kubelet ordered them.
std::vector<std::string> ConditionsOf(const Pod& pod) {
  std::vector<std::string> lines;
  for (const auto& condition : pod.status.conditions) {
    lines.push_back(condition.type + "=" + condition.status +
                    (condition.reason.empty() ? "" : "(" + condition.reason + ")"));
  }
  std::ranges::sort(lines);
  return lines;
}

std::string ConditionOf(const Node& node, const std::string& type) {
  for (const auto& condition : node.status.conditions) {
    if (condition.type == type) return condition.status;
  }
  return "none";
}

class SimulationTest : public ClusterTest {
 protected:
  static constexpr auto kPatience = 120s;

  SimulationTest() {
    // What the controller manager would do for a new namespace.
    core::v1::ServiceAccount account;
    account.metadata.namespace_ = space_;
    account.metadata.name = "default";
    Must(client_.Of<core::v1::ServiceAccount>().Create(account));
  }
  ~SimulationTest() override {
    scheduler_.reset();
    nodes_.reset();
    informers_.Stop();
    EXPECT_TRUE(sink_.Shutdown(clock().DeadlineAfter(kPatience)));
    // Nodes have no namespace: the next test is not to find them.
    for (const Node& node : Must(client_.Of<Node>().ListIn("")).items) {
      EXPECT_TRUE(client_.Of<Node>().Delete({"", node.metadata.name}));
    }
  }

  transport::HttpTransport::Options TransportOptions() {
    transport::HttpTransport::Options options;
    options.server = access_.server;
    options.tls = [this] { return credentials_->Tls(); };
    return options;
  }

  runtime::Controller::Deps Harness() {
    return {.client = client_, .informers = informers_, .executor = executor(), .timers = timers_};
  }

  /// So many nodes, and a scheduler; all quick.
  void Simulate(int count, const simulation::NodeShape& shape = {},
                const simulation::Timings& timings = {
                    .start = 300ms, .init = 0ms, .ready = 300ms, .run = 500ms, .stop = 100ms}) {
    SimulatedNodes::Options options;
    options.timings = timings;
    options.heartbeats.clear_not_ready_taint = true;
    nodes_ = std::make_unique<SimulatedNodes>(SimulatedNodes::Deps{.harness = Harness()}, options);
    for (int i = 0; i < count; ++i) nodes_->Add("node-" + std::to_string(i), shape);
    scheduler_ = simulation::MakeScheduler(Harness(), {.events = &recorder_});
    informers_.Start();
    EXPECT_TRUE(informers_.WaitForSync({}));
    nodes_->Start();
    scheduler_->Start();
    EXPECT_TRUE(Eventually([&] {
      const auto all = Must(client_.Of<Node>().ListIn("")).items;
      return static_cast<int>(std::ranges::count_if(all, [](const Node& node) {
               return ConditionOf(node, "Ready") == "True" && node.spec.taints.empty();
             })) == count;
    }));
  }

  static bool Eventually(const std::function<bool()>& so) {
    const SteadyTime deadline = clock().SteadyNow() + kPatience;
    while (clock().SteadyNow() < deadline) {
      if (so()) return true;
      clock().SleepFor(50ms);
    }
    return so();
  }

  Pod MakePod(const std::string& name, const std::string& cpu = "100m") {
    Pod pod;
    pod.metadata.namespace_ = space_;
    pod.metadata.name = name;
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "registry.example.com/app:1";
    container.resources.requests["cpu"] = Must(api::Quantity::Parse(cpu));
    return pod;
  }
  Pod Create(const Pod& pod) { return Must(pods_.Create(pod)); }
  Pod Get(const std::string& name) { return Must(pods_.Get({space_, name})); }

  /// Waits until the pod is so.
  Pod Await(const std::string& name, const std::function<bool(const Pod&)>& so) {
    Pod pod;
    EXPECT_TRUE(Eventually([&] {
      pod = Get(name);
      return so(pod);
    })) << name
        << " is " << pod.status.phase << " " << testing::PrintToString(ConditionsOf(pod));
    return pod;
  }
  static bool IsReady(const Pod& pod) {
    return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
      return condition.type == "Ready" && condition.status == "True";
    });
  }

  const std::string space_ = NewNamespace();
  const client::AccessConfig access_ = Must(client::ToolAccess(
      Must(plane().WriteKubeconfig("simulation", {.token = plane().admin_token()})).string(), {},
      {}, {}));
  const std::unique_ptr<client::Credentials> credentials_ =
      *client::Credentials::Create(access_, {.clock = clock()});
  transport::HttpTransport transport_{network(), TransportOptions()};
  client::RestClient rest_{
      {.transport = transport_, .clock = clock(), .credentials = credentials_.get()}, {}};
  const client::Client client_{rest_};
  const client::ResourceClient<Pod> pods_ = client_.Of<Pod>();
  std::mt19937_64 random_;
  Timers timers_{executor()};
  runtime::EventSink sink_{
      {.executor = executor(), .client = client_, .random = [this] { return random_(); }}};
  runtime::SeriesEventRecorder recorder_{
      sink_, timers_, {.controller = "default-scheduler", .instance = "default-scheduler-test"}};
  cache::InformerFactory informers_{
      {.client = client_, .executor = executor(), .timers = timers_, .random = [] { return 0.5; }}};
  std::unique_ptr<SimulatedNodes> nodes_;
  std::unique_ptr<runtime::Controller> scheduler_;
};

TEST_F(SimulationTest, NodesAreReadyAndHoldTheirLeases) {
  Simulate(3);
  const Node node = Must(client_.Of<Node>().Get({"", "node-1"}));
  EXPECT_EQ(node.metadata.labels.find("kubernetes.io/hostname")[0], "node-1");
  EXPECT_EQ(node.status.allocatable.find("cpu")->ToString(), "8");
  ASSERT_THAT(node.status.addresses, SizeIs(2));
  EXPECT_EQ(node.status.addresses[0].type, "InternalIP");
  EXPECT_EQ(ConditionOf(node, "MemoryPressure"), "False");
  EXPECT_TRUE(Eventually([&] {
    const auto lease = client_.Of<coordination::v1::Lease>().Get({"kube-node-lease", "node-1"});
    return lease && lease->spec.holderIdentity == "node-1" &&
           lease->spec.leaseDurationSeconds == 40 &&
           lease->metadata.ownerReferences.at(0).uid == node.metadata.uid;
  }));
}

TEST_F(SimulationTest, APodIsScheduledRunsBecomesReadyAndGoesGracefully) {
  Simulate(2);
  Create(MakePod("web"));
  const Pod pod = Await("web", IsReady);
  EXPECT_EQ(pod.status.phase, "Running");
  EXPECT_THAT(ConditionsOf(pod),
              ElementsAre("ContainersReady=True", "Initialized=True",
                          "PodReadyToStartContainers=True", "PodScheduled=True", "Ready=True"));
  EXPECT_EQ(pod.status.observedGeneration, pod.metadata.generation);
  EXPECT_THAT(pod.status.podIP, StartsWith("10."));
  EXPECT_THAT(pod.status.hostIP, StartsWith("172.16."));
  EXPECT_TRUE(pod.status.startTime.has_value());
  ASSERT_THAT(pod.status.containerStatuses, SizeIs(1));
  const auto& container = pod.status.containerStatuses[0];
  EXPECT_TRUE(container.ready && container.started == true && container.state.running);
  EXPECT_THAT(container.containerID, StartsWith("containerd://"));
  EXPECT_THAT(container.imageID, StartsWith("registry.example.com/app:1@sha256:"));

  EXPECT_TRUE(pods_.Delete({space_, "web"}));
  EXPECT_TRUE(Get("web").metadata.deletionTimestamp.has_value());
  EXPECT_TRUE(Eventually([&] {
    const auto gone = pods_.Get({space_, "web"});
    return !gone && gone.error().code() == ErrorCode::kNotFound;
  }));
  EXPECT_TRUE(Eventually([&] {
    const auto events = Must(client_.Of<events::v1::Event>().ListIn(space_)).items;
    return std::ranges::any_of(events, [&](const auto& event) {
      return event.reason == "Scheduled" &&
             event.note == "Successfully assigned " + space_ + "/web to " + pod.spec.nodeName;
    });
  }));
}

TEST_F(SimulationTest, AHostNetworkPodHasTheAddressOfItsNode) {
  Simulate(1);
  Pod pod = MakePod("host");
  pod.spec.hostNetwork = true;
  pod.spec.nodeName = "node-0";  // no scheduler was asked
  Create(pod);
  pod = Await("host", IsReady);
  EXPECT_EQ(pod.status.podIP, pod.status.hostIP);
  EXPECT_THAT(ConditionsOf(pod), testing::Contains("PodScheduled=True"));
}

TEST_F(SimulationTest, APodOfAJobSucceedsOrFails) {
  Simulate(1);
  Pod good = MakePod("good");
  good.spec.restartPolicy = "Never";
  Create(good);
  Pod bad = MakePod("bad");
  bad.spec.restartPolicy = "Never";
  bad.metadata.annotations["simulation.flyball.dev/exit-code"] = "3";
  bad.metadata.annotations["simulation.flyball.dev/run-time"] = "100ms";
  Create(bad);
  good = Await("good", [](const Pod& pod) { return pod.status.phase == "Succeeded"; });
  EXPECT_THAT(ConditionsOf(good),
              ElementsAre("ContainersReady=False(PodCompleted)", "Initialized=True(PodCompleted)",
                          "PodReadyToStartContainers=False(PodSandboxNotReady)",
                          "PodScheduled=True", "Ready=False(PodCompleted)"));
  bad = Await("bad", [](const Pod& pod) { return pod.status.phase == "Failed"; });
  ASSERT_TRUE(bad.status.containerStatuses.at(0).state.terminated);
  EXPECT_EQ(bad.status.containerStatuses[0].state.terminated->exitCode, 3);
  EXPECT_EQ(bad.status.containerStatuses[0].state.terminated->reason, "Error");
  // What is over goes at once.
  EXPECT_TRUE(pods_.Delete({space_, "good"}));
  EXPECT_TRUE(Eventually([&] { return !pods_.Get({space_, "good"}); }));
}

TEST_F(SimulationTest, InitContainersAndSidecarsComeFirst) {
  Simulate(1);
  Pod pod = MakePod("staged");
  auto& init = pod.spec.initContainers.emplace_back();
  init.name = "prepare";
  init.image = "prepare:1";
  auto& sidecar = pod.spec.initContainers.emplace_back();
  sidecar.name = "proxy";
  sidecar.image = "proxy:1";
  sidecar.restartPolicy = "Always";
  pod.spec.restartPolicy = "Never";
  Create(pod);
  pod = Await("staged", [](const Pod& its) { return its.status.phase == "Succeeded"; });
  ASSERT_THAT(pod.status.initContainerStatuses, SizeIs(2));
  for (const auto& status : pod.status.initContainerStatuses) {
    ASSERT_TRUE(status.state.terminated) << status.name;
    EXPECT_EQ(status.state.terminated->reason, "Completed");
  }
}

TEST_F(SimulationTest, ACrashingContainerIsWaitedWith) {
  Simulate(1);
  Pod pod = MakePod("crash");
  pod.metadata.annotations["simulation.flyball.dev/crash"] = "true";
  pod.metadata.annotations["simulation.flyball.dev/run-time"] = "200ms";
  Create(pod);
  pod = Await("crash", [](const Pod& its) {
    return its.status.containerStatuses.size() == 1 &&
           its.status.containerStatuses[0].state.waiting &&
           its.status.containerStatuses[0].state.waiting->reason == "CrashLoopBackOff";
  });
  const auto& status = pod.status.containerStatuses[0];
  EXPECT_EQ(status.state.waiting->message,
            "back-off 10s restarting failed container=main pod=crash_" + space_ + "(" +
                pod.metadata.uid + ")");
  EXPECT_EQ(status.restartCount, 1);
  ASSERT_TRUE(status.lastState.terminated);
  EXPECT_EQ(status.lastState.terminated->exitCode, 1);
  EXPECT_EQ(pod.status.phase, "Running");
  EXPECT_FALSE(IsReady(pod));
}

TEST_F(SimulationTest, AnImageThatCannotBeHadKeepsAPodPending) {
  Simulate(1);
  Pod pod = MakePod("pull");
  pod.metadata.annotations["simulation.flyball.dev/image-pull"] = "error";
  Create(pod);
  const auto waits_for = [](const std::string& reason) {
    return [reason](const Pod& its) {
      return its.status.containerStatuses.size() == 1 &&
             its.status.containerStatuses[0].state.waiting &&
             its.status.containerStatuses[0].state.waiting->reason == reason;
    };
  };
  Await("pull", waits_for("ErrImagePull"));
  pod = Await("pull", waits_for("ImagePullBackOff"));
  EXPECT_EQ(pod.status.phase, "Pending");
  EXPECT_THAT(ConditionsOf(pod), testing::Contains("PodReadyToStartContainers=True"));
}

TEST_F(SimulationTest, AReadinessGateIsSomebodyElsesToOpen) {
  Simulate(1);
  Pod pod = MakePod("gated");
  pod.spec.readinessGates.emplace_back().conditionType = "example.com/go";
  Create(pod);
  Await("gated", [](const Pod& its) {
    return std::ranges::any_of(its.status.conditions, [](const auto& condition) {
      return condition.type == "Ready" && condition.reason == "ReadinessGatesNotReady";
    });
  });
  Must(pods_.Patch({space_, "gated"},
                   {client::PatchType::kStrategic,
                    R"({"status":{"conditions":[{"type":"example.com/go","status":"True"}]}})"},
                   {}, "status"));
  pod = Await("gated", IsReady);
  EXPECT_THAT(ConditionsOf(pod), testing::Contains("example.com/go=True"));
}

TEST_F(SimulationTest, APodThatFitsNowhereIsToldWhyAndGoesWhereItFitsLater) {
  Simulate(2, {.cpu = "1"});
  Create(MakePod("large", "4"));
  const std::string problem =
      "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 "
      "Preemption is not helpful for scheduling.";
  const Pod refused = Await("large", [](const Pod& pod) { return !pod.status.conditions.empty(); });
  ASSERT_THAT(refused.status.conditions, SizeIs(1));
  EXPECT_EQ(refused.status.conditions[0].type, "PodScheduled");
  EXPECT_EQ(refused.status.conditions[0].status, "False");
  EXPECT_EQ(refused.status.conditions[0].reason, "Unschedulable");
  EXPECT_EQ(refused.status.conditions[0].message, problem);
  EXPECT_TRUE(Eventually([&] {
    const auto events = Must(client_.Of<events::v1::Event>().ListIn(space_)).items;
    return std::ranges::any_of(events, [&](const auto& event) {
      return event.reason == "FailedScheduling" && event.note == problem;
    });
  }));
  nodes_->Add("node-large", {.cpu = "16"});
  EXPECT_EQ(Await("large", IsReady).spec.nodeName, "node-large");
}

TEST_F(SimulationTest, ASchedulingGateHoldsAPodBack) {
  Simulate(1);
  Pod pod = MakePod("held");
  pod.spec.schedulingGates.emplace_back().name = "example.com/wait";
  Create(pod);
  Create(MakePod("other"));
  Await("other", IsReady);
  EXPECT_THAT(ConditionsOf(Get("held")), ElementsAre("PodScheduled=False(SchedulingGated)"));
  Must(pods_.Patch({space_, "held"},
                   {client::PatchType::kMerge, R"({"spec":{"schedulingGates":null}})"}));
  Await("held", IsReady);
}

TEST_F(SimulationTest, NothingIsHeardOfASilentNodeUntilItReturns) {
  Simulate(1);
  Create(MakePod("before"));
  Await("before", IsReady);
  Must(client_.Of<Node>().Patch(
      {"", "node-0"},
      {client::PatchType::kMerge,
       R"({"metadata":{"annotations":{"simulation.flyball.dev/silent":"true"}}})"}));
  // As the node lifecycle controller would.
  Must(client_.Of<Node>().Patch(
      {"", "node-0"},
      {client::PatchType::kStrategic,
       R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})"},
      {}, "status"));
  Must(pods_.Patch({space_, "before"},
                   {client::PatchType::kStrategic,
                    R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})"},
                   {}, "status"));
  Create(MakePod("during"));
  EXPECT_TRUE(pods_.Delete({space_, "before"}));
  Await("during", [](const Pod& pod) { return !pod.spec.nodeName.empty(); });
  clock().SleepFor(2s);  // lint: allow sleep: a silent node writes nothing to wait for
  EXPECT_EQ(Get("during").status.phase, "Pending");
  EXPECT_THAT(Get("during").status.containerStatuses, IsEmpty());
  EXPECT_TRUE(Get("before").metadata.deletionTimestamp.has_value());
  EXPECT_EQ(ConditionOf(Must(client_.Of<Node>().Get({"", "node-0"})), "Ready"), "Unknown");

  Must(client_.Of<Node>().Patch(
      {"", "node-0"}, {client::PatchType::kMerge,
                       R"({"metadata":{"annotations":{"simulation.flyball.dev/silent":null}}})"}));
  Await("during", IsReady);
  EXPECT_TRUE(Eventually([&] { return !pods_.Get({space_, "before"}); }));
  EXPECT_EQ(ConditionOf(Must(client_.Of<Node>().Get({"", "node-0"})), "Ready"), "True");
}

/// FLYBALL_SIMULATION_PODS asks for more of them.
TEST_F(SimulationTest, ManyPodsOnManyNodesBecomeReady) {
  const char* const asked = std::getenv("FLYBALL_SIMULATION_PODS");
  const int count = asked == nullptr ? 200 : std::stoi(asked);
  // What takes no time is written at once.
  Simulate(std::max(10, count / 10), {}, {.start = 0ms, .ready = 0ms});
  std::atomic<int> ready = 0;
  const auto watching = informers_.Of<views::KubeletPod>().AddHandler(
      "count", {.updated = [&](const auto& old, const auto& now) {
        const auto is_ready = [](const views::KubeletPod& pod) {
          return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
            return condition.type == "Ready" && condition.status == "True";
          });
        };
        if (is_ready(*now) && !is_ready(*old)) ++ready;
      }});
  const SteadyTime start = clock().SteadyNow();
  std::vector<client::Pending<Pod>> created;
  for (int i = 0; i < count; ++i) {
    created.push_back(pods_.Async().Create(MakePod("pod-" + std::to_string(i), "50m")));
    if (created.size() < 100) continue;
    for (auto& pod : std::exchange(created, {})) EXPECT_TRUE(pod.Wait());
  }
  for (auto& pod : created) EXPECT_TRUE(pod.Wait());
  const auto created_after = clock().SteadyNow() - start;
  EXPECT_TRUE(Eventually([&] { return ready == count; })) << ready;
  const auto ready_after = clock().SteadyNow() - start;
  std::cout << count << " pods created after " << created_after / 1ms << " ms, ready after "
            << ready_after / 1ms << " ms\n";
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  std::cout << "CPU of this process " << used.ru_utime.tv_sec + used.ru_stime.tv_sec
            << " s, at most " << used.ru_maxrss / 1024 << " MB resident\n";
}

}  // namespace
}  // namespace flyball::cluster
