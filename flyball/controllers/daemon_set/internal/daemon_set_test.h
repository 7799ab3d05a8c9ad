#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/json_decode.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/daemon_set/controller.h"
#include "flyball/controllers/daemon_set/internal/daemon_set_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::daemon_set {

inline constexpr const char* kPods = "/api/v1/namespaces/default/pods";
inline constexpr const char* kRevisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
inline constexpr const char* kStatus =
    "PUT /apis/apps/v1/namespaces/default/daemonsets/agent/status";

/// The controller on an embedded server, with a test in the place of scheduler and kubelet.
class DaemonSetTest : public ControllerFixture {
 protected:
  using DaemonSet = apps::v1::DaemonSet;
  using ControllerRevision = apps::v1::ControllerRevision;
  using Pod = core::v1::Pod;
  using Node = core::v1::Node;

  DaemonSetTest() { CreateServiceAccount("default"); }

  template <typename T>
  static T Must(Result<T> done) {
    if (done) return *std::move(done);
    ADD_FAILURE() << done.error().Describe();
    return {};
  }
  /// As a person would write it.
  static DaemonSet Written() {
    DaemonSet set = Agent();
    set.metadata.uid.clear();
    set.metadata.generation = 0;
    set.spec.updateStrategy = {};
    set.spec.revisionHistoryLimit.reset();
    return set;
  }
  DaemonSet Create(const DaemonSet& set = Written()) { return Must(All<DaemonSet>().Create(set)); }
  DaemonSet Get() { return Must(All<DaemonSet>().Get({"default", "agent"})); }
  void Change(const std::function<void(DaemonSet&)>& change) {
    DaemonSet set = Get();
    change(set);
    Must(All<DaemonSet>().Update(set));
  }
  void SetImage(const std::string& image) {
    Change([&](DaemonSet& set) { set.spec.template_.spec.containers[0].image = image; });
  }

  void CreateNode(const std::string& name, const std::vector<core::v1::Taint>& taints = {},
                  const api::Map<std::string>& labels = {}) {
    Node node;
    node.metadata.name = name;
    node.metadata.labels = labels;
    node = Must(All<Node>().Create(node));
    node.spec.taints = taints;  // the server holds a new one for not ready
    Must(All<Node>().Update(node));
  }
  void CreateNodes(const std::string& names) {
    for (const char name : names) CreateNode(std::string(1, name));
  }
  void ChangeNode(const std::string& name, const std::function<void(Node&)>& change) {
    Node node = Must(All<Node>().Get({"", name}));
    change(node);
    Must(All<Node>().Update(node));
  }

  std::vector<Pod> Pods() { return Must(All<Pod>().ListIn("default")).items; }
  /// Each as "node image", in order; those that go with a minus before them.
  std::vector<std::string> Placed() {
    std::vector<std::string> placed;
    for (const Pod& pod : Pods()) {
      placed.push_back((pod.metadata.deletionTimestamp ? "-" : "") + NodeOf(pod) + " " +
                       pod.spec.containers[0].image);
    }
    std::ranges::sort(placed);
    return placed;
  }
  static std::string NodeOf(const Pod& pod) {
    return TargetNodeOf(*controllers::ViewOf(pod)).value_or("nowhere");
  }
  Pod PodOn(const std::string& node) {
    for (Pod& pod : Pods()) {
      if (NodeOf(pod) == node && !pod.metadata.deletionTimestamp) return std::move(pod);
    }
    ADD_FAILURE() << "there is no pod on " << node;
    return {};
  }

  /// What a scheduler does.
  void Bind(const Pod& pod) {
    core::v1::Binding binding;
    binding.metadata.namespace_ = pod.metadata.namespace_;
    binding.metadata.name = pod.metadata.name;
    binding.target.kind = "Node";
    binding.target.name = NodeOf(pod);
    const auto bound = deps().client.Bind(binding);
    EXPECT_TRUE(bound) << bound.error().Describe();
  }
  void SetPhase(const Pod& pod, const std::string& phase, bool ready) {
    Pod now = Must(All<Pod>().Get({pod.metadata.namespace_, pod.metadata.name}));
    now.status.phase = phase;
    now.status.conditions = {
        ReadyCondition(api::Time(executor_.clock().WallNow()), ready ? "True" : "False")};
    Must(All<Pod>().UpdateStatus(now));
  }
  /// What kubelet does with pods that are to go, and with those that it is given.
  void EndPods() {
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    for (const Pod& pod : Pods()) {
      if (!pod.metadata.deletionTimestamp) continue;
      EXPECT_TRUE(All<Pod>().Delete({pod.metadata.namespace_, pod.metadata.name}, now));
    }
  }
  void RunPods() {
    EndPods();
    for (const Pod& pod : Pods()) {
      if (pod.spec.nodeName.empty()) Bind(pod);
      if (pod.status.phase != "Running") SetPhase(pod, "Running", true);
    }
  }
  /// Lets time pass, with kubelets that look every second.
  void PassWithKubelets(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      RunPods();
      Pass(std::chrono::seconds(1));
    }
  }

  /// Oldest first.
  std::vector<ControllerRevision> Revisions() {
    auto revisions = Must(All<ControllerRevision>().ListIn("default")).items;
    std::ranges::sort(revisions, {}, &ControllerRevision::revision);
    return revisions;
  }

  /// What the controller asked for, but for the status of sets.
  std::vector<std::string> TakeWrites() {
    std::vector<std::string> writes;
    for (const std::string& request : TakeRequests()) {
      if (!request.ends_with("/status") && !request.ends_with("/binding")) {
        writes.push_back(request);
      }
    }
    return writes;
  }

  void PlayIt(const std::function<void()>& test, const Options& options = {}) {
    runtime::Controller::Deps all = deps();
    all.events = events_.Maker();
    Play(Make(all, options), [&] {
      // Times are kept in whole seconds: from one of them on they are exact.
      Pass(std::chrono::seconds(1) -
           executor_.clock().WallNow().time_since_epoch() % std::chrono::seconds(1));
      test();
    });
  }

  runtime::FakeEventRecorder events_;
};

}  // namespace flyball::controllers::daemon_set
