#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/controllers/common/internal/undecodable_fake.h"
#include "flyball/sandbox/sandbox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/faults/incarnation.h"

/// Objects that the manager cannot decode, under all of its controllers.
namespace flyball::faults {
namespace {

using namespace std::chrono_literals;
using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using batch::v1::Job;
using core::v1::Namespace;
using core::v1::Pod;
using sandbox::Requests;

using controllers::Garble;
using controllers::kUndecodable;

class UnreadableObjectsTest : public testing::Test {
 protected:
  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      const auto started = manager_.Start();
      EXPECT_TRUE(started) << started.error().Describe();
      Namespace team;
      team.metadata.name = "team";
      EXPECT_TRUE(sandbox_.client().Of<Namespace>().Create(team));
      Pass(10s);
      test();
      manager_.Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(100));
    EXPECT_TRUE(done) << report.Describe();
  }
  /// However the manager reads them.
  void GarblePods() {
    manager_.line().OnEvents(Requests::Watches().Of("pods")).Rewrite(Garble);
    manager_.line().On(Requests::Lists().Of("pods")).RewriteAnswer(Garble);
    manager_.line().On(Requests::Gets().Of("pods")).RewriteAnswer(Garble);
  }
  /// What a scheduler and a kubelet do: pods run on a node, and take their time to go.
  void RunPodsOn(const std::string& node) {
    for (Pod pod : All<Pod>()) {
      if (pod.metadata.deletionTimestamp) {
        meta::v1::DeleteOptions now;
        now.gracePeriodSeconds = 0;
        EXPECT_TRUE(sandbox_.client().Of<Pod>().Delete({"team", pod.metadata.name}, now));
        continue;
      }
      if (!pod.spec.nodeName.empty()) continue;
      core::v1::Binding binding;
      binding.metadata.namespace_ = "team";
      binding.metadata.name = pod.metadata.name;
      binding.target.kind = "Node";
      binding.target.name = node;
      EXPECT_TRUE(sandbox_.client().Bind(binding));
      pod = *sandbox_.client().Of<Pod>().Get({"team", pod.metadata.name});
      pod.status.phase = "Running";
      core::v1::PodCondition& ready = pod.status.conditions.emplace_back();
      ready.type = "Ready";
      ready.status = "True";
      EXPECT_TRUE(sandbox_.client().Of<Pod>().UpdateStatus(pod));
    }
  }
  void Pass(std::chrono::nanoseconds span) { executor_.clock().SleepFor(span); }

  template <typename T>
  void Create(T object) {
    object.metadata.namespace_ = "team";
    const auto created = sandbox_.client().Of<T>().Create(object);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  template <typename T>
  std::vector<T> All() {
    auto list = sandbox_.client().Of<T>().ListIn("team");
    EXPECT_TRUE(list) << list.error().Describe();
    return list ? std::move(list->items) : std::vector<T>();
  }
  /// What a person does with `kubectl delete namespace`, and whether it comes to its end.
  bool NamespaceEnds() {
    EXPECT_TRUE(sandbox_.client().Of<Namespace>().Delete({"", "team"}));
    Pass(10min);
    const auto left = sandbox_.client().Of<Namespace>().Get({"", "team"});
    return !left && left.error().code() == ErrorCode::kNotFound;
  }

  DeterministicExecutor executor_{1, {.max_steps = 10'000'000}};
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = 1}};
  std::unique_ptr<transport::Transport> server_ = sandbox_.server().As(
      {.name = "system:kube-controller-manager", .groups = {"system:masters"}});
  std::mt19937_64 dice_{1};
  Incarnation manager_{{.executor = executor_,
                        .server = *server_,
                        .random = [this] { return dice_(); },
                        .setup = ManagerSetup::OfAll({})}};
};

core::v1::PodTemplateSpec Template(std::string_view image) {
  core::v1::PodTemplateSpec pods;
  pods.metadata.labels["app"] = "web";
  core::v1::Container& container = pods.spec.containers.emplace_back();
  container.name = "web";
  container.image = image;
  return pods;
}

Deployment Web(const std::string& name, std::string_view image) {
  Deployment web;
  web.metadata.name = name;
  web.spec.replicas = 3;
  web.spec.selector.emplace().matchLabels["app"] = "web";
  web.spec.selector->matchLabels["name"] = name;
  web.spec.template_ = Template(image);
  web.spec.template_.metadata.labels["name"] = name;
  return web;
}

TEST_F(UnreadableObjectsTest, DeploymentWhosePodsCannotBeDecodedMakesItsReplicasAndCanBeDeleted) {
  GarblePods();
  Play([this] {
    Create(Web("web", kUndecodable));
    Pass(1h);
    EXPECT_EQ(All<Pod>().size(), 3u);
    EXPECT_EQ(All<ReplicaSet>().size(), 1u);

    EXPECT_TRUE(sandbox_.client().Of<Deployment>().Delete({"team", "web"}));
    Pass(10min);
    EXPECT_EQ(All<ReplicaSet>().size(), 0u);
    EXPECT_EQ(All<Pod>().size(), 0u);
  });
}

TEST_F(UnreadableObjectsTest, PodsThatRunOnANodeAreNeitherDoubledNorLost) {
  GarblePods();
  Play([this] {
    core::v1::Node node;
    node.metadata.name = "node-1";
    ASSERT_TRUE(sandbox_.client().Of<core::v1::Node>().Create(node));
    Create(Web("web", kUndecodable));
    Pass(10s);
    RunPodsOn("node-1");
    const std::vector<Pod> running = All<Pod>();
    ASSERT_EQ(running.size(), 3u);
    Pass(1h);
    const std::vector<Pod> still = All<Pod>();
    ASSERT_EQ(still.size(), 3u);
    for (std::size_t i = 0; i < still.size(); ++i) {
      EXPECT_EQ(still[i].metadata.uid, running[i].metadata.uid);
      EXPECT_FALSE(still[i].metadata.deletionTimestamp);
    }
    EXPECT_TRUE(sandbox_.client().Of<Deployment>().Delete({"team", "web"}));
    Pass(1min);
    RunPodsOn("node-1");
    Pass(10min);
    EXPECT_EQ(All<Pod>().size(), 0u);
    EXPECT_EQ(All<ReplicaSet>().size(), 0u);
  });
}

