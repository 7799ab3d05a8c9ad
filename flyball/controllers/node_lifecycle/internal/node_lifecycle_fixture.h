#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flyball/api/coordination/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/node_fake.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/node_lifecycle/controller.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::node_lifecycle {

inline constexpr const char* kNotReadyTaint = "node.kubernetes.io/not-ready";
inline constexpr const char* kUnreachableTaint = "node.kubernetes.io/unreachable";

/// The controller on an embedded server, with a test in the place of kubelets, who renew their
/// leases every ten seconds.
class NodeLifecycleTest : public ControllerFixture {
 protected:
  using Node = core::v1::Node;
  using Pod = core::v1::Pod;
  using Lease = coordination::v1::Lease;
  using seconds = std::chrono::seconds;

  NodeLifecycleTest() {
    CreateServiceAccount("default");
    if (!All<core::v1::Namespace>().Get({"", "kube-node-lease"}))
      CreateNamespace("kube-node-lease");
  }

  template <typename T>
  static T Must(Result<T> done) {
    if (done) return *std::move(done);
    ADD_FAILURE() << done.error().Describe();
    return {};
  }

  /// With a first look at what there is.
  void PlayIt(const std::function<void()>& test) { PlayIt({}, test); }
  void PlayIt(const Monitor::Options& options, const std::function<void()>& test) {
    auto with_events = deps();
    with_events.events = events_.Maker();
    Play(Make(with_events, {.monitor = options}), [&] {
      Run(seconds(1));
      test();
    });
  }

  /// A node as its kubelet has made it. Without a zone: of none.
  void CreateNode(const std::string& name, const std::string& zone = "",
                  const std::string& ready = "True") {
    Node node = MakeNode(name, ready);
    node.metadata.resourceVersion.clear();
    if (!zone.empty()) node.metadata.labels["topology.kubernetes.io/zone"] = zone;
    for (auto& condition : node.status.conditions) {
      condition.lastHeartbeatTime = api::Time(executor_.clock().WallNow()).WholeSeconds();
    }
    Must(All<Node>().Create(node));
    // Whoever admits nodes may have tainted it.
    Change(name, [](Node& its) { its.spec.taints.clear(); });
    Must(All<Lease>().Create(LeaseOf(name)));
    alive_.insert(name);
  }
  void CreateNodes(int from, int to, const std::string& zone = "") {
    for (int i = from; i < to; ++i) CreateNode(NodeName(i), zone);
  }
  static std::string NodeName(int i) { return "node-" + std::to_string(i); }

  Lease LeaseOf(const std::string& node) {
    Lease lease;
    lease.metadata.namespace_ = "kube-node-lease";
    lease.metadata.name = node;
    lease.spec.renewTime = api::MicroTime(executor_.clock().WallNow());
    return lease;
  }

  /// Lets time pass in which nodes do what they do.
  void Run(std::chrono::nanoseconds span) {
    const SteadyTime end = executor_.clock().SteadyNow() + span;
    while (executor_.clock().SteadyNow() < end) {
      const SteadyTime now = executor_.clock().SteadyNow();
      if (now >= renewed_ + seconds(10)) {
        renewed_ = now;
        for (const std::string& node : alive_) Renew(node);
      }
      executor_.clock().SleepUntil(std::min(end, renewed_ + seconds(10)));
    }
  }
  void Renew(const std::string& node) {
    Lease lease = LeaseOf(node);
    lease.metadata.resourceVersion =
        Must(All<Lease>().Get({"kube-node-lease", node})).metadata.resourceVersion;
    Must(All<Lease>().Update(lease));
  }
  void Silence(const std::string& node) { alive_.erase(node); }
  /// It renews its lease again, and says that it is ready.
  void Wake(const std::string& node) {
    alive_.insert(node);
    Renew(node);
    Report(node, "True");
  }
  void Report(const std::string& name, const std::string& ready) {
    Node node = Get(name);
    auto& conditions = node.status.conditions;
    const auto found = std::ranges::find(conditions, "Ready", &core::v1::NodeCondition::type);
    auto& condition = found == conditions.end() ? conditions.emplace_back() : *found;
    condition.type = "Ready";
    condition.status = ready;
    condition.lastHeartbeatTime = api::Time(executor_.clock().WallNow()).WholeSeconds();
    Must(All<Node>().UpdateStatus(node));
  }
  void Change(const std::string& name, const std::function<void(Node&)>& change) {
    Node node = Get(name);
    change(node);
    Must(All<Node>().Update(node));
  }
  Node Get(const std::string& name) { return Must(All<Node>().Get({"", name})); }

  std::string ReadyOf(const std::string& name) {
    for (const auto& condition : Get(name).status.conditions) {
      if (condition.type == "Ready") return condition.status;
    }
    return "";
  }
  /// "key:effect" of each, sorted.
  std::vector<std::string> TaintsOf(const std::string& name) {
    std::vector<std::string> taints;
    for (const auto& taint : Get(name).spec.taints) {
      taints.push_back(taint.key.substr(taint.key.find('/') + 1) + ":" + taint.effect);
    }
    std::ranges::sort(taints);
    return taints;
  }
  /// How many nodes have their pods driven out.
  int Evicting() {
    int count = 0;
    for (const Node& node : Must(All<Node>().ListIn("")).items) {
      count += std::ranges::any_of(node.spec.taints,
                                   [](const auto& taint) { return taint.effect == "NoExecute"; });
    }
    return count;
  }
  int Unknown() {
    int count = 0;
    for (const Node& node : Must(All<Node>().ListIn("")).items) {
      for (const auto& condition : node.status.conditions) {
        if (condition.type == "Ready") count += condition.status == "Unknown";
      }
    }
    return count;
  }

  void CreatePod(const std::string& name, const std::string& node) {
    Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = name;
    pod.spec.nodeName = node;
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "app";
    pod = Must(All<Pod>().Create(pod));
    pod.status.phase = "Running";
    pod.status.conditions.push_back(ReadyCondition(api::Time(executor_.clock().WallNow())));
    Must(All<Pod>().UpdateStatus(pod));
  }
  bool IsReady(const std::string& pod) {
    for (const auto& condition : Must(All<Pod>().Get({"default", pod})).status.conditions) {
      if (condition.type == "Ready") return condition.status == "True";
    }
    return false;
  }
  std::vector<std::string> EventsOf(const std::string& reason) {
    std::vector<std::string> lines;
    for (const std::string& line : events_.lines()) {
      if (line.find(" " + reason + ":") != std::string::npos) lines.push_back(line);
    }
    return lines;
  }

  runtime::FakeEventRecorder events_;

 private:
  std::set<std::string> alive_;
  SteadyTime renewed_ = SteadyTime::min() + std::chrono::hours(1);
};

}  // namespace flyball::controllers::node_lifecycle
