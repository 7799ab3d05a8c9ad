#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/disruption/controller.h"
#include "flyball/controllers/disruption/internal/disruption_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::disruption {

inline constexpr char kWriteStatus[] =
    "PUT /apis/policy/v1/namespaces/team/poddisruptionbudgets/web/status";

/// Budgets, pods and what controls pods, in the namespace "team". Nobody else is there: what
/// controllers and nodes would do tests do.
class DisruptionTest : public ControllerFixture {
 protected:
  using Budget = policy::v1::PodDisruptionBudget;
  using Pod = core::v1::Pod;
  using Owners = std::vector<meta::v1::OwnerReference>;

  DisruptionTest() {
    CreateNamespace("team");
    CreateServiceAccount("team");
  }

  /// Runs the controller with what a test does meanwhile, from a whole second on: times are kept in
  /// these.
  void PlayIt(const std::function<void()>& test) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all, {}), [&] {
      Pass(std::chrono::seconds(1) -
           executor_.clock().WallNow().time_since_epoch() % std::chrono::seconds(1));
      test();
    });
  }
  void Settle() { Pass(std::chrono::milliseconds(100)); }

  template <typename T>
  static T Must(Result<T> made) {
    if (made) return *std::move(made);
    ADD_FAILURE() << made.error().Describe();
    return {};
  }

  Budget CreateBudget(const std::function<void(Budget&)>& change) {
    Budget budget = FakeBudget("web");
    change(budget);
    return Must(All<Budget>().Create(budget));
  }
  Budget CreateMinAvailable(const std::string& share) {
    return CreateBudget(
        [&](Budget& its) { its.spec.minAvailable = api::IntOrString::Parse(share); });
  }
  Budget CreateMaxUnavailable(const std::string& share) {
    return CreateBudget(
        [&](Budget& its) { its.spec.maxUnavailable = api::IntOrString::Parse(share); });
  }
  Budget Get() { return Must(All<Budget>().Get({"team", "web"})); }
  /// "2/1/3 1": healthy, wanted, expected, and how many may go; and why, if that is not numbers.
  std::string Status() {
    const auto status = Get().status;
    std::string text =
        std::to_string(status.currentHealthy) + "/" + std::to_string(status.desiredHealthy) + "/" +
        std::to_string(status.expectedPods) + " " + std::to_string(status.disruptionsAllowed);
    for (const auto& condition : status.conditions) {
      if (condition.reason == "SyncFailed") text += " " + condition.message;
    }
    return text;
  }

  /// One that is ready.
  Pod CreatePod(const std::string& name, Owners owners = {}) {
    Pod pod = FakePod(name);
    pod.spec.nodeName = "node";
    pod.metadata.ownerReferences = std::move(owners);
    const core::v1::PodStatus status = pod.status;
    pod = Must(All<Pod>().Create(pod));
    pod.status = status;
    return Must(All<Pod>().UpdateStatus(pod));
  }
  void ChangePod(const std::string& name, const std::function<void(Pod&)>& change) {
    Pod pod = Must(All<Pod>().Get({"team", name}));
    change(pod);
    Must(All<Pod>().Update(pod));
  }
  void ChangePodStatus(const std::string& name, const std::function<void(Pod&)>& change) {
    Pod pod = Must(All<Pod>().Get({"team", name}));
    change(pod);
    Must(All<Pod>().UpdateStatus(pod));
  }
  void SetReady(const std::string& name, bool ready) {
    ChangePodStatus(name, [&](Pod& pod) {
      pod.status.conditions = {FakeCondition("Ready", ready ? "True" : "False")};
    });
  }
  /// At once, as a node would have it after a while.
  void DeletePod(const std::string& name) {
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    EXPECT_TRUE(All<Pod>().Delete({"team", name}, now));
  }
  Result<> Evict(const std::string& pod) {
    policy::v1::Eviction eviction;
    eviction.metadata.namespace_ = "team";
    eviction.metadata.name = pod;
    const auto evicted = deps().client.Evict(eviction);
    TakeSent();
    return evicted;
  }

  /// Of a kind with replicas and a selector, with pods that carry app: web.
  template <typename Set>
  static Set MakeSet(const std::string& name, std::int32_t replicas, Owners owners = {}) {
    Set set;
    set.metadata.namespace_ = "team";
    set.metadata.name = name;
    set.metadata.ownerReferences = std::move(owners);
    set.spec.replicas = replicas;
    if constexpr (requires { set.spec.selector.emplace().matchLabels; }) {
      set.spec.selector.emplace().matchLabels = {{"app", "web"}};
      FillTemplate(set.spec.template_);
    } else {
      set.spec.selector = {{"app", "web"}};
      FillTemplate(set.spec.template_.emplace());
    }
    return set;
  }
  /// The reference that makes a pod its own.
  template <typename Set>
  Owners CreateSet(const std::string& name, std::int32_t replicas, Owners owners = {}) {
    return {common::ControllerRefTo(
        Must(All<Set>().Create(MakeSet<Set>(name, replicas, std::move(owners)))))};
  }
  static void FillTemplate(core::v1::PodTemplateSpec& template_) {
    template_.metadata.labels = {{"app", "web"}};
    template_.spec.containers = FakePod("").spec.containers;
  }

  runtime::FakeEventRecorder events_;
};

}  // namespace flyball::controllers::disruption