TEST_F(UnreadableObjectsTest, NamespaceOfPodsThatCannotBeDecodedEnds) {
  GarblePods();
  Play([this] {
    Create(Web("web", kUndecodable));
    Pass(1h);
    EXPECT_EQ(All<Pod>().size(), 3u);
    EXPECT_TRUE(NamespaceEnds());
  });
}

TEST_F(UnreadableObjectsTest, DeploymentThatCannotBeDecodedDoesNotStopTheOthers) {
  // The pods' and ReplicaSets' own events are left as they are.
  sandbox::Fault garbled =
      manager_.line().OnEvents(Requests::Watches().Of("deployments")).Rewrite(Garble);
  Play([&] {
    Create(Web("poisoned", kUndecodable));
    Create(Web("web", "nginx"));
    Pass(10min);
    const auto sets = All<ReplicaSet>();
    ASSERT_EQ(sets.size(), 1u);
    EXPECT_TRUE(sets[0].metadata.name.starts_with("web-"));
    EXPECT_EQ(All<Pod>().size(), 3u);
    // Nothing was written to what could not be read.
    for (const Deployment& deployment : All<Deployment>()) {
      EXPECT_EQ(deployment.status.observedGeneration, deployment.metadata.name == "web" ? 1 : 0);
    }

    // What can be decoded is handled like any other.
    garbled.Lift();
    auto poisoned = sandbox_.client().Of<Deployment>().Get({"team", "poisoned"});
    ASSERT_TRUE(poisoned);
    poisoned->metadata.annotations["touched"] = "yes";
    EXPECT_TRUE(sandbox_.client().Of<Deployment>().Update(*poisoned));
    Pass(10min);
    EXPECT_EQ(All<ReplicaSet>().size(), 2u);
    EXPECT_EQ(All<Pod>().size(), 6u);
  });
}

TEST_F(UnreadableObjectsTest, DeploymentDoesNotReplaceReplicaSetsThatCannotBeDecoded) {
  manager_.line().OnEvents(Requests::Watches().Of("replicasets")).Rewrite(Garble);
  Play([this] {
    Create(Web("web", kUndecodable));
    Pass(1h);
    EXPECT_EQ(All<ReplicaSet>().size(), 1u);
    EXPECT_EQ(All<Pod>().size(), 0u);
  });
}

TEST_F(UnreadableObjectsTest, DaemonSetMakesOnePodANodeThoughItCannotDecodeThem) {
  GarblePods();
  Play([this] {
    for (const char* name : {"node-1", "node-2"}) {
      core::v1::Node node;
      node.metadata.name = name;
      ASSERT_TRUE(sandbox_.client().Of<core::v1::Node>().Create(node));
    }
    DaemonSet agent;
    agent.metadata.name = "agent";
    agent.spec.selector.emplace().matchLabels["app"] = "web";
    agent.spec.template_ = Template(kUndecodable);
    Create(agent);
    Pass(1h);
    EXPECT_EQ(All<Pod>().size(), 2u);
    EXPECT_TRUE(NamespaceEnds());
  });
}

TEST_F(UnreadableObjectsTest, JobWhosePodsCannotBeDecodedMakesAsManyAsItWantsAndGoes) {
  GarblePods();
  Play([this] {
    Job job;
    job.metadata.name = "import";
    job.spec.parallelism = 2;
    job.spec.completions = 4;
    job.spec.template_ = Template(kUndecodable);
    job.spec.template_.spec.restartPolicy = "Never";
    Create(job);
    Pass(1h);
    EXPECT_EQ(All<Pod>().size(), 2u);
    EXPECT_TRUE(NamespaceEnds());
  });
}

TEST_F(UnreadableObjectsTest, StatefulSetsMakeNoMorePodsThanTheyWantAndGo) {
  GarblePods();
  Play([this] {
    for (const char* policy : {"OrderedReady", "Parallel"}) {
      apps::v1::StatefulSet set;
      set.metadata.name = policy == std::string("Parallel") ? "parallel" : "ordered";
      set.spec.replicas = 3;
      set.spec.podManagementPolicy = policy;
      set.spec.selector.emplace().matchLabels["set"] = set.metadata.name;
      set.spec.template_ = Template(kUndecodable);
      set.spec.template_.metadata.labels["set"] = set.metadata.name;
      Create(set);
    }
    Pass(1h);
    std::vector<std::string> names;
    for (const Pod& pod : All<Pod>()) names.push_back(pod.metadata.name);
    EXPECT_THAT(names, testing::ElementsAre("ordered-0", "parallel-0", "parallel-1", "parallel-2"));
    EXPECT_TRUE(NamespaceEnds());
  });
}

TEST_F(UnreadableObjectsTest, ReplicationControllerMakesItsReplicasAndGoes) {
  GarblePods();
  Play([this] {
    core::v1::ReplicationController web;
    web.metadata.name = "web";
    web.spec.replicas = 3;
    web.spec.selector["app"] = "web";
    web.spec.template_ = Template(kUndecodable);
    Create(web);
    Pass(1h);
    EXPECT_EQ(All<Pod>().size(), 3u);
    EXPECT_TRUE(NamespaceEnds());
  });
}

}  // namespace
}  // namespace flyball::faults
