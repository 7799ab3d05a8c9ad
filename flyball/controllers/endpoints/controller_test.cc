#include "flyball/controllers/endpoints/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/endpoints/plan.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::endpoints {
namespace {

using core::v1::Pod;
using sandbox::Fault;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kCreate = "POST /api/v1/namespaces/team/endpoints";
constexpr const char* kUpdate = "PUT /api/v1/namespaces/team/endpoints/web";
constexpr const char* kDelete = "DELETE /api/v1/namespaces/team/endpoints/web";
constexpr const char* kTriggerTime = "endpoints.kubernetes.io/last-change-trigger-time";

/// Services and pods in the namespace "team". Nobody else is there: what nodes would do tests do.
class EndpointsControllerTest : public ControllerFixture {
 protected:
  EndpointsControllerTest() {
    CreateNamespace("team");
    CreateServiceAccount("team");
  }

  void PlayIt(const std::function<void()>& test) { PlayIt({}, test); }
  void PlayIt(const Options& options, const std::function<void()>& test) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all, options), [&] {
      // Times are kept in whole seconds: from one of them on they are exact.
      Pass(seconds(1) - executor_.clock().WallNow().time_since_epoch() % seconds(1));
      test();
    });
  }
  void Settle() { Pass(milliseconds(100)); }

  template <typename T>
  static T Must(Result<T> made) {
    if (made) return *std::move(made);
    ADD_FAILURE() << made.error().Describe();
    return {};
  }

  Service CreateService(
      const std::string& name = "web",
      const std::function<void(Service&)>& change = [](Service&) {}) {
    Service service;
    service.metadata.namespace_ = "team";
    service.metadata.name = name;
    service.spec.selector = {{"app", name}};
    auto& port = service.spec.ports.emplace_back();
    port.name = "http";
    port.port = 80;
    port.targetPort = api::IntOrString(8080);
    port.protocol = "TCP";
    change(service);
    return Must(All<Service>().Create(service));
  }
  void ChangeService(const std::string& name, const std::function<void(Service&)>& change) {
    Service service = Must(All<Service>().Get({"team", name}));
    change(service);
    Must(All<Service>().Update(service));
  }

  /// One that runs, and is ready.
  void CreatePod(const std::string& name, const std::string& ip, const std::string& app = "web") {
    Pod pod;
    pod.metadata.namespace_ = "team";
    pod.metadata.name = name;
    pod.metadata.labels = {{"app", app}};
    pod.spec.nodeName = "node";
    auto& container = pod.spec.containers.emplace_back();
    container.name = "only";
    container.image = "none";
    pod = Must(All<Pod>().Create(pod));
    pod.status.phase = "Running";
    pod.status.podIP = ip;
    pod.status.podIPs.emplace_back().ip = ip;
    pod.status.conditions = {ReadyCondition(Now())};
    Must(All<Pod>().UpdateStatus(pod));
  }
  void SetReady(const std::string& name, bool ready) {
    Pod pod = Must(All<Pod>().Get({"team", name}));
    pod.status.conditions = {ReadyCondition(Now(), ready ? "True" : "False")};
    Must(All<Pod>().UpdateStatus(pod));
  }
  void Relabel(const std::string& name, const std::string& app) {
    Pod pod = Must(All<Pod>().Get({"team", name}));
    pod.metadata.labels["app"] = app;
    Must(All<Pod>().Update(pod));
  }
  void DeletePod(const std::string& name, std::int64_t grace = 0) {
    meta::v1::DeleteOptions options;
    options.gracePeriodSeconds = grace;
    EXPECT_TRUE(All<Pod>().Delete({"team", name}, options));
  }
  void CreateEndpoints(const std::string& name, const api::Map<std::string>& annotations = {}) {
    Endpoints endpoints;
    endpoints.metadata.namespace_ = "team";
    endpoints.metadata.name = name;
    endpoints.metadata.annotations = annotations;
    Must(All<Endpoints>().Create(endpoints));
  }

  api::Time Now() { return api::Time(executor_.clock().WallNow()); }
  /// "10.0.0.1 | 10.0.0.2": ready, and not. "none" if there are no Endpoints.
  std::string Addresses(const std::string& name = "web") {
    const auto endpoints = All<Endpoints>().Get({"team", name});
    if (!endpoints) return "none";
    std::string ready;
    std::string other;
    for (const EndpointSubset& subset : endpoints->subsets) {
      for (const auto& address : subset.addresses) ready += address.ip + " ";
      for (const auto& address : subset.notReadyAddresses) other += " " + address.ip;
    }
    return ready + "|" + other;
  }
  std::string TriggerTime() {
    const auto endpoints = Must(All<Endpoints>().Get({"team", "web"}));
    const std::string* const time = endpoints.metadata.annotations.find(kTriggerTime);
    return time == nullptr ? "none" : *time;
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(EndpointsControllerTest, FollowThePodsOfAService) {
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.0.0.1");
    CreatePod("other", "10.0.0.9", "other");
    Settle();
    EXPECT_EQ(Addresses(), "10.0.0.1 |");
    SetReady("a", false);
    CreatePod("b", "10.0.0.2");
    Settle();
    EXPECT_EQ(Addresses(), "10.0.0.2 | 10.0.0.1");
    Relabel("b", "other");
    Settle();
    EXPECT_EQ(Addresses(), "| 10.0.0.1");
    Relabel("other", "web");
    Settle();
    EXPECT_EQ(Addresses(), "10.0.0.9 | 10.0.0.1");
    DeletePod("other", 30);
    Settle();
    EXPECT_EQ(Addresses(), "| 10.0.0.1");
    DeletePod("a");
    Settle();
    EXPECT_EQ(Addresses(), "|");
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(EndpointsControllerTest, AChangeOfAPodThatMeansNothingWritesNothing) {
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.0.0.1");
    Settle();
    TakeSent();
    Pod pod = Must(All<Pod>().Get({"team", "a"}));
    pod.metadata.annotations["note"] = "new";
    Must(All<Pod>().Update(pod));
    Settle();
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(EndpointsControllerTest, FollowTheServiceItself) {
  PlayIt([&] {
    CreatePod("a", "10.0.0.1");
    CreatePod("b", "10.0.0.2", "api");
    CreateService();
    Settle();
    EXPECT_EQ(Addresses(), "10.0.0.1 |");
    EXPECT_THAT(TakeRequests(), ElementsAre(kCreate));
    ChangeService("web", [](Service& service) { service.spec.selector = {{"app", "api"}}; });
    Settle();
    EXPECT_EQ(Addresses(), "10.0.0.2 |");
    ChangeService("web", [](Service& service) { service.metadata.labels["team"] = "a"; });
    Settle();
    EXPECT_EQ(*Must(All<Endpoints>().Get({"team", "web"})).metadata.labels.find("team"), "a");
    EXPECT_THAT(TakeRequests(), ElementsAre(kUpdate, kUpdate));
    // One that no longer selects anything leaves them to whoever wants them.
    ChangeService("web", [](Service& service) { service.spec.selector.clear(); });
    SetReady("b", false);
    Settle();
    EXPECT_EQ(Addresses(), "10.0.0.2 |");
    EXPECT_THAT(TakeRequests(), IsEmpty());
    EXPECT_TRUE(All<Service>().Delete({"team", "web"}));
    Settle();
    EXPECT_EQ(Addresses(), "none");
    EXPECT_THAT(TakeRequests(), ElementsAre(kDelete));
  });
}

TEST_F(EndpointsControllerTest, ThoseThatSomebodyDeletesOrChangesComeBack) {
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.0.0.1");
    Settle();
    EXPECT_TRUE(All<Endpoints>().Delete({"team", "web"}));
    Settle();
    EXPECT_EQ(Addresses(), "10.0.0.1 |");
    // Of a change nobody hears before something else happens.
    Endpoints endpoints = Must(All<Endpoints>().Get({"team", "web"}));
    endpoints.subsets.clear();
    Must(All<Endpoints>().Update(endpoints));
    Settle();
    EXPECT_EQ(Addresses(), "|");
    CreatePod("b", "10.0.0.2");
    Settle();
    EXPECT_EQ(Addresses(), "10.0.0.1 10.0.0.2 |");
  });
}

TEST_F(EndpointsControllerTest, SayWhenThatHappenedWhichTheyAreChangedFor) {
  PlayIt([&] {
    CreatePod("a", "10.0.0.1");
    Pass(seconds(10));
    CreateService();
    const std::string created = Now().ToString();
    Settle();
    EXPECT_EQ(TriggerTime(), created);
    Pass(seconds(10));
    SetReady("a", false);
    const std::string unready = Now().ToString();
    Pass(seconds(5));
    EXPECT_EQ(TriggerTime(), unready);
    // A pod that goes has no time to tell.
    DeletePod("a");
    Settle();
    EXPECT_EQ(TriggerTime(), "none");
  });
}

TEST_F(EndpointsControllerTest, AtItsStartThoseOfServicesThatAreGoneGo) {
  CreateEndpoints("web");
  CreateEndpoints("lock", {{"control-plane.alpha.kubernetes.io/leader", "{}"}});
  CreateEndpoints("by-hand");
  CreateService("by-hand", [](Service& service) { service.spec.selector.clear(); });
  PlayIt([&] {
    Settle();
    EXPECT_EQ(Addresses("web"), "none");
    EXPECT_EQ(Addresses("lock"), "|");
    EXPECT_EQ(Addresses("by-hand"), "|");
    EXPECT_THAT(TakeRequests(), ElementsAre(kDelete));
    // Those that come later are nobody's matter.
    CreateEndpoints("late");
    Settle();
    EXPECT_EQ(Addresses("late"), "|");
  });
}

TEST_F(EndpointsControllerTest, ChangesOfPodsAreCollectedForAsLongAsIsAskedFor) {
  PlayIt({.batch_period = seconds(5)}, [&] {
    CreateService();
    Settle();
    TakeSent();
    CreatePod("a", "10.0.0.1");
    Pass(seconds(2));
    CreatePod("b", "10.0.0.2");
    Pass(seconds(2));
    EXPECT_EQ(Addresses(), "|");
    Pass(seconds(2));
    EXPECT_EQ(Addresses(), "10.0.0.1 10.0.0.2 |");
    EXPECT_THAT(TakeRequests(), ElementsAre(kUpdate));
  });
}

TEST_F(EndpointsControllerTest, AWriteThatFailsIsToldOfAndTriedAgain) {
  const Fault refused = faults_.On(Requests::Creates()).Once().Refuse(403);
  PlayIt([&] {
    CreatePod("a", "10.0.0.1");
    CreateService();
    Pass(seconds(1));
    EXPECT_EQ(Addresses(), "10.0.0.1 |");
  });
  EXPECT_EQ(refused.count(), 1);
  EXPECT_THAT(events_.lines(),
              ElementsAre(HasSubstr("Warning FailedToCreateEndpoint: Failed to create endpoint for "
                                    "service team/web: ")));
  EXPECT_EQ(events_.recorded()[0].about.namespace_, "");
}

TEST_F(EndpointsControllerTest, AnUpdateThatSomebodyElseForestalledIsToldOfAndTriedAgain) {
  PlayIt([&] {
    CreateService();
    Settle();
    before_next_request_ = [&] {
      Endpoints endpoints = Must(All<Endpoints>().Get({"team", "web"}));
      endpoints.metadata.annotations["mine"] = "yes";
      Must(All<Endpoints>().Update(endpoints));
    };
    CreatePod("a", "10.0.0.1");
    Pass(seconds(1));
    EXPECT_EQ(Addresses(), "10.0.0.1 |");
    EXPECT_TRUE(Must(All<Endpoints>().Get({"team", "web"})).metadata.annotations.contains("mine"));
  });
  EXPECT_THAT(events_.lines(),
              ElementsAre("Warning FailedToUpdateEndpoint: Failed to update endpoint team/web: "
                          "Operation cannot be fulfilled on endpoints \"web\": the object has been "
                          "modified; please apply your changes to the latest version and try "
                          "again"));
}

TEST_F(EndpointsControllerTest, InANamespaceThatGoesNothingIsMade) {
  PlayIt([&] {
    CreateService();
    Settle();
    TakeSent();
    EXPECT_TRUE(All<core::v1::Namespace>().Delete({"", "team"}));
    EXPECT_TRUE(All<Endpoints>().Delete({"team", "web"}));
    Pass(seconds(10));
    EXPECT_THAT(TakeRequests(), ElementsAre(kCreate));
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(EndpointsControllerTest, AnExternalNameHasNone) {
  PlayIt([&] {
    CreateService("web", [](Service& service) {
      service.spec.type = "ExternalName";
      service.spec.externalName = "example.com";
    });
    CreatePod("a", "10.0.0.1");
    Settle();
    EXPECT_EQ(Addresses(), "none");
    EXPECT_THAT(TakeRequests(), Not(Contains(kCreate)));
  });
}

}  // namespace
}  // namespace flyball::controllers::endpoints
