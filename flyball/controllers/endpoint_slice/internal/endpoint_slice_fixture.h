#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/slice_index.h"
#include "flyball/controllers/endpoint_slice/controller.h"
#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::endpoint_slice {

/// The service "web", its pods and slices, in the namespace "shop". Nobody else is there: what
/// nodes would do tests do.
class EndpointSliceTest : public ControllerFixture {
 protected:
  using Service = core::v1::Service;
  using Pod = core::v1::Pod;
  using Slice = discovery::v1::EndpointSlice;

  EndpointSliceTest() {
    CreateNamespace("shop");
    CreateServiceAccount("shop");
    CreateNode(FakeNode("node", "west"));
  }

  void PlayIt(const std::function<void()>& test, Options options = {}) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all, options), [&] {
      Pass(std::chrono::seconds(1) -
           executor_.clock().WallNow().time_since_epoch() % std::chrono::seconds(1));
      test();
    });
  }
  void Settle() { Pass(std::chrono::milliseconds(200)); }

  template <typename T>
  static T Must(Result<T> made) {
    if (made) return *std::move(made);
    ADD_FAILURE() << made.error().Describe();
    return {};
  }

  Service CreateService(const std::function<void(Service&)>& change = [](Service&) {}) {
    Service service = FakeService();
    service.metadata.uid.clear();
    service.spec.clusterIP.clear();
    change(service);
    return Must(All<Service>().Create(service));
  }
  void ChangeService(const std::function<void(Service&)>& change) {
    Service service = Must(All<Service>().Get({"shop", "web"}));
    change(service);
    Must(All<Service>().Update(service));
  }

  void CreateNode(const core::v1::Node& wanted) {
    core::v1::Node node = Must(All<core::v1::Node>().Create(wanted));
    node.status = wanted.status;
    Must(All<core::v1::Node>().UpdateStatus(node));
  }

  /// One that is ready.
  Pod CreatePod(
      const std::string& name, const std::string& address,
      const std::function<void(Pod&)>& change = [](Pod&) {}) {
    Pod pod = FakePod(name, address);
    pod.metadata.uid.clear();
    core::v1::Container& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "app";
    pod.status.conditions[0].lastTransitionTime = api::Time(executor_.clock().WallNow());
    change(pod);
    const core::v1::PodStatus status = pod.status;
    pod = Must(All<Pod>().Create(pod));
    pod.status = status;
    return Must(All<Pod>().UpdateStatus(pod));
  }
  void ChangePod(const std::string& name, const std::function<void(Pod&)>& change) {
    Pod pod = Must(All<Pod>().Get({"shop", name}));
    change(pod);
    Must(All<Pod>().Update(pod));
  }
  void SetReady(const std::string& name, bool ready) {
    Pod pod = Must(All<Pod>().Get({"shop", name}));
    pod.status.conditions = {
        ReadyCondition(api::Time(executor_.clock().WallNow()), ready ? "True" : "False")};
    Must(All<Pod>().UpdateStatus(pod));
  }
  void DeletePod(const std::string& name, int grace = 0) {
    meta::v1::DeleteOptions options;
    options.gracePeriodSeconds = grace;
    EXPECT_TRUE(All<Pod>().Delete({"shop", name}, options));
  }

  std::vector<Slice> Slices() {
    auto slices = Must(All<Slice>().ListIn("shop")).items;
    std::ranges::sort(slices, {}, [](const Slice& slice) {
      return slice.endpoints.empty() ? std::string() : slice.endpoints[0].addresses[0];
    });
    return slices;
  }
  /// "8080: a b(not ready)" of each slice, pods in the order of their names.
  std::vector<std::string> Told() {
    std::vector<std::string> told;
    for (const Slice& slice : Slices()) {
      std::string text;
      for (const auto& port : slice.ports) text += std::to_string(*port.port) + " ";
      if (!text.empty()) text.back() = ':';
      std::vector<std::string> pods;
      for (const auto& endpoint : slice.endpoints) {
        std::string pod = " " + endpoint.targetRef->name;
        if (!*endpoint.conditions.ready) pod += "(not ready)";
        if (*endpoint.conditions.terminating) pod += "(ends)";
        pods.push_back(pod);
      }
      std::ranges::sort(pods);
      for (const std::string& pod : pods) text += pod;
      told.push_back(text);
    }
    return told;
  }

  /// How many reconciles went well.
  std::string Syncs() const {
    const std::string text = metrics_.Text();
    const std::string series = "endpoint_slice_controller_syncs{result=\"success\"} ";
    const auto at = text.find(series);
    if (at == std::string::npos) return "0";
    return text.substr(at + series.size(), text.find('\n', at) - at - series.size());
  }

  runtime::FakeEventRecorder events_;
};

}  // namespace flyball::controllers::endpoint_slice
